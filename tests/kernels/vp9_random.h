// SPDX-License-Identifier: BSD-2-Clause
//
// Random VP9 frames: calls as a decoder makes them, and the batch that was recorded from them.
#pragma once
#include "vp9/batch.h"

#include <cstddef>
#include <memory>
#include <random>
#include <vector>

namespace dd::test {

using Random = std::mt19937;

// From DAEDALUS_SEED, else the test program's own seed. Tests print it.
std::uint32_t seed();

inline unsigned below(Random &random, unsigned n) {
    return random() % n;
}
inline bool chance(Random &random, unsigned percent) {
    return below(random, 100) < percent;
}
inline int between(Random &random, int low, int high) {
    return low + static_cast<int>(below(random, static_cast<unsigned>(high - low + 1)));
}
// A coefficient whose magnitude is anything from 1 to the largest allowed.
std::int64_t random_coefficient(Random &random, unsigned depth);

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

struct RandomIntraBlock {
    DdVp9IntraBlock call; // without pointers: `eobs` and `coefs` have what they would point to, or nothing
    unsigned width, height;
    unsigned tile_left; // where its tile column begins
    std::array<std::vector<std::byte>, 3> eobs, coefs;
};

struct RandomFrame {
    FrameOptions options;
    PictureLayout layout;
    dd::Vp9References ref_layout;
    HostPicture start; // the picture being decoded, before
    std::array<HostPicture, DD_MAX_REFS> ref;

    std::vector<Vp9Prediction> predictions; // a block's first ones, then its second ones
    std::vector<RandomResidual> residuals;
    std::vector<RandomIntraBlock> intra;     // in the order of decoding
    std::vector<DdLfSuperblock> superblocks; // as a decoder gives them: also edges on the picture's border
    std::array<std::uint8_t, DD_LF_LEVELS> limit{}, mblimit{};

    Vp9Batch batch;
};

RandomFrame make_frame(Random &random, const FrameOptions &options);
// Each adds to frame.batch.
void add_predictions(Random &random, RandomFrame &frame);
void add_residuals(Random &random, RandomFrame &frame);
// Tile columns are as many as there are recorders, or superblocks. Works on the picture that the others have left.
void add_intra(Random &random, RandomFrame &frame);
void add_loop_filter(Random &random, RandomFrame &frame);

} // namespace dd::test
