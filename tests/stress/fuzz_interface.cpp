// SPDX-License-Identifier: BSD-2-Clause
//
// libFuzzer on the C interface: sequences of calls, valid and not, with records of random bytes. What pointers lead
// to is as large as the header says, and frames end in the order in which they began: that is the caller's part.
#include "daedalus/daedalus.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

namespace {

constexpr unsigned kMostSide = 260, kPictures = 4, kMostFrames = 3, kMostCalls = 200;

class Input {
  public:
    explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    bool empty() const { return bytes_.empty(); }
    // Zeros where there are no more bytes.
    template <typename T>
    T take() {
        T value{};
        const std::size_t size = std::min(sizeof(T), bytes_.size());
        std::memcpy(static_cast<void *>(&value), bytes_.data(), size);
        bytes_ = bytes_.subspan(size);
        return value;
    }
    unsigned below(unsigned end) { return take<std::uint8_t>() % end; }

  private:
    std::span<const std::uint8_t> bytes_;
};

DdDevice *open_device(const char *plan, const char *profile) {
    DdDeviceOptions options = {};
    options.size = sizeof(options);
    options.device = "llvmpipe";
    options.plan = plan;
    options.profile = profile;
    options.robust = 0; // what a kernel reaches must be right without
    DdDevice *device = nullptr;
    if (dd_device_open(&device, &options) != DD_OK || !dd_device_has_gpu(device))
        std::abort();
    return device;
}

std::span<DdDevice *const> devices() {
    static const std::array<DdDevice *, 3> all = {open_device("gpu", "v3d"), open_device("gpu", "wide"),
                                                  open_device("mc=gpu,itx=cpu,lf=gpu,cdef=gpu", "v3d")};
    return all;
}

// What the records' pointers lead to.
struct Tables {
    explicit Tables(Input &in) {
        const auto seed = in.take<std::array<std::uint8_t, 16>>();
        for (std::size_t i = 0; i < bytes.size(); i++)
            bytes[i] = seed[i % seed.size()];
    }
    // Bytes of a place of its own kind: what is recorded may clear coefficients.
    void *at(std::size_t offset) { return bytes.data() + offset; }
    alignas(16) std::array<std::uint8_t, 1 << 18> bytes;
};

class Run {
  public:
    Run(DdSession *session, Input &in, DdCodec codec) : session_(session), in_(in), codec_(codec), tables_(in) {
        format_.size = sizeof(format_);
        format_.width = 1 + in.take<std::uint16_t>() % kMostSide;
        format_.height = 1 + in.take<std::uint16_t>() % kMostSide;
        format_.bit_depth = 8 + 2 * in.below(3);
        format_.ss_h = in.below(2);
        format_.ss_v = in.below(2);
        format_.monochrome = in.below(8) == 0;
    }

    ~Run() {
        while (!frames_.empty())
            end(DD_OUTCOME_RERUN);
        for (DdPicture *&picture : pictures_)
            dd_picture_unref(&picture);
        dd_session_unref(&session_);
    }
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

    void all() {
        for (unsigned call = 0; call < kMostCalls && !in_.empty(); call++)
            one();
    }

  private:
    struct Open {
        DdFrame *frame;
        unsigned dst;
        bool submitted;
    };

    void one() {
        switch (in_.below(16)) {
        case 0:
            return allocate();
        case 1:
            return begin();
        case 2:
            return submit();
        case 3:
            return await();
        case 4:
            return end(static_cast<DdOutcome>(in_.below(4)));
        case 5:
            return stats();
        case 6:
            return filter();
        default:
            return codec_ == DD_CODEC_VP9 ? record_vp9() : record_av1();
        }
    }

    void allocate() {
        DdPicture *&picture = pictures_[in_.below(kPictures)];
        dd_picture_unref(&picture);
        DdPictureFormat format = in_.below(8) ? format_ : in_.take<DdPictureFormat>();
        if (format.width > 4096 || format.height > 4096) // a picture may be large, but not a fuzzer's
            format.width = format.height = 0;
        dd_picture_alloc(session_, &format, &picture);
    }

    // A picture that a frame which isn't submitted yet writes can't be waited for on the same thread.
    bool usable(unsigned index) const {
        return std::ranges::all_of(frames_, [=](const Open &f) { return f.dst != index || f.submitted; });
    }

    void begin() {
        const unsigned dst = in_.below(kPictures);
        if (frames_.size() == kMostFrames || !usable(dst))
            return;
        DdFrameInfo info = in_.take<DdFrameInfo>();
        info.size = in_.below(16) ? sizeof(info) : in_.take<std::uint8_t>();
        info.dst = pictures_[dst];
        for (DdPicture *&ref : info.ref) {
            const unsigned index = in_.below(kPictures + 1);
            ref = index < kPictures && index != dst && usable(index) ? pictures_[index] : nullptr;
        }
        info.recorders = in_.below(16) ? 1 + info.recorders % 4 : info.recorders;
        info.cpu_only = in_.below(8) == 0;
        DdFrame *frame = nullptr;
        if (dd_frame_begin(session_, &info, &frame) == DD_OK)
            frames_.push_back({frame, dst, false});
    }

    DdFrame *newest() { return frames_.empty() ? nullptr : frames_.back().frame; }

    void submit() {
        if (frames_.empty())
            return;
        dd_frame_submit(newest(), in_.below(5), static_cast<int>(in_.below(2)));
        frames_.back().submitted = true;
    }

    void await() { dd_frame_await_references(newest(), in_.take<std::uint8_t>()); }

    void end(DdOutcome outcome) {
        if (frames_.empty())
            return;
        if (in_.below(2))
            dd_frame_wait(frames_.front().frame);
        dd_frame_end(&frames_.front().frame, outcome);
        frames_.pop_front();
    }

    void stats() {
        DdStats stats = {};
        stats.size = in_.below(2) ? sizeof(stats) : in_.take<std::uint8_t>() % sizeof(stats);
        dd_session_stats(session_, &stats);
    }

    void filter() {
        if (codec_ == DD_CODEC_VP9) {
            dd_vp9_loop_filter(newest(), static_cast<const DdVp9FilterSuperblock *>(tables_.at(0)), in_.below(8),
                               in_.below(8), static_cast<const std::uint8_t *>(tables_.at(1)),
                               static_cast<const std::uint8_t *>(tables_.at(2)));
            return;
        }
        DdAv1Filters filters = in_.take<DdAv1Filters>();
        filters.size = sizeof(filters);
        filters.superblocks = static_cast<const DdAv1FilterBlock *>(tables_.at(0));
        filters.levels = static_cast<const std::uint8_t(*)[4]>(tables_.at(1 << 16));
        filters.level_stride %= 256;
        for (unsigned p = 0; p < 3; p++) {
            filters.units[p] = in_.below(2) ? static_cast<const DdAv1RestorationUnit *>(tables_.at(16)) : nullptr;
            filters.unit_cols[p] %= 8;
            filters.unit_rows[p] %= 8;
        }
        dd_av1_filters(newest(), &filters);
    }

    void place(DdVp9Residuals &residuals) {
        for (unsigned p = 0; p < 3; p++) {
            residuals.eobs[p] = tables_.at(p * 1024);
            residuals.coefs[p] = in_.below(2) ? tables_.at(1 << 16 | p << 14) : nullptr;
        }
    }

    void record_vp9() {
        DdVp9Recorder *recorder = dd_vp9_recorder(newest(), in_.below(4));
        switch (in_.below(5)) {
        case 0:
            dd_vp9_begin_block(recorder);
            break;
        case 1: {
            const auto prediction = in_.take<DdVp9Prediction>();
            dd_vp9_predict(recorder, &prediction);
            break;
        }
        case 2: {
            const auto block = in_.take<DdVp9Block>();
            dd_vp9_predict_block(recorder, &block);
            break;
        }
        case 3: {
            auto residuals = in_.take<DdVp9Residuals>();
            place(residuals);
            dd_vp9_take_residuals(recorder, &residuals);
            break;
        }
        default: {
            auto block = in_.take<DdVp9IntraBlock>();
            place(block.residuals);
            dd_vp9_intra_block(recorder, &block);
        }
        }
    }

    const DdAv1Warp *warp() { return in_.below(4) ? nullptr : static_cast<const DdAv1Warp *>(tables_.at(64)); }

    DdAv1Residual residual() {
        auto residual = in_.take<DdAv1Residual>();
        residual.coefs = tables_.at(1 << 16);
        residual.home = in_.below(2) ? tables_.at(1 << 17) : nullptr;
        return residual;
    }

    void record_av1() {
        DdFrame *frame = newest();
        DdAv1Recorder *recorder = dd_av1_recorder(frame, in_.below(4));
        switch (in_.below(8)) {
        case 0: {
            auto prediction = in_.take<DdAv1Prediction>();
            for (DdAv1Source &source : prediction.source)
                source.warp = warp();
            prediction.mask = static_cast<const std::uint8_t *>(tables_.at(0));
            dd_av1_predict(recorder, &prediction);
            break;
        }
        case 1: {
            const auto block = in_.take<DdAv1InterBlock>();
            dd_av1_predict_block(recorder, &block);
            break;
        }
        case 2: {
            auto overlap = in_.take<DdAv1Overlap>();
            for (DdAv1Source &source : overlap.source)
                source.warp = nullptr;
            dd_av1_overlap(recorder, &overlap);
            break;
        }
        case 3: {
            auto difference = in_.take<DdAv1Difference>();
            for (unsigned i = 0; i < 2; i++) {
                difference.source[i].warp = warp();
                difference.chroma_source[i].warp = warp();
            }
            dd_av1_difference(recorder, &difference);
            break;
        }
        case 4: {
            const DdAv1Residual one = residual();
            dd_av1_take_residual(recorder, &one);
            break;
        }
        case 5:
            dd_av1_cpu_share(recorder, in_.take<std::uint16_t>(), in_.take<std::uint16_t>(), in_.below(65),
                             in_.below(65));
            dd_av1_cpu_shares_complete(frame);
            break;
        default:
            dd_av1_give_back_residuals(frame);
            dd_av1_residuals_kept(recorder, in_.below(9));
            dd_av1_refuse(frame, static_cast<DdAv1Refusal>(in_.below(8)));
        }
    }

    DdSession *session_;
    Input &in_;
    DdCodec codec_;
    Tables tables_;
    DdPictureFormat format_{};
    std::array<DdPicture *, kPictures> pictures_{};
    std::deque<Open> frames_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    Input in({data, size});
    DdSessionOptions options = {};
    options.size = sizeof(options);
    options.codec = in.below(2) ? DD_CODEC_AV1 : DD_CODEC_VP9;
    DdSession *session = nullptr;
    if (dd_session_open(&session, devices()[in.below(3)], &options) != DD_OK)
        return 0;
    Run(session, in, options.codec).all();
    return 0;
}
