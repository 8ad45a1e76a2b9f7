// SPDX-License-Identifier: BSD-2-Clause
//
// Random VP9 frames: calls as a decoder makes them, and the batch that was recorded from them.
#pragma once
#include "batch/vp9_batch.h"

#include <cstddef>
#include <memory>
#include <random>
#include <vector>

namespace dd::test {

using Random = std::mt19937;

// From DAEDALUS_SEED, else the test program's own seed. Tests print it.
std::uint32_t seed();

// A picture's buffer, aligned as SIMD code wants it.
class HostPicture {
  public:
    HostPicture() = default;
    explicit HostPicture(const PictureLayout &layout);
    std::byte *data() { return bytes_.get(); }
    const std::byte *data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }
    void copy_from(const HostPicture &other);

  private:
    struct Free {
        void operator()(std::byte *p) const;
    };
    std::unique_ptr<std::byte[], Free> bytes_;
    std::size_t size_ = 0;
};

// How pixels and values are drawn.
enum class Content { noise, smooth, extreme };

struct FrameOptions {
    PictureFormat format;
    Content content = Content::noise;
    bool scaled = false; // some references are of another size
    unsigned recorders = 1;
};

struct RandomResidual {
    Vp9Residual call;
    std::vector<std::byte> coefs; // what call.coefs points to
};

struct RandomFrame {
    FrameOptions options;
    PictureLayout layout;
    dd::Vp9References ref_layout;
    HostPicture start; // the picture being decoded, before
    std::array<HostPicture, DD_MAX_REFS> ref;

    std::vector<Vp9Prediction> predictions; // a block's first ones, then its second ones
    std::vector<RandomResidual> residuals;
    std::vector<DdLfSuperblock> superblocks; // as a decoder gives them: also edges on the picture's border
    std::array<std::uint8_t, DD_LF_LEVELS> limit{}, mblimit{};

    Vp9Batch batch;
};

RandomFrame make_frame(Random &random, const FrameOptions &options);
// Each adds to frame.batch.
void add_predictions(Random &random, RandomFrame &frame);
void add_residuals(Random &random, RandomFrame &frame);
void add_loop_filter(Random &random, RandomFrame &frame);

} // namespace dd::test
