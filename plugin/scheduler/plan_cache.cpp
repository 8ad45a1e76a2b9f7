// SPDX-License-Identifier: BSD-2-Clause
#include "scheduler/plan_cache.h"

#include "util/cache_file.h"

#include <locale>
#include <sstream>

namespace dd {
namespace {

constexpr const char *kTitle = "daedalus-plans-2";
constexpr std::size_t kLargest = 1 << 16; // bytes; what is saved is far smaller
constexpr double kMost = 1e6;             // no pace is above

bool is_pace(double value) {
    return value > 0 && value <= kMost;
}

bool read_line(std::istream &in, std::span<const Candidate> table, Standings &standings) {
    std::string word;
    unsigned size = 0, index = 0;
    Candidate candidate{};
    if (!(in >> word >> size >> index >> candidate.on_gpu >> candidate.every >> candidate.between) || size >= kSizes ||
        index >= table.size() || table[index] != candidate)
        return false;
    if (word == "incumbent")
        standings[size].incumbent = index;
    Pace &pace = standings[size].pace[index];
    return (word == "incumbent" || word == "other") && in >> pace.wall >> pace.cpu && is_pace(pace.wall) &&
           is_pace(pace.cpu);
}

} // namespace

Standings load_standings(const std::string &path, std::span<const Candidate> table) {
    std::istringstream in(read_cache_file(path, kLargest));
    in.imbue(std::locale::classic());
    std::string title;
    Standings standings{};
    if (!(in >> title) || title != kTitle)
        return {};
    while (in >> std::ws && !in.eof())
        if (!read_line(in, table, standings))
            return {};
    return standings;
}

void save_standings(const std::string &path, std::span<const Candidate> table, const Standings &standings) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << kTitle << '\n';
    for (unsigned size = 0; size < kSizes; size++)
        for (unsigned i = 0; i < table.size(); i++) {
            const bool incumbent = i == standings[size].incumbent;
            const Pace &pace = standings[size].pace[i];
            if (pace.wall > 0)
                out << (incumbent ? "incumbent " : "other ") << size << ' ' << i << ' ' << table[i].on_gpu << ' '
                    << table[i].every << ' ' << table[i].between << ' ' << pace.wall << ' ' << pace.cpu << '\n';
        }
    replace_cache_file(path, out.str());
}

} // namespace dd
