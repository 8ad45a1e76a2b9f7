// SPDX-License-Identifier: BSD-2-Clause
//
// A frame's worth of work for one kernel: as a batch for the GPU, and as calls of FFmpeg's (VP9) or dav1d's (AV1) DSP
// functions on one core.
#pragma once
#include "av1/batch.h"
#include "dav1d_av1.h"
#include "ffmpeg_vp9.h"
#include "vp9/batch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace bench {

// Memory for planes: SIMD code wants whole cache lines.
class PixelBuffer {
  public:
    static constexpr std::align_val_t kAlign{64};
    PixelBuffer() = default;
    explicit PixelBuffer(std::size_t size)
        : data_(static_cast<std::byte *>(::operator new(size, kAlign)), Free{}), size_(size) {}
    std::byte *data() const { return data_.get(); }
    std::size_t size() const { return size_; }

  private:
    struct Free {
        void operator()(std::byte *data) const { ::operator delete(data, kAlign); }
    };
    std::unique_ptr<std::byte, Free> data_;
    std::size_t size_ = 0;
};

// Both decoders' functions for one bit depth.
class Dsp {
  public:
    Dsp(int bit_depth, bool simd)
        : vp9_(ffmpeg_vp9_open(bit_depth, simd)), av1_(dav1d_av1_open(bit_depth, simd)), simd_(simd) {
        if (!vp9_ || !av1_)
            throw std::bad_alloc();
    }
    FfmpegVp9 *vp9() const { return vp9_.get(); }
    const Dav1dAv1 *av1() const { return av1_.get(); }
    bool simd() const { return simd_; }

  private:
    struct Close {
        void operator()(FfmpegVp9 *dsp) const { ffmpeg_vp9_close(&dsp); }
        void operator()(Dav1dAv1 *dsp) const { dav1d_av1_close(&dsp); }
    };
    std::unique_ptr<FfmpegVp9, Close> vp9_;
    std::unique_ptr<Dav1dAv1, Close> av1_;
    bool simd_;
};

enum class Phase : unsigned { recon, filter };

struct Work {
    std::string name;
    Phase phase = Phase::recon;
    std::variant<dd::Vp9Batch, dd::Av1Batch> batch;
    PixelBuffer before;                              // the picture that the work changes
    std::array<PixelBuffer, dd::kAv1Refs> reference; // by slot, as reference_layout() says; empty: none
    double pixels = 0;                               // that the work covers
    double blocks = 0;                               // blocks or superblocks
    // The CPU's side. `prepare` brings back what `run` uses up; it is not part of the time.
    std::function<void()> prepare = [] {};
    std::function<void(const Dsp &, std::byte *dst)> run;

    const dd::PictureLayout &layout() const {
        return std::visit([](const auto &b) -> const dd::PictureLayout & { return b.dst; }, batch);
    }
    const dd::PictureLayout &reference_layout(unsigned slot) const {
        const auto *vp9 = std::get_if<dd::Vp9Batch>(&batch);
        return vp9 ? vp9->ref[slot] : layout();
    }
    // The first row in which two results differ; empty: none. Padding counts, but for the filters of AV1, which leave
    // it to each implementation.
    std::string difference(const std::byte *a, const std::byte *b) const;
};

struct Scene {
    dd::PictureFormat format;
    unsigned seed = 1;
};

using Random = std::mt19937;

// A picture with slopes, edges and noise, so that loop filters find something to do. Its slack is filled too.
void paint(const dd::PictureLayout &layout, Random &random, PixelBuffer &pixels);

struct Kernel {
    std::string name;
    std::function<Work(const Scene &)> make;
};
// Every kernel that can be benched alone on random work.
std::vector<Kernel> kernels();

// The stages of a saved batch (.ddb), one work each. Predictions from references of another size are left out: FFmpeg's
// functions for them take other arguments. Throws where the file can't be read.
std::vector<Work> replayed_work(const std::string &path);

// Parts of the list, by stage.
void add_mc_kernels(std::vector<Kernel> &list);
void add_itx_kernels(std::vector<Kernel> &list);
void add_lf_kernels(std::vector<Kernel> &list);
void add_av1_mc_kernels(std::vector<Kernel> &list);
void add_av1_itx_kernels(std::vector<Kernel> &list);
void add_av1_deblock_kernels(std::vector<Kernel> &list);
void add_av1_cdef_kernels(std::vector<Kernel> &list);
void add_av1_restoration_kernels(std::vector<Kernel> &list);

} // namespace bench
