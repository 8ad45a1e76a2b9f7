// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace dd::test {

// A folder that goes away with all that is in it.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "daedalus-XXXXXX").string();
        if (!mkdtemp(name.data()))
            throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    const std::filesystem::path &path() const { return path_; }

  private:
    std::filesystem::path path_;
};

class TemporaryFile {
  public:
    std::string path() const { return (folder_.path() / "file").string(); }
    std::vector<std::byte> read() const {
        std::ifstream in(path(), std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        const auto *data = reinterpret_cast<const std::byte *>(text.data());
        return {data, data + text.size()};
    }

  private:
    TemporaryFolder folder_;
};

} // namespace dd::test
