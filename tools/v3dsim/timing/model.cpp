// SPDX-License-Identifier: BSD-2-Clause
#include "model.h"

#include "caches.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <queue>
#include <stdexcept>

namespace v3dtiming {
namespace {

constexpr unsigned kSlices = 3, kQpus = 12, kLineBytes = 64;

// DRAM as one pipe of a fixed rate.
struct Dram {
    double free = 0, busy = 0, bytes = 0;

    double move_line(double now, const Parameters &p) {
        const double time = kLineBytes / p.dram_bytes;
        free = std::max(free, now) + time;
        busy += time;
        bytes += kLineBytes;
        return free;
    }
};

struct Tmu {
    explicit Tmu(const Parameters &p) : cache(static_cast<std::size_t>(p.cache_lines)) {}
    double free = 0, busy = 0;
    std::deque<double> queue; // when the operations in the queue leave it
    LineCache cache;
};

struct Thread {
    const Batch *batch = nullptr;
    std::size_t at = 0;
    unsigned qpu = 0, slot = 0;
    std::size_t group = 0;
    std::deque<double> results; // arrival of each outstanding result word
    double stores_done = 0;
};

struct Qpu {
    std::vector<unsigned> free_slots;
    Thread *running = nullptr;     // until it switches, waits at a barrier or ends
    std::vector<Thread *> waiting; // could go on
};

struct Group {
    std::size_t left = 0; // batches not ended
    std::vector<std::pair<double, Thread *>> waiting;
};

class Machine {
  public:
    Machine(const Job &job, const Parameters &p);
    Outcome run();

  private:
    struct Ready {
        double time;
        std::uint64_t order;
        Thread *thread;
        bool operator>(const Ready &o) const { return time != o.time ? time > o.time : order > o.order; }
    };

    const Job &job_;
    const Parameters &p_;
    std::vector<Tmu> tmus_;
    LineCache shared_cache_;
    Dram dram_;
    Qpu qpus_[kQpus];
    std::vector<std::unique_ptr<Thread>> threads_;
    std::vector<Group> groups_;
    std::deque<std::pair<std::size_t, const Batch *>> pending_;
    std::size_t next_group_ = 0, active_ = 0;
    std::uint64_t scratch_lines_ = 0; // of a thread
    double launch_free_ = 0, issue_busy_ = 0;
    std::vector<double> finished_;
    std::uint64_t order_ = 0;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;

    void push(double time, Thread *thread) { ready_.push({time, order_++, thread}); }
    void admit(double now);
    bool launch_one(double now);
    void release(unsigned number, double now);
    void advance(Thread &thread, double now);
    double memory(Thread &thread, const Event &event, double now);
    double fetch_uniform(Thread &thread, const Event &event, double now);
    double serve_lines(Thread &thread, const Event &event, double now);
    std::uint64_t line_of(const Thread &thread, const Event &event, std::uint32_t i) const;
    void barrier(Thread &thread, double now);
    void end(Thread &thread, double now);
    Outcome outcome() const;
};

Machine::Machine(const Job &job, const Parameters &p)
    : job_(job), p_(p), shared_cache_(static_cast<std::size_t>(p.shared_lines)), groups_(job.traced.size()) {
    tmus_.reserve(kSlices);
    for (unsigned slice = 0; slice < kSlices; slice++)
        tmus_.emplace_back(p);
    for (const Supergroup &group : job.traced)
        for (const Batch &batch : group.batches)
            if (batch.scratch_end >= batch.scratch_line)
                scratch_lines_ = std::max<std::uint64_t>(scratch_lines_, batch.scratch_end - batch.scratch_line + 1);
    for (Qpu &qpu : qpus_)
        for (unsigned slot = 0; slot < job.threads; slot++)
            qpu.free_slots.push_back(slot);
}

void Machine::admit(double now) {
    while (next_group_ < job_.traced.size() && active_ < static_cast<std::size_t>(p_.resident)) {
        const Supergroup &group = job_.traced[next_group_];
        groups_[next_group_].left = group.batches.size();
        for (const Batch &batch : group.batches)
            pending_.push_back({next_group_, &batch});
        active_++;
        next_group_++;
    }
    while (launch_one(now)) {
    }
}

bool Machine::launch_one(double now) {
    if (pending_.empty())
        return false;
    const auto widest = std::max_element(std::begin(qpus_), std::end(qpus_), [](const Qpu &a, const Qpu &b) {
        return a.free_slots.size() < b.free_slots.size();
    });
    std::vector<unsigned> &slots = widest->free_slots;
    if (slots.empty())
        return false;
    auto thread = std::make_unique<Thread>();
    thread->group = pending_.front().first;
    thread->batch = pending_.front().second;
    thread->qpu = static_cast<unsigned>(widest - std::begin(qpus_));
    thread->slot = slots.back();
    slots.pop_back();
    pending_.pop_front();
    launch_free_ = std::max(launch_free_, now) + p_.launch;
    push(launch_free_, thread.get());
    threads_.push_back(std::move(thread));
    return true;
}

// A batch's scratch lies where its QPU's thread has it on hardware, whatever the simulator's address was.
std::uint64_t Machine::line_of(const Thread &thread, const Event &event, std::uint32_t i) const {
    const std::uint64_t line = thread.batch->lines[event.first_line + i];
    if (event.space != Space::Scratch)
        return line;
    constexpr std::uint64_t scratch_base = 1ull << 32;
    const std::uint64_t hardware_thread = thread.qpu * job_.threads + thread.slot;
    return scratch_base + hardware_thread * scratch_lines_ + (line - thread.batch->scratch_line);
}

// Returns when the operation's last line is there.
double Machine::serve_lines(Thread &thread, const Event &event, double now) {
    Tmu &tmu = tmus_[thread.qpu / (kQpus / kSlices)];
    double done = now;
    for (std::uint32_t i = 0; i < event.line_count; i++) {
        const std::uint64_t line = line_of(thread, event, i);
        const bool load = event.access == Access::Load || event.access == Access::Prefetch;
        if (load ? tmu.cache.touch(line) || shared_cache_.touch(line) : shared_cache_.write(line))
            continue;
        const double moved = dram_.move_line(now, p_);
        done = std::max(done, load ? moved + p_.dram_latency : moved);
    }
    return done;
}

// A read of a uniform by address takes no part of the TMU. The QPU waits for a line that no cache has. Returns when
// it may issue its next instruction.
double Machine::fetch_uniform(Thread &thread, const Event &event, double now) {
    for (std::uint32_t i = 0; i < event.line_count; i++)
        if (!shared_cache_.touch(line_of(thread, event, i)))
            now = dram_.move_line(now, p_) + p_.dram_latency;
    return now;
}

// Returns when the QPU may issue its next instruction.
double Machine::memory(Thread &thread, const Event &event, double now) {
    if (event.space == Space::Uniform)
        return fetch_uniform(thread, event, now);
    Tmu &tmu = tmus_[thread.qpu / (kQpus / kSlices)];
    while (!tmu.queue.empty() && tmu.queue.front() <= now)
        tmu.queue.pop_front();
    if (tmu.queue.size() >= static_cast<std::size_t>(p_.queue))
        now = tmu.queue[tmu.queue.size() - static_cast<std::size_t>(p_.queue)];
    const double start = std::max(tmu.free, now),
                 service = p_.operation + p_.word * event.words + p_.line * event.line_count;
    tmu.free = start + service;
    tmu.busy += service;
    const double arrived = std::max(tmu.free, serve_lines(thread, event, start));
    tmu.queue.push_back(arrived);
    if (event.access == Access::Prefetch)
        return now;
    if (event.access != Access::Load)
        thread.stores_done = std::max(thread.stores_done, arrived + p_.latency);
    if (event.access != Access::Store)
        for (unsigned word = 0; word < event.words; word++)
            thread.results.push_back(arrived + p_.latency);
    return now;
}

void Machine::barrier(Thread &thread, double now) {
    Group &group = groups_[thread.group];
    group.waiting.push_back({std::max(now, thread.stores_done), &thread});
    if (group.waiting.size() < job_.traced[thread.group].batches.size())
        return;
    double last = 0;
    for (const auto &[time, waiting] : group.waiting)
        last = std::max(last, time);
    for (const auto &[time, waiting] : group.waiting)
        push(last, waiting);
    group.waiting.clear();
}

void Machine::end(Thread &thread, double now) {
    qpus_[thread.qpu].free_slots.push_back(thread.slot);
    if (--groups_[thread.group].left == 0) {
        active_--;
        finished_.push_back(now);
    }
    admit(now);
}

// Gives the QPU away: to a thread that waits for it, if there is one.
void Machine::release(unsigned number, double now) {
    Qpu &qpu = qpus_[number];
    qpu.running = nullptr;
    for (Thread *waiting : qpu.waiting)
        push(now, waiting);
    qpu.waiting.clear();
}

// Runs a thread until it gives its QPU away, or until something else comes first that it may have to do with.
void Machine::advance(Thread &thread, double now) {
    Qpu &qpu = qpus_[thread.qpu];
    if (qpu.running && qpu.running != &thread) {
        qpu.waiting.push_back(&thread);
        return;
    }
    qpu.running = &thread;
    const std::vector<Event> &events = thread.batch->events;
    for (;; thread.at++) {
        const Kind kind = thread.at < events.size() ? events[thread.at].kind : Kind::Switch;
        const bool alone = kind != Kind::Memory && kind != Kind::Switch && kind != Kind::Barrier;
        if (!alone && !ready_.empty() && ready_.top().time < now) {
            push(now, &thread);
            return;
        }
        if (thread.at == events.size()) {
            release(thread.qpu, now);
            end(thread, now);
            return;
        }
        const Event &event = events[thread.at];
        switch (kind) {
        case Kind::Issue:
            now += p_.issue * event.count;
            issue_busy_ += p_.issue * event.count;
            break;
        case Kind::Memory:
            now = memory(thread, event, now);
            break;
        case Kind::TakeResult:
            // A memory operation without active lanes leaves no event; its result costs nothing.
            if (!thread.results.empty()) {
                now = std::max(now, thread.results.front());
                thread.results.pop_front();
            }
            break;
        case Kind::WaitStores:
            now = std::max(now, thread.stores_done);
            break;
        case Kind::Switch:
            thread.at++;
            release(thread.qpu, now);
            push(thread.results.empty() ? now : std::max(now, thread.results.front()), &thread);
            return;
        case Kind::Barrier:
            thread.at++;
            release(thread.qpu, now);
            barrier(thread, now);
            return;
        case Kind::Uniform:
        case Kind::Special:
        case Kind::Branch:
            break;
        }
    }
}

Outcome Machine::run() {
    admit(0);
    while (!ready_.empty()) {
        const Ready next = ready_.top();
        ready_.pop();
        advance(*next.thread, next.time);
    }
    if (finished_.size() != job_.traced.size())
        throw std::runtime_error("the model came to a halt: a barrier that not all batches reach");
    return outcome();
}

Outcome Machine::outcome() const {
    Outcome o;
    const double total = finished_.back();
    const std::size_t count = finished_.size(), skipped = count / 3;
    // Past the start, before which no supergroup had to wait for another one.
    o.cycles_supergroup = count < 3 ? total / static_cast<double>(count)
                                    : (total - finished_[skipped]) / static_cast<double>(count - 1 - skipped);
    o.cycles = total + o.cycles_supergroup * static_cast<double>(job_.supergroups - count);
    o.issue_busy = issue_busy_ / (total * kQpus);
    for (const Tmu &tmu : tmus_)
        o.tmu_busy += tmu.busy / (total * kSlices);
    o.dram_busy = dram_.busy / total;
    o.dram_bytes = dram_.bytes;
    return o;
}

} // namespace

const std::map<std::string, double Parameters::*> &Parameters::names() {
    static const std::map<std::string, double Parameters::*> table{
        {"latency", &Parameters::latency},
        {"operation", &Parameters::operation},
        {"word", &Parameters::word},
        {"line", &Parameters::line},
        {"resident", &Parameters::resident},
        {"dram_bytes", &Parameters::dram_bytes},
        {"clock_mhz", &Parameters::clock_mhz},
        {"issue", &Parameters::issue},
        {"launch", &Parameters::launch},
        {"dispatch_us", &Parameters::dispatch_us},
        {"dram_latency", &Parameters::dram_latency},
        {"queue", &Parameters::queue},
        {"cache_lines", &Parameters::cache_lines},
        {"shared_lines", &Parameters::shared_lines},
    };
    return table;
}

Outcome simulate(const Job &job, const Parameters &parameters) {
    if (job.traced.empty())
        throw std::runtime_error("a job without traced supergroups");
    return Machine(job, parameters).run();
}

void keep_even_sample(Job &job) {
    const std::size_t count = job.traced.size();
    if (count < 2 || count >= job.supergroups)
        return;
    const std::uint64_t last = job.traced[count - 1].index, stride = last - job.traced[count - 2].index;
    std::erase_if(job.traced, [&](const Supergroup &group) { return (last - group.index) % stride != 0; });
}

} // namespace v3dtiming
