// SPDX-License-Identifier: BSD-2-Clause
#include "cache_file.h"

#include "environment.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace dd {
namespace {

namespace fs = std::filesystem;

fs::path cache_folder() {
    const std::string cache = environment("XDG_CACHE_HOME"), home = environment("HOME");
    if (!cache.empty())
        return cache;
    return home.empty() ? fs::path() : fs::path(home) / ".cache";
}

} // namespace

std::string cache_path(std::string name, const char *extension) {
    const fs::path folder = cache_folder();
    std::error_code ignored;
    if (!folder.is_absolute() || !fs::is_directory(folder.parent_path(), ignored))
        return {};
    for (char &c : name)
        c = std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '-';
    return (folder / "daedalus" / (name + extension)).string();
}

std::string read_cache_file(const std::string &path, std::size_t most) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || size > most)
        return {};
    std::string content(size, '\0');
    std::ifstream in(path, std::ios::binary);
    in.read(content.data(), static_cast<std::streamsize>(size));
    return in ? content : std::string();
}

void replace_cache_file(const std::string &path, std::string_view content) {
    if (path.empty())
        return;
    std::error_code error;
    const fs::path folder = fs::path(path).parent_path();
    // As the XDG Base Directory Specification has it: a folder that isn't there is made, for the user alone.
    mkdir(folder.parent_path().c_str(), S_IRWXU);
    fs::create_directory(folder, error);
    // Of this process and thread: others may save theirs now.
    const std::string fresh = path + '.' + std::to_string(getpid()) + '.' +
                              std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id()));
    {
        std::ofstream out(fresh, std::ios::binary);
        out.write(content.data(), static_cast<std::streamsize>(content.size()));
        out.close();
        if (!out)
            error = std::make_error_code(std::errc::io_error);
    }
    if (!error)
        fs::rename(fresh, path, error);
    if (error)
        fs::remove(fresh, error);
}

} // namespace dd
