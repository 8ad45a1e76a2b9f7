// SPDX-License-Identifier: BSD-2-Clause
#include "trace.h"

#include "job.h"

#include <cinttypes>
#include <cstdlib>

namespace v3dsim {
namespace {

constexpr const char *traffic_names[traffic_count] = {
    "load",          "store",        "atomic",        "shared_load",    "shared_store", "shared_atomic", "scratch_load",
    "scratch_store", "texture_load", "texture_store", "texture_atomic", "uniform_load", "prefetch"};
constexpr char traffic_letters[traffic_count + 1] = "RWAstarwXYZvp";

std::string number(uint64_t v) {
    return std::to_string(v);
}

std::string hash_text(uint64_t hash) {
    char text[20];
    std::snprintf(text, sizeof text, "%016" PRIx64, hash);
    return text;
}

std::string json_string(const std::string &s) {
    std::string out = "\"";
    for (char c : s) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return out + '"';
}

struct Member {
    const char *name;
    uint64_t OpCounters::*value;
};

std::string object(const OpCounters &c, std::initializer_list<Member> members) {
    std::string out = "{";
    for (const auto &[name, value] : members)
        out += std::string(out.size() > 1 ? "," : "") + "\"" + name + "\":" + number(c.*value);
    return out + "}";
}

std::FILE *open_or_exit(const std::string &name, const char *mode) {
    if (name.empty())
        return nullptr;
    std::FILE *file = std::fopen(name.c_str(), mode);
    if (!file) {
        std::fprintf(stderr, "v3dsim: cannot write %s\n", name.c_str());
        std::exit(2);
    }
    return file;
}

} // namespace

void OpCounters::add(const OpCounters &o, uint64_t times) {
    for (uint64_t OpCounters::*m :
         {&OpCounters::instructions, &OpCounters::alu, &OpCounters::nops, &OpCounters::multop, &OpCounters::sfu,
          &OpCounters::thrsw, &OpCounters::branches, &OpCounters::ldunif, &OpCounters::ldtmu, &OpCounters::tmuwt,
          &OpCounters::tmu_writes, &OpCounters::barriers})
        this->*m += o.*m * times;
}

void Counters::add(const Counters &o) {
    ops.add(o.ops);
    for (size_t i = 0; i < traffic_count; i++) {
        tmu[i].ops += o.tmu[i].ops;
        tmu[i].lanes += o.tmu[i].lanes;
        tmu[i].words += o.tmu[i].words;
        tmu[i].bytes += o.tmu[i].bytes;
        tmu[i].lines += o.tmu[i].lines;
    }
}

TraceFiles::TraceFiles(const std::string &stats, const std::string &trace)
    : stats_(open_or_exit(stats, "ae")), trace_(open_or_exit(trace, "we")) {}

TraceFiles::~TraceFiles() {
    if (stats_)
        std::fclose(stats_);
    if (trace_)
        std::fclose(trace_);
}

void TraceFiles::write_stats(const JobSummary &job) {
    const Dispatch &d = *job.dispatch;
    const Program &p = *job.program;
    const OpCounters &run = job.counters.ops;
    std::string line = "{\"v3dsim\":1,\"job\":" + number(job.number) + ",\"code\":\"" + hash_text(p.hash) + "\"";
    line += ",\"threads\":" + number(d.four_threads ? 4 : 2);
    line += ",\"workgroups\":[" + number(d.workgroups[0]) + "," + number(d.workgroups[1]) + "," +
            number(d.workgroups[2]) + "]";
    line += ",\"workgroup_size\":" + number(d.workgroup_size);
    line += ",\"workgroups_per_supergroup\":" + number(d.workgroups_per_supergroup);
    line += ",\"batches_per_supergroup\":" + number(d.batches_per_supergroup);
    line += ",\"supergroups\":" + number(d.supergroups()) + ",\"batches\":" + number(d.batches);
    using C = OpCounters;
    line += ",\"program\":" + object(p.text, {{"instructions", &C::instructions},
                                              {"alu", &C::alu},
                                              {"nops", &C::nops},
                                              {"multop", &C::multop},
                                              {"sfu", &C::sfu},
                                              {"thrsw", &C::thrsw},
                                              {"branches", &C::branches},
                                              {"ldunif", &C::ldunif},
                                              {"ldtmu", &C::ldtmu},
                                              {"tmu_writes", &C::tmu_writes},
                                              {"barriers", &C::barriers},
                                              {"partial_spills", &C::partial_spills}});
    line += ",\"run\":" + object(run, {{"instructions", &C::instructions},
                                       {"alu", &C::alu},
                                       {"nops", &C::nops},
                                       {"multop", &C::multop},
                                       {"sfu", &C::sfu},
                                       {"thrsw", &C::thrsw},
                                       {"branches", &C::branches},
                                       {"ldunif", &C::ldunif},
                                       {"ldtmu", &C::ldtmu},
                                       {"tmuwt", &C::tmuwt},
                                       {"barriers", &C::barriers}});
    std::string tmu;
    for (size_t i = 0; i < traffic_count; i++) {
        const TrafficCounters &t = job.counters.tmu[i];
        if (t.ops)
            tmu += std::string(tmu.empty() ? "" : ",") + "\"" + traffic_names[i] + "\":{\"ops\":" + number(t.ops) +
                   ",\"lanes\":" + number(t.lanes) + ",\"words\":" + number(t.words) + ",\"bytes\":" + number(t.bytes) +
                   ",\"lines\":" + number(t.lines) + "}";
    }
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.6f", job.seconds);
    line += ",\"tmu\":{" + tmu + "},\"seconds\":" + seconds;
    if (!job.error.empty())
        line += ",\"error\":" + json_string(job.error);
    line += "}\n";
    std::lock_guard lock(mutex_);
    std::fwrite(line.data(), 1, line.size(), stats_);
    std::fflush(stats_);
}

void TraceFiles::begin_trace(const JobSummary &job) {
    const Dispatch &d = *job.dispatch;
    write_trace("J job=" + number(job.number) + " code=" + hash_text(job.program->hash) +
                " threads=" + number(d.four_threads ? 4 : 2) + " wgs=" + number(d.workgroups[0]) + "," +
                number(d.workgroups[1]) + "," + number(d.workgroups[2]) + " wg_size=" + number(d.workgroup_size) +
                " wgs_per_sg=" + number(d.workgroups_per_supergroup) +
                " batches_per_sg=" + number(d.batches_per_supergroup) + " supergroups=" + number(d.supergroups()) +
                " batches=" + number(d.batches) + "\n");
}

void TraceFiles::write_trace(const std::string &lines) {
    std::lock_guard lock(mutex_);
    std::fwrite(lines.data(), 1, lines.size(), trace_);
    std::fflush(trace_);
}

std::string format_access(const AccessRecord &a) {
    char text[64];
    std::snprintf(text, sizeof text, "%c%ux%u:%u@", traffic_letters[static_cast<size_t>(a.traffic)], a.words, a.active,
                  a.element);
    std::string out = text;
    for (unsigned i = 0; i < a.line_count;) {
        unsigned n = 1;
        while (i + n < a.line_count && a.lines[i + n] == a.lines[i] + n)
            n++;
        std::snprintf(text, sizeof text, n > 1 ? "%s%x+%u" : "%s%x", i ? "," : "", a.lines[i], n - 1);
        out += text;
        i += n;
    }
    return out;
}

} // namespace v3dsim
