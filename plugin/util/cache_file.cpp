// SPDX-License-Identifier: BSD-2-Clause
#include "util/cache_file.h"

#include "util/environment.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace dd {
namespace {

namespace fs = std::filesystem;

class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0)
            close(fd_);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;

    explicit operator bool() const { return fd_ >= 0; }
    int get() const { return fd_; }

  private:
    int fd_;
};

// The folder, if it is the user's own and other users can't write to it. What lies there decides what a driver runs.
Descriptor open_folder(const fs::path &path) {
    const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status {};
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
        ((status.st_mode & (S_IRWXG | S_IRWXO)) == 0 || fchmod(fd, S_IRWXU) == 0))
        return Descriptor(fd);
    if (fd >= 0)
        close(fd);
    return Descriptor(-1);
}

bool read_all(int fd, std::string &content) {
    for (std::size_t done = 0; done < content.size();) {
        const ssize_t got = read(fd, content.data() + done, content.size() - done);
        if (got > 0)
            done += static_cast<std::size_t>(got);
        else if (got == 0 || errno != EINTR)
            return false;
    }
    return true;
}

bool write_all(int fd, std::string_view content) {
    while (!content.empty()) {
        const ssize_t put = write(fd, content.data(), content.size());
        if (put >= 0)
            content.remove_prefix(static_cast<std::size_t>(put));
        else if (errno != EINTR)
            return false;
    }
    return true;
}

fs::path cache_folder() {
    if (environment("DAEDALUS_USER_CACHE") == "off")
        return {};
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
    const Descriptor folder = open_folder(fs::path(path).parent_path());
    const Descriptor file(
        folder ? openat(folder.get(), fs::path(path).filename().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
               : -1);
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        static_cast<std::uintmax_t>(status.st_size) > most)
        return {};
    std::string content(static_cast<std::size_t>(status.st_size), '\0');
    return read_all(file.get(), content) ? content : std::string();
}

void replace_cache_file(const std::string &path, std::string_view content) {
    if (path.empty())
        return;
    const fs::path folder = fs::path(path).parent_path();
    // As the XDG Base Directory Specification has it: a folder that isn't there is made, for the user alone.
    mkdir(folder.parent_path().c_str(), S_IRWXU);
    mkdir(folder.c_str(), S_IRWXU);
    const Descriptor own = open_folder(folder);
    if (!own)
        return;
    // By the folder that was looked at: its path may lead elsewhere a moment later.
    const std::string kept = "/proc/self/fd/" + std::to_string(own.get()) + '/' + fs::path(path).filename().string();
    std::string fresh = kept + ".XXXXXX"; // others may save theirs at the same time
    const Descriptor file(mkostemp(fresh.data(), O_CLOEXEC));
    if (file && !(write_all(file.get(), content) && std::rename(fresh.c_str(), kept.c_str()) == 0))
        unlink(fresh.c_str());
}

} // namespace dd
