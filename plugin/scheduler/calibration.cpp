// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/calibration.h"

#include "environment.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <locale>
#include <unistd.h>

namespace dd {
namespace {

namespace fs = std::filesystem;

constexpr const char *kTitle = "daedalus-costs-1";
// No cost is above, whatever the machine: nanoseconds, of a pixel or a submit.
constexpr double kMost = 1e10;

fs::path cache_folder() {
    const std::string cache = environment("XDG_CACHE_HOME"), home = environment("HOME");
    if (!cache.empty())
        return cache;
    return home.empty() ? fs::path() : fs::path(home) / ".cache";
}

} // namespace

std::string calibration_path(const std::string &identity) {
    const fs::path folder = cache_folder();
    std::error_code ignored;
    if (folder.empty() || !folder.is_absolute() || !fs::is_directory(folder, ignored))
        return {};
    std::string name = identity;
    for (char &c : name)
        c = std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '-';
    return (folder / "daedalus" / (name + ".costs")).string();
}

bool load_calibration(const std::string &path, Costs &costs) {
    std::ifstream in(path);
    in.imbue(std::locale::classic());
    std::string title, name;
    if (!(in >> title) || title != kTitle)
        return false;
    Costs read{};
    for (unsigned i = 0; i < kCosts; i++)
        if (!(in >> name >> read[i]) || name != cost_name(i) || !(read[i] >= 0 && read[i] <= kMost))
            return false;
    if (in >> name)
        return false;
    costs = read;
    return true;
}

void save_calibration(const std::string &path, const Costs &costs) {
    if (path.empty())
        return;
    std::error_code error;
    fs::create_directory(fs::path(path).parent_path(), error);
    // Of this process and of this caller: others may save theirs now.
    const std::string fresh =
        path + '.' + std::to_string(getpid()) + '.' + std::to_string(reinterpret_cast<std::uintptr_t>(&costs));
    {
        std::ofstream out(fresh);
        out.imbue(std::locale::classic());
        out << kTitle << '\n';
        for (unsigned i = 0; i < kCosts; i++)
            out << cost_name(i) << ' ' << costs[i] << '\n';
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
