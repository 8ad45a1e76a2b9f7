// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/calibration.h"

#include "util/cache_file.h"

#include <locale>
#include <sstream>

namespace dd {
namespace {

constexpr const char *kTitle = "daedalus-costs-5";
// No figure is above, whatever the machine: nanoseconds of a pixel or a submit; a pace.
constexpr double kMost = 1e10;
constexpr std::size_t kLargest = 1 << 16; // bytes; what is saved is far smaller

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

} // namespace

bool load_calibration(const std::string &path, Knowledge &knowledge) {
    std::istringstream in(read_cache_file(path, kLargest));
    in.imbue(std::locale::classic());
    std::string title;
    Knowledge read{};
    if (!(in >> title) || title != kTitle || !read_costs(in, read.costs) || !read_paces(in, read.paces))
        return false;
    knowledge = read;
    return true;
}

void save_calibration(const std::string &path, const Knowledge &knowledge) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << kTitle << '\n';
    for (unsigned i = 0; i < kCosts; i++)
        out << cost_name(i) << ' ' << knowledge.costs[i] << '\n';
    for (unsigned size = 0; size < kSizes; size++)
        for (unsigned plan = 0; plan < kPlans; plan++)
            if (knowledge.paces[size][plan] > 0)
                out << "pace " << size << ' ' << plan << ' ' << knowledge.paces[size][plan] << '\n';
    replace_cache_file(path, out.str());
}

} // namespace dd
