// SPDX-License-Identifier: BSD-2-Clause
#include "job.h"

#include "disasm.h"
#include "observe.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

namespace v3dsim {
namespace {

constexpr uint32_t qpus = 12;
// A batch that takes more branches than this counts as hung: a loop of a few instructions would run for half a second
// on the device, which is when the kernel gives a job up.
constexpr uint64_t branch_budget = uint64_t{1} << 22;

// Host threads that wait for work.
class Pool {
  public:
    explicit Pool(unsigned helpers) {
        for (unsigned i = 0; i < helpers; i++)
            threads_.emplace_back([this, i] { serve(i + 1); });
    }
    ~Pool() {
        {
            std::lock_guard lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (std::thread &t : threads_)
            t.join();
    }
    // Runs work(0) here and work(1) … work(n - 1) on helpers, and waits for all.
    void run(unsigned n, const std::function<void(unsigned)> &work) {
        {
            std::lock_guard lock(mutex_);
            work_ = &work;
            wanted_ = n;
            left_ = n - 1;
            generation_++;
        }
        wake_.notify_all();
        work(0);
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return left_ == 0; });
        work_ = nullptr;
    }

  private:
    void serve(unsigned index) {
        uint64_t seen = 0;
        for (;;) {
            const std::function<void(unsigned)> *work;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [&] { return stop_ || (generation_ != seen && work_); });
                if (stop_)
                    return;
                seen = generation_;
                if (index >= wanted_)
                    continue;
                work = work_;
            }
            (*work)(index);
            std::lock_guard lock(mutex_);
            if (--left_ == 0)
                done_.notify_all();
        }
    }
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> threads_;
    const std::function<void(unsigned)> *work_ = nullptr;
    unsigned wanted_ = 0, left_ = 0;
    uint64_t generation_ = 0;
    bool stop_ = false;
};

// How a pass over a job runs.
struct Plan {
    Order order;
    bool yield;
    uint64_t seed;
    unsigned workers;
    uint32_t slots; // batches that a worker holds at once
};

// Everything that the workers of one pass share.
struct Pass {
    Memory &memory;
    const Dispatch &dispatch;
    const Program &program;
    const Settings &settings;
    Plan plan;
    RunFunction engine;
    bool checked;
    TraceFiles *files; // nullptr: no trace of this pass

    std::vector<uint32_t> sequence{}; // of supergroups; empty: forward
    std::atomic<uint64_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex{};
    std::string error{};

    void fail(std::string message) {
        std::lock_guard lock(mutex);
        if (!failed.exchange(true))
            error = std::move(message);
    }
};

// Runs supergroups, one after the other.
class Worker {
  public:
    Worker(Pass &pass, unsigned index, JobObserver *observer, std::vector<Thread> &threads)
        : pass_(pass), index_(index), observer_(observer), threads_(threads), counts_(pass.program.code.size()),
          random_(pass.plan.seed * 2654435761u + index) {
        context_ = {&pass.memory,    &pass.program,         observer,  pass.checked,
                    pass.plan.yield, pass.plan.workers > 1, &uniforms_};
        uint32_t bits = 6;
        while ((1u << bits) < pass.dispatch.workgroup_size)
            bits++;
        index_bits_ = bits;
        residents_ = pass.dispatch.resident() / pass.plan.workers;
        first_resident_ = index * residents_;
    }

    void run_all() {
        const uint64_t total = pass_.dispatch.supergroups();
        for (uint64_t n; !pass_.failed && (n = pass_.next.fetch_add(1)) < total;)
            run_supergroup(pass_.sequence.empty() ? static_cast<uint32_t>(n) : pass_.sequence[n]);
    }

    const std::vector<uint32_t> &counts() const { return counts_; }

    OpCounters executed() const {
        OpCounters sum;
        for (size_t i = 0; i < counts_.size(); i++)
            sum.add(pass_.program.per_instruction[i], counts_[i]);
        return sum;
    }

  private:
    enum class State : uint8_t { Waiting, Running, Blocked, Done };

    // Which piece of shared memory a workgroup of the supergroup uses. Checks want a piece of its own for each, as
    // far as the field reaches; otherwise each worker needs its own set.
    uint32_t shared_slot(uint32_t supergroup, uint32_t group) const {
        const Dispatch &d = pass_.dispatch;
        const uint32_t limit = 1u << (16 - index_bits_);
        const uint64_t global = uint64_t{supergroup} * d.workgroups_per_supergroup + group;
        if (pass_.checked && d.workgroup_count() <= limit)
            return static_cast<uint32_t>(global) & (limit - 1);
        return (index_ * d.workgroups_per_supergroup + group) & (limit - 1);
    }

    // What tidx reads: four numbers a QPU, every second one where QPUs hold two threads. The dispatcher gives a batch
    // to every QPU before any gets a second one.
    uint32_t thread_index(uint32_t resident) const {
        const uint32_t qpu = resident % qpus, thread = resident / qpus;
        return 4 * qpu + (pass_.dispatch.four_threads ? thread : 2 * thread);
    }

    void start(Thread &t, uint32_t slot, uint32_t supergroup, uint32_t batch) {
        const Dispatch &d = pass_.dispatch;
        t.start(d.uniforms, d.single_segment, counts_.data());
        t.budget = branch_budget;
        t.thread_index = thread_index(first_resident_ + resident_ + slot);
        t.supergroup = supergroup;
        t.batch = batch;
        // A batch that is only partly there has idle lanes, which show the last invocation's workgroup. One that lies
        // wholly beyond the last workgroup runs.
        const bool partly = d.has_invocation(supergroup, batch * lanes);
        uint32_t group = 0;
        for (unsigned l = 0; l < lanes; l++) {
            const uint32_t linear = batch * lanes + l;
            const bool active = !partly || d.has_invocation(supergroup, linear);
            if (active)
                group = linear / d.workgroup_size;
            const uint32_t local = linear % d.workgroup_size;
            const auto global = uint64_t{supergroup} * d.workgroups_per_supergroup + group;
            const auto x = static_cast<uint32_t>(global % d.workgroups[0]);
            const auto y = static_cast<uint32_t>(global / d.workgroups[0] % d.workgroups[1]);
            const auto z = static_cast<uint32_t>(global / d.workgroups[0] / d.workgroups[1]) & 0xffff;
            t.reg[3][l] = x | y << 16;
            t.reg[2][l] = z | shared_slot(supergroup, group) << 16 | local << (32 - index_bits_);
            t.msf[l] = active ? 15 : 0;
            t.active[l] = active ? ~0u : 0;
            t.workgroup[l] = static_cast<uint32_t>(global);
            t.invocation[l] = local;
        }
        t.undefined[2] = t.undefined[3] = 0;
    }

    void run_supergroup(uint32_t supergroup) {
        const Dispatch &d = pass_.dispatch;
        const uint32_t batches = d.batches_in(supergroup);
        const bool traced = pass_.files && pass_.files->trace() && is_sampled(supergroup);
        if (observer_)
            observer_->trace_batches(traced ? batches : 0);
        std::vector<uint32_t> order(batches);
        std::iota(order.begin(), order.end(), 0);
        arrange(order);
        // Without barriers the batches need not be there at the same time: as many as there are slots run together.
        for (uint32_t first = 0; first < batches && !pass_.failed; first += pass_.plan.slots)
            run_together(supergroup, &order[first], std::min(pass_.plan.slots, batches - first));
        if (traced && !pass_.failed)
            write_trace(supergroup, batches);
    }

    bool is_sampled(uint32_t supergroup) const {
        const Settings &s = pass_.settings;
        return supergroup < s.trace_first || (s.trace_every && supergroup % s.trace_every == 0);
    }

    void write_trace(uint32_t supergroup, uint32_t batches) {
        std::string lines = "S " + std::to_string(supergroup) + " " + std::to_string(batches) + "\n";
        for (uint32_t b = 0; b < batches; b++)
            lines += "B " + std::to_string(b) + *observer_->trace_of(b) + "\n";
        pass_.files->write_trace(lines);
    }

    void arrange(std::vector<uint32_t> &order) {
        if (pass_.plan.order == Order::Reverse)
            std::reverse(order.begin(), order.end());
        else if (pass_.plan.order == Order::Random)
            std::shuffle(order.begin(), order.end(), random_);
    }

    void run_together(uint32_t supergroup, const uint32_t *batch, uint32_t count) {
        std::vector<State> state(count, State::Running);
        for (uint32_t i = 0; i < count; i++)
            start(threads_[i], i, supergroup, batch[i]);
        resident_ = resident_ + 2 * pass_.plan.slots <= residents_ ? resident_ + pass_.plan.slots : 0;
        std::vector<uint32_t> turn(count);
        std::iota(turn.begin(), turn.end(), 0);
        for (uint32_t done = 0; done < count;) {
            uint32_t blocked = 0;
            if (pass_.plan.order == Order::Random && pass_.plan.yield)
                std::shuffle(turn.begin(), turn.end(), random_);
            bool progress = false;
            for (uint32_t i : turn) {
                if (state[i] == State::Running) {
                    progress = true;
                    if (!step(threads_[i], state[i]))
                        return;
                    done += state[i] == State::Done;
                }
                blocked += state[i] == State::Blocked;
            }
            if (!progress || blocked + done == count) {
                if (blocked && !release(state, blocked, done, count))
                    return;
            }
        }
    }

    // All batches that have not ended wait at a barrier: let them go on.
    bool release(std::vector<State> &state, uint32_t blocked, uint32_t done, uint32_t count) {
        uint32_t at = ~0u;
        for (uint32_t i = 0; i < count; i++) {
            if (state[i] != State::Blocked)
                continue;
            if (done || (at != ~0u && threads_[i].pc != at)) {
                pass_.fail("a barrier is not reached by all invocations: " + std::to_string(blocked) + " of " +
                           std::to_string(count) + " batches wait at " +
                           (done ? "it, the others have ended" : "different barriers") + " (workgroup " +
                           std::to_string(threads_[i].workgroup[0]) + ")");
                return false;
            }
            at = threads_[i].pc;
        }
        for (uint32_t i = 0; i < count; i++)
            if (state[i] == State::Blocked) {
                state[i] = State::Running;
                threads_[i].epoch++;
            }
        return true;
    }

    bool step(Thread &t, State &state) {
        switch (pass_.engine(t, context_)) {
        case RunStatus::Ended:
            state = State::Done;
            return true;
        case RunStatus::Barrier:
            state = State::Blocked;
            return true;
        case RunStatus::Switched:
            return true;
        default:
            pass_.fail(t.error + where(t));
            return false;
        }
    }

    std::string where(const Thread &t) const {
        std::string text = " [instruction " + std::to_string(t.pc);
        if (t.pc < pass_.program.words.size())
            text += ": " + disassemble(pass_.program.words[t.pc]);
        return text + "]";
    }

    Pass &pass_;
    const unsigned index_;
    JobObserver *observer_;
    std::vector<Thread> &threads_;
    std::vector<uint32_t> counts_;
    std::mt19937_64 random_;
    RunContext context_{};
    UniformCache uniforms_;
    uint32_t index_bits_ = 6;
    // Places of the device for batches that are this worker's, and the next one that a batch takes of them.
    uint32_t first_resident_ = 0, residents_ = 0, resident_ = 0;
};

} // namespace

uint32_t Dispatch::resident() const {
    return four_threads ? 4 * qpus : 2 * qpus;
}

uint32_t Dispatch::batches_in(uint32_t supergroup) const {
    const uint64_t before = uint64_t{supergroup} * batches_per_supergroup;
    return before < batches ? static_cast<uint32_t>(std::min<uint64_t>(batches_per_supergroup, batches - before)) : 0;
}

bool Dispatch::has_invocation(uint32_t supergroup, uint32_t invocation) const {
    const uint32_t group = invocation / workgroup_size;
    return group < workgroups_per_supergroup &&
           uint64_t{supergroup} * workgroups_per_supergroup + group < workgroup_count();
}

Dispatch parse_dispatch(const uint32_t cfg[7]) {
    Dispatch d;
    for (unsigned i = 0; i < 3; i++)
        d.workgroups[i] = cfg[i] >> 16;
    d.workgroup_size = cfg[3] & 0xff ? cfg[3] & 0xff : 256;
    d.workgroups_per_supergroup = cfg[3] >> 8 & 15 ? cfg[3] >> 8 & 15 : 16;
    d.batches_per_supergroup = (cfg[3] >> 12 & 0xff) + 1;
    // Programs that ask for more batches than their workgroups fill get the workgroups that fit.
    if ((d.workgroups_per_supergroup * d.workgroup_size + lanes - 1) / lanes < d.batches_per_supergroup)
        d.workgroups_per_supergroup = d.batches_per_supergroup * lanes / d.workgroup_size;
    d.batches = cfg[4];
    d.code = cfg[5] & ~7u;
    d.single_segment = cfg[5] & 2;
    d.four_threads = cfg[5] & 1;
    d.uniforms = cfg[6];
    return d;
}

struct JobRunner::State {
    State(Memory &m, const Settings &s)
        : memory(m), settings(s), files(s.stats_file, s.trace_file), engine(select_engine()), checker(m, s) {}

    Memory &memory;
    const Settings settings;
    TraceFiles files;
    RunFunction engine;
    Checker checker;
    ProgramCache programs;
    std::unique_ptr<Pool> pool;
    std::vector<std::vector<Thread>> threads; // of each worker
    uint64_t jobs = 0;
    bool layer = false; // knows the job that runs

    bool plan(const Dispatch &d, const Program &p, Plan *plan, std::string *error) const;
    void write_listing(const Program &p, const std::vector<std::vector<uint32_t>> &counts) const;
    bool run_pass(const Dispatch &d, const Program &p, const Plan &plan, uint32_t scratch, JobSummary *summary,
                  std::string *error);
    bool run_orders(const Dispatch &d, const Program &p, Plan plan, uint32_t scratch,
                    const std::vector<uint32_t> &handles, JobSummary *summary, std::string *error);
};

JobRunner::JobRunner(Memory &memory, const Settings &settings) : state_(std::make_unique<State>(memory, settings)) {}
JobRunner::~JobRunner() = default;

bool JobRunner::State::plan(const Dispatch &d, const Program &p, Plan *plan, std::string *error) const {
    *plan = {settings.order, settings.yield, settings.seed, 1, 1};
    const bool observed = settings.checks() || files.stats() || files.trace();
    const uint32_t resident = d.resident();
    const bool barriers = p.text.barriers > 0;
    if (barriers) {
        plan->slots = d.batches_per_supergroup;
        if (plan->slots > resident) {
            *error = "a supergroup with barriers has " + std::to_string(plan->slots) + " batches, the device holds " +
                     std::to_string(resident) + " at once";
            return false;
        }
    } else if (settings.yield || settings.check_order) {
        plan->slots = std::min(d.batches_per_supergroup, resident);
    }
    if (observed || settings.check_order || plan->order != Order::Forward || plan->yield)
        return true;
    uint32_t bits = 6;
    while ((1u << bits) < d.workgroup_size)
        bits++;
    // Every worker needs its own threads of the device, and its own pieces of shared memory.
    uint64_t workers = std::min<uint64_t>({settings.threads, d.supergroups(), resident / plan->slots,
                                           d.workgroup_count() / d.workgroups_per_supergroup,
                                           (1u << (16 - bits)) / d.workgroups_per_supergroup});
    plan->workers = static_cast<unsigned>(std::max<uint64_t>(workers, 1));
    return true;
}

void JobRunner::State::write_listing(const Program &p, const std::vector<std::vector<uint32_t>> &counts) const {
    std::FILE *file = std::fopen(settings.listing_file.c_str(), "ae");
    if (!file)
        return;
    std::fprintf(file, "program %016llx at 0x%08x\n", static_cast<unsigned long long>(p.hash), p.address);
    for (size_t i = 0; i < p.words.size(); i++) {
        uint64_t executed = 0;
        for (const auto &c : counts)
            executed += c[i];
        std::fprintf(file, "%5zu %10llu  %016llx  %s\n", i, static_cast<unsigned long long>(executed),
                     static_cast<unsigned long long>(p.words[i]), disassemble(p.words[i]).c_str());
    }
    std::fclose(file);
}

bool JobRunner::State::run_pass(const Dispatch &d, const Program &p, const Plan &plan, uint32_t scratch,
                                JobSummary *summary, std::string *error) {
    const bool observed = settings.checks() || files.stats() || files.trace();
    const bool first_pass = summary->dispatch != nullptr;
    Pass pass{memory, d, p, settings, plan, engine, settings.checks(), observed && first_pass ? &files : nullptr};
    if (plan.order != Order::Forward) {
        pass.sequence.resize(d.supergroups());
        std::iota(pass.sequence.begin(), pass.sequence.end(), 0);
        if (plan.order == Order::Reverse)
            std::reverse(pass.sequence.begin(), pass.sequence.end());
        else
            std::shuffle(pass.sequence.begin(), pass.sequence.end(), std::mt19937_64(plan.seed));
    }
    if (threads.size() < plan.workers)
        threads.resize(plan.workers);
    std::vector<Counters> counters(plan.workers);
    std::vector<std::vector<uint32_t>> counts(plan.workers);
    auto work = [&](unsigned index) {
        if (threads[index].size() < plan.slots)
            threads[index] = std::vector<Thread>(plan.slots);
        JobObserver observer(Classifier(memory, scratch, layer), pass.checked ? &checker : nullptr);
        Worker worker(pass, index, observed ? &observer : nullptr, threads[index]);
        worker.run_all();
        counters[index].ops = worker.executed();
        counts[index] = worker.counts();
        counters[index].tmu = observer.traffic;
    };
    if (plan.workers > 1) {
        if (!pool)
            pool = std::make_unique<Pool>(settings.threads - 1);
        pool->run(plan.workers, work);
    } else {
        work(0);
    }
    for (const Counters &c : counters)
        summary->counters.add(c);
    if (!settings.listing_file.empty())
        write_listing(p, counts);
    if (pass.failed)
        *error = pass.error;
    return !pass.failed;
}

// The result must not depend on the order of batches: runs the job forward, backward, and shuffled with a switch at
// every opportunity, and compares the memory of the application.
bool JobRunner::State::run_orders(const Dispatch &d, const Program &p, Plan plan, uint32_t scratch,
                                  const std::vector<uint32_t> &handles, JobSummary *summary, std::string *error) {
    struct Copy {
        BufferObject bo;
        std::vector<uint8_t> before, after;
    };
    std::vector<Copy> copies;
    for (uint32_t handle : handles) {
        Copy c;
        if (memory.find(handle, &c.bo) && c.bo.application) {
            c.before.assign(memory.base() + c.bo.address, memory.base() + c.bo.address + c.bo.size);
            copies.push_back(std::move(c));
        }
    }
    const Plan plans[] = {plan,
                          {Order::Reverse, false, plan.seed, 1, plan.slots},
                          {Order::Reverse, true, plan.seed, 1, plan.slots},
                          {Order::Random, true, plan.seed, 1, plan.slots},
                          {Order::Random, true, plan.seed + 1, 1, plan.slots}};
    for (const Plan &way : plans) {
        const bool first = &way == plans;
        if (!first)
            for (Copy &c : copies)
                std::memcpy(memory.base() + c.bo.address, c.before.data(), c.bo.size);
        JobSummary repeated; // only the first pass counts
        if (!run_pass(d, p, way, scratch, first ? summary : &repeated, error))
            return false;
        for (Copy &c : copies) {
            const uint8_t *now = memory.base() + c.bo.address;
            if (first) {
                c.after.assign(now, now + c.bo.size);
                continue;
            }
            const auto different = std::mismatch(c.after.begin(), c.after.end(), now);
            if (different.first != c.after.end()) {
                char text[32];
                std::snprintf(text, sizeof text, "0x%08x",
                              c.bo.address + static_cast<uint32_t>(different.first - c.after.begin()));
                *error = std::string("the result depends on the order in which batches run: other bytes at ") + text;
                return false;
            }
        }
    }
    return true;
}

bool JobRunner::run(const Dispatch &d, const std::vector<uint32_t> &handles, const BoundRanges *ranges,
                    std::string *error) {
    State &s = *state_;
    JobSummary summary;
    summary.number = s.jobs++;
    summary.dispatch = &d;
    error->clear();
    if (s.settings.idle)
        return true;
    if (d.workgroup_count() == 0 || d.batches == 0) {
        *error = "a dispatch without workgroups";
        return false;
    }
    const std::shared_ptr<const Program> program = s.programs.get(s.memory, d.code, d.single_segment, error);
    Plan plan{};
    if (!program || !s.plan(d, *program, &plan, error))
        return false;
    summary.program = program.get();
    // A job that the layer, where it is wanted, doesn't know isn't the driver's: it has no scratch or shared memory.
    s.layer = s.settings.needs_layer() && ranges;
    uint32_t scratch = 0, scratch_address = 0;
    if ((ranges || !s.settings.needs_layer()) && program->scratch_uniform >= 0 &&
        s.memory.read_word(d.uniforms + 4 * static_cast<uint32_t>(program->scratch_uniform), &scratch_address))
        scratch = s.memory.owner(scratch_address);
    s.checker.begin_job(ranges, scratch);
    if (s.files.trace())
        s.files.begin_trace(summary);
    const auto begin = std::chrono::steady_clock::now();
    bool ok = s.settings.check_order ? s.run_orders(d, *program, plan, scratch, handles, &summary, error)
                                     : s.run_pass(d, *program, plan, scratch, &summary, error);
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (ok && s.checker.found()) {
        *error = s.checker.summary();
        ok = false;
    }
    summary.error = *error;
    if (s.files.stats())
        s.files.write_stats(summary);
    if (s.files.trace())
        s.files.write_trace("E\n");
    if (s.settings.verbose)
        std::fprintf(stderr, "v3dsim: job %llu: %ux%ux%u workgroups of %u, %llu instructions, %.3f s, %.1f M/s%s%s\n",
                     static_cast<unsigned long long>(summary.number), d.workgroups[0], d.workgroups[1], d.workgroups[2],
                     d.workgroup_size, static_cast<unsigned long long>(summary.counters.ops.instructions),
                     summary.seconds, static_cast<double>(summary.counters.ops.instructions) / summary.seconds * 1e-6,
                     ok ? "" : ": ", error->c_str());
    return ok;
}

} // namespace v3dsim
