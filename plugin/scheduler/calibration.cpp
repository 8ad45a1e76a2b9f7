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

constexpr const char *kTitle = "daedalus-costs-3";
// No figure is above, whatever the machine: nanoseconds of a pixel or a submit; a pace.
constexpr double kMost = 1e10;

bool sound(double value) {
    return value >= 0 && value <= kMost;
}

bool read_costs(std::istream &in, Costs &costs) {
    std::string name;
    for (unsigned i = 0; i < kCosts; i++)
        if (!(in >> name >> costs[i]) || name != cost_name(i) || !sound(costs[i]))
            return false;
    return true;
}

bool read_paces(std::istream &in, std::array<Paces, kSizes> &paces) {
    std::string name;
    unsigned size = 0, plan = 0;
    double value = 0;
    while (in >> name) {
        if (name != "pace" || !(in >> size >> plan >> value) || size >= kSizes || plan >= kPlans || !sound(value))
            return false;
        paces[size][plan] = value;
    }
    return in.eof();
}

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

bool load_calibration(const std::string &path, Knowledge &knowledge) {
    std::ifstream in(path);
    in.imbue(std::locale::classic());
    std::string title;
    Knowledge read{};
    if (!(in >> title) || title != kTitle || !read_costs(in, read.costs) || !read_paces(in, read.paces))
        return false;
    knowledge = read;
    return true;
}

void save_calibration(const std::string &path, const Knowledge &knowledge) {
    if (path.empty())
        return;
    std::error_code error;
    fs::create_directory(fs::path(path).parent_path(), error);
    // Of this process and of this caller: others may save theirs now.
    const std::string fresh =
        path + '.' + std::to_string(getpid()) + '.' + std::to_string(reinterpret_cast<std::uintptr_t>(&knowledge));
    {
        std::ofstream out(fresh);
        out.imbue(std::locale::classic());
        out << kTitle << '\n';
        for (unsigned i = 0; i < kCosts; i++)
            out << cost_name(i) << ' ' << knowledge.costs[i] << '\n';
        for (unsigned size = 0; size < kSizes; size++)
            for (unsigned plan = 0; plan < kPlans; plan++)
                if (knowledge.paces[size][plan] > 0)
                    out << "pace " << size << ' ' << plan << ' ' << knowledge.paces[size][plan] << '\n';
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
