// SPDX-License-Identifier: BSD-2-Clause
//
// Frames of the C interface: begin, submit, wait, end.
#include "batch/p010.h"
#include "frame/guard.h"
#include "frame/objects.h"
#include "util/clock.h"

#include <algorithm>

using namespace dd;

namespace {

constexpr unsigned kMostRecorders = 256;

std::unique_ptr<DdFrame> idle_frame(DdSession &session) {
    const std::lock_guard lock(session.mutex);
    if (session.idle_frames.empty()) {
        auto made = std::make_unique<DdFrame>();
        made->codec = session.codec->make_frame(*made);
        return made;
    }
    auto frame = std::move(session.idle_frames.back());
    session.idle_frames.pop_back();
    return frame;
}

// A reference that the GPU doesn't reach yet will be adopted or copied when the frame is submitted.
bool gpu_reaches(const DdSession &session, const DdFrameInfo &info) {
    if (!info.dst->memory->gpu || info.cpu_only || !session.gpu_usable())
        return false;
    if (info.intra_only || !session.codec->traits.needs_references)
        return true;
    const auto reachable = [&](const DdPicture *ref) { return !ref || ref->reachable(*session.gpu()); };
    return std::all_of(info.ref, info.ref + DD_MAX_REFERENCES, reachable);
}

// In frames without inter blocks chains of intra blocks are long, and the CPU, which needn't wait for anything there,
// does them as it parses.
bool gpu_can_take_intra(const DdSession &session, const DdFrameInfo &info) {
    return session.codec->traits.intra_on_gpu && session.gpu() && session.gpu()->info().profile == Profile::wide &&
           !info.intra_only;
}

bool takes_intra(const DdFrame &frame, const DdFrameInfo &info) {
    return gpu_can_take_intra(*frame.session, info) && frame.session->scheduler.takes_intra(frame.plan);
}

FrameFacts facts_of(const DdSession &session, const DdFrameInfo &info) {
    FrameFacts facts;
    const PictureFormat &format = info.dst->layout().format;
    facts.width = format.width;
    facts.height = format.height;
    facts.intra_only = info.intra_only;
    facts.gpu_reaches = gpu_reaches(session, info);
    session.codec->add_stages(info, facts);
    return facts;
}

// The CPU clock of a process with many threads isn't cheap: read where plan `auto` times the frame.
Instant end_of(const PlannedFrame &planned) {
    return planned.timed ? Instant{wall_ns(), process_cpu_ns()} : Instant{};
}

// A frame that has a plan and doesn't begin after all: the scheduler counts those in flight.
class PlannedScope {
  public:
    explicit PlannedScope(DdFrame &frame) : frame_(&frame) {}
    ~PlannedScope() {
        if (frame_)
            contained([this] { frame_->session->scheduler.ended(frame_->planned, end_of(frame_->planned)); });
    }
    PlannedScope(const PlannedScope &) = delete;
    PlannedScope &operator=(const PlannedScope &) = delete;
    void has_begun() { frame_ = nullptr; }

  private:
    DdFrame *frame_;
};

int begin_frame(DdSession &session, const DdFrameInfo &info, DdFrame **out) {
    auto frame = idle_frame(session);
    frame->session = &session; // counted when nothing can fail any more
    if (session.gpu() && !frame->job)
        frame->job.emplace(session.device->gpu.get());
    frame->plan = session.scheduler.plan(facts_of(session, info), frame->planned, wall_ns());
    PlannedScope planned(*frame);
    frame->intra_only = info.intra_only;
    frame->filtered = info.filtered;
    frame->early = info.dst->early;
    frame->unread = info.unread && session.device->exports != DD_EXPORT_NONE && !session.saver.wanted();
    frame->absent = 0;
    frame->error = DD_OK;
    frame->submits = frame->dispatches = 0;
    frame->trusted_refs = 0;
    frame->completes = frame->writes_p010 = false;
    frame->number = session.frames_begun++;
    for (unsigned slot = 0; slot < DD_MAX_REFERENCES; slot++)
        frame->ref[slot] = info.ref[slot];
    if (const int error = frame->on_gpu(DD_STAGE_MC) ? DD_OK : frame->read_by_cpu(); error != DD_OK)
        return error;
    frame->codec->begin(info);
    const bool has_batch = frame->any_on_gpu();
    frame->takes_intra = has_batch && takes_intra(*frame, info);
    if (session.gpu() && !frame->early)
        session.say_hello(frame->plan, frame->intra_only, frame->number);

    dd_session_ref(&session);
    frame->dst = dd_picture_ref(info.dst);
    for (DdPicture *ref : frame->ref)
        if (ref)
            ref->ref();
    if (info.dst->memory->gpu)
        info.dst->memory->gpu->begin_frame();
    frame->tells_progress = has_batch; // nothing can fail any more: end_frame() will say what became of it
    if (has_batch)
        info.dst->progress.set(PictureProgress::State::begun);
    planned.has_begun();
    *out = frame.release();
    return DD_OK;
}

// A GPU that completes a picture in memory which other devices read makes P010 of it, too.
void add_p010(DdFrame &frame) {
    PhaseWork &last = frame.work[kFilter];
    const PictureMemory &memory = *frame.dst->memory;
    frame.writes_p010 = memory.layout.p010 && !last.dispatches.empty() && !frame.codec->filters_left() &&
                        memory.gpu->dma_buf() != nullptr;
    if (frame.writes_p010)
        plan_p010(memory.layout, last);
}

// Makes the work of the phases.
PlannedPhases plan_phases(DdFrame &frame, unsigned phases) {
    for (PhaseWork &work : frame.work)
        work.clear();
    frame.codec->plan(phases, frame.work);
    add_p010(frame);
    PlannedPhases planned{};
    for (unsigned phase = 0; phase < 2; phase++)
        if (!frame.work[phase].empty())
            planned[phase] = &frame.work[phase];
    return planned;
}

void save(DdFrame &frame, unsigned phases) {
    BatchView view;
    view.phases = phases;
    view.batch = frame.codec->batch();
    view.dst = frame.dst->memory->data();
    const unsigned used = phases & DD_PHASE_RECON ? frame.codec->used_refs() : 0;
    for (unsigned slot = 0; slot < DD_MAX_REFERENCES; slot++)
        if (used >> slot & 1)
            view.ref[slot] = frame.ref[slot]->memory->data();
    frame.session->saver.save(view, frame.number, frame.session->log);
}

// Of references that nothing reads, the decoder may not even have waited for the pixels.
GpuStatus reach_references(DdFrame &frame, GpuJobInput &input) {
    const unsigned used = frame.codec->used_refs();
    for (unsigned slot = 0; slot < DD_MAX_REFERENCES; slot++)
        if (used >> slot & 1)
            if (const GpuStatus status = frame.ref[slot]->reach(*frame.session->gpu(), input.ref[slot]); !status)
                return status;
    return {};
}

GpuStatus run(DdFrame &frame, const PlannedPhases &planned, bool cpu_wrote) {
    GpuJobInput input;
    input.dst = frame.dst->memory->gpu.get();
    input.cpu_wrote = cpu_wrote;
    input.final = planned[kFilter] && !frame.codec->filters_left();
    input.reads_unfinished = frame.trusted_refs != 0;
    input.cpu_reads = !frame.unread;
    GpuStatus status = frame.job->begin(planned);
    if (status)
        status = frame.codec->write(planned, input);
    if (status && planned[kRecon])
        status = reach_references(frame, input);
    if (status)
        status = frame.job->submit(input);
    if (status)
        frame.codec->submitted(planned);
    return status;
}

// The frame asks for more than the device may be given: the CPU does it, and later frames aren't concerned.
int refuse_work(DdFrame &frame, std::string_view what) {
    frame.session->statistics.count_beyond_limits();
    frame.session->log.line(DD_LOG_DEBUG, "frame %llu exceeds %.*s", static_cast<unsigned long long>(frame.number),
                            static_cast<int>(what.size()), what.data());
    return frame.fail(DD_ERR_UNSUPPORTED);
}

// Says whether what the frame has read was what it should be.
bool references_complete(DdFrame &frame) {
    bool complete = true;
    for (unsigned slot = 0; slot < DD_MAX_REFERENCES; slot++)
        if (frame.trusted_refs >> slot & 1)
            complete = frame.ref[slot]->progress.completes() && complete;
    frame.trusted_refs = 0;
    return complete;
}

int wait_frame(DdFrame &frame) {
    if (!frame.job || !frame.job->in_flight())
        return frame.error;
    const TraceScope scope(frame.trace(), "wait", frame.number);
    const GpuStatus status = frame.job->wait();
    if (!status)
        return frame.fail(frame.session->give_up_gpu("running a frame", status));
    if (Trace *trace = frame.trace())
        trace->gpu(frame.job->timeline(), frame.number);
    if (!references_complete(frame)) // the GPU was given up, and the user knows
        return frame.fail(DD_ERR_DEVICE);
    frame.job->release();
    frame.codec->finished(); // until here residuals may have to go back to the CPU
    if (frame.completes && frame.error == DD_OK)
        frame.dst->progress.set(PictureProgress::State::complete);
    return frame.error;
}

int submit_frame(DdFrame &frame, unsigned phases, bool cpu_wrote) {
    if (const int error = frame.error)
        return error;
    if (!frame.any_on_gpu())
        return DD_OK;
    DdSession &session = *frame.session;
    if (!session.gpu_usable())
        return frame.fail(session.give_up_gpu("other work", {DD_ERR_DEVICE, "given up"}));
    if (const int error = wait_frame(frame); error != DD_OK) // of an earlier submit, which the caller may have done
        return error;
    if (!frame.on_gpu(DD_STAGE_MC) && !frame.on_gpu(DD_STAGE_ITX))
        phases &= ~static_cast<unsigned>(DD_PHASE_RECON);
    if (!frame.on_gpu(DD_STAGE_LF) && !frame.on_gpu(DD_STAGE_CDEF) && !frame.on_gpu(DD_STAGE_LR))
        phases &= ~static_cast<unsigned>(DD_PHASE_FILTER);
    const TraceScope scope(frame.trace(), phases & DD_PHASE_RECON ? "submit recon" : "submit filter", frame.number);
    const auto planned = plan_phases(frame, phases);
    if (!frame.on_gpu(DD_STAGE_MC)) // it may have turned out so
        if (const int error = frame.read_by_cpu(); error != DD_OK)
            return frame.fail(error);
    if (!planned[kRecon] && !planned[kFilter])
        return DD_OK;
    if (const std::string_view what = session.gpu()->exceeded(planned); !what.empty())
        return refuse_work(frame, what);
    if (session.saver.wanted())
        save(frame, phases);
    if (const GpuStatus status = run(frame, planned, cpu_wrote); !status)
        return frame.fail(session.give_up_gpu("submitting a frame", status));
    frame.submits++;
    if (planned[kRecon] && planned[kFilter])
        frame.codec->release_records();
    frame.completes = planned[kFilter] && frame.tells_progress && !frame.codec->filters_left();
    if (frame.completes)
        frame.dst->progress.set(PictureProgress::State::submitted);
    for (const PhaseWork *work : planned)
        frame.dispatches += work ? static_cast<std::uint32_t>(work->dispatches.size()) : 0;
    return DD_OK;
}

// References that the caller has to wait for itself.
unsigned await_references(DdFrame &frame, unsigned slots) {
    DdSession &session = *frame.session;
    if (!frame.any_on_gpu())
        return slots;
    slots = frame.codec->awaited_refs(slots);
    // What is saved are the references' pixels.
    if (!session.gpu()->info().has_cached_memory || session.saver.wanted())
        return slots;
    const TraceScope scope(frame.trace(), "wait for references", frame.number);
    unsigned left = 0;
    for (unsigned slot = 0; slot < DD_MAX_REFERENCES; slot++) {
        if (!(slots >> slot & 1) || !frame.ref[slot])
            continue;
        PictureProgress &progress = frame.ref[slot]->progress;
        // Where frames interleave, the thread that is to submit the reference may be this one.
        const PictureProgress::State state =
            session.codec->traits.interleaves_frames ? progress.now() : progress.once_submitted();
        if (state == PictureProgress::State::unknown || state == PictureProgress::State::begun)
            left |= 1u << slot;
        else if (state == PictureProgress::State::submitted)
            frame.trusted_refs |= 1u << slot;
    }
    return left;
}

FrameRecord record_of(const DdFrame &frame, DdOutcome outcome) {
    FrameRecord record;
    record.plan = frame.plan;
    record.outcome = outcome;
    record.intra_only = frame.intra_only;
    record.filtered = frame.filtered;
    record.early = frame.early;
    record.absent = frame.absent;
    frame.codec->count(record);
    record.submits = frame.submits;
    record.dispatches = frame.dispatches;
    return record;
}

void count_frame(DdFrame &frame, DdOutcome outcome) {
    DdSession &session = *frame.session;
    session.statistics.count(record_of(frame, outcome));
    if (frame.error == DD_ERR_RANGE) {
        session.statistics.count_out_of_range();
        session.scheduler.out_of_range();
    } else if (frame.on_gpu(DD_STAGE_ITX) && outcome == DD_OUTCOME_DONE) {
        session.scheduler.in_range();
    }
    const std::string news = session.scheduler.ended(frame.planned, end_of(frame.planned));
    if (!news.empty())
        session.log.line(DD_LOG_DEBUG, "frame %llu: %s", static_cast<unsigned long long>(frame.number), news.c_str());
}

// Whatever fails here, waiting frames learn that the picture is done, and nothing leaks.
void end_frame(std::unique_ptr<DdFrame> frame, DdOutcome outcome) {
    DdSession *session = frame->session;
    frame->fail(guarded([&] { return wait_frame(*frame); }));
    contained([&] { frame->codec->release_records(); });
    // A frame that was dropped may still be a reference: its pixels are what the CPU left.
    const bool by_cpu = outcome != DD_OUTCOME_DONE;
    PictureMemory &memory = *frame->dst->memory;
    memory.has_p010 = frame->writes_p010 && !by_cpu && frame->error == DD_OK;
    if (memory.gpu) {
        if (by_cpu)
            memory.gpu->take_cpu_pixels();
        memory.gpu->end_frame(by_cpu || !frame->completes || frame->error != DD_OK);
    }
    if (frame->tells_progress)
        frame->dst->progress.set(by_cpu || frame->error != DD_OK ? PictureProgress::State::redone
                                                                 : PictureProgress::State::complete);
    contained([&] { count_frame(*frame, outcome); });
    dd_picture_unref(&frame->dst);
    for (DdPicture *&ref : frame->ref)
        dd_picture_unref(&ref);
    frame->session = nullptr;
    contained([&] {
        const std::lock_guard lock(session->mutex);
        session->idle_frames.push_back(std::move(frame));
    });
    frame.reset(); // before its session, where it couldn't be kept
    dd_session_unref(&session);
}

} // namespace

int DdFrame::read_by_cpu() const {
    for (DdPicture *picture : ref)
        if (picture)
            if (const GpuStatus status = picture->read(); !status)
                return session->give_up_gpu("synchronising a picture", status);
    return DD_OK;
}

extern "C" {

int dd_frame_begin(DdSession *session, const DdFrameInfo *info, DdFrame **frame) {
    DdFrameInfo all;
    if (!session || !frame || !take(info, all) || !all.dst || all.recorders < 1 || all.recorders > kMostRecorders)
        return DD_ERR_INVALID;
    *frame = nullptr;
    return guarded([&] { return begin_frame(*session, all, frame); });
}

DdPlan dd_frame_plan(const DdFrame *frame) {
    return frame->plan;
}

int dd_frame_submit(DdFrame *frame, unsigned phases, int cpu_wrote) {
    if (!frame || phases == 0 || phases > (DD_PHASE_RECON | DD_PHASE_FILTER))
        return DD_ERR_INVALID;
    return frame->fail(guarded([&] { return submit_frame(*frame, phases, cpu_wrote != 0); }));
}

unsigned dd_frame_await_references(DdFrame *frame, unsigned slots) {
    unsigned left = slots; // all of them where that isn't known
    if (frame)
        contained([&] { left = await_references(*frame, slots); });
    return left;
}

int dd_frame_wait(DdFrame *frame) {
    if (!frame)
        return DD_ERR_INVALID;
    return frame->fail(guarded([&] { return wait_frame(*frame); }));
}

int dd_frame_rerun(DdFrame *frame) {
    if (!frame)
        return DD_ERR_INVALID;
    if (frame->dst->memory->gpu)
        frame->dst->memory->gpu->rerun();
    return frame->read_by_cpu();
}

int64_t dd_frame_trace_time(const DdFrame *frame) {
    return frame && frame->trace() ? Trace::now() : 0;
}

void dd_frame_trace(DdFrame *frame, const char *name, int64_t begin) {
    if (!frame || !frame->trace() || !begin)
        return;
    contained([&] { frame->trace()->span(name, begin, frame->number); });
}

void dd_frame_end(DdFrame **frame, DdOutcome outcome) {
    if (!frame || !*frame)
        return;
    std::unique_ptr<DdFrame> ended(*frame);
    *frame = nullptr;
    end_frame(std::move(ended), outcome);
}

} // extern "C"
