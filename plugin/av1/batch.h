// SPDX-License-Identifier: BSD-2-Clause
//
// The batch of one AV1 frame: its predictions, and the tables of its in-loop filters. Filled once, then immutable
// until the frame is done. It knows no Vulkan.
#pragma once
#include "av1/recorder.h"
#include "batch/picture_layout.h"
#include "common/av1_records.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace dd {

struct Av1RestorationUnit {
    std::uint8_t kind = 0;                               // DD_AV1_UNIT_*
    std::uint8_t set = 0;                                // self-guided: row of the table in clause 7.17.3
    std::array<std::int8_t, 3> horizontal{}, vertical{}; // Wiener: outer taps
    std::array<std::int8_t, 2> weight{};                 // self-guided, as coded
};

// The set of a self-guided filter, of its strengths as kernels read them (word 1 of a unit's record).
unsigned av1_self_guided_set(std::uint32_t strengths);

struct Av1PlaneUnits {
    std::span<const Av1RestorationUnit> units; // empty: the plane isn't restored
    unsigned cols = 0, rows = 0, log2 = 0;
};

// What the decoder has of a frame's in-loop filters.
struct Av1FilterTables {
    std::span<const std::uint32_t> superblocks; // DD_AV1_SB_WORDS each, raster
    std::span<const std::uint32_t> levels;      // as DdAv1FilterParams::levels
    unsigned level_stride = 0;
    bool deblock_luma = false, deblock_chroma = false;
    unsigned sharpness = 0;
    bool cdef = false;
    unsigned cdef_damping = 3;
    std::array<std::uint8_t, 8> cdef_luma{}, cdef_chroma{};
    std::array<Av1PlaneUnits, 3> restoration;
};

// The filters of one frame in the form that kernels and the scalar reference read.
class Av1Filters {
  public:
    // False: the tables don't fit the picture; nothing is filtered then.
    bool set(const PictureLayout &dst, const Av1FilterTables &tables);
    // The same without a copy of superblocks and levels, which have to stay as long as anything reads the filters.
    bool refer(const PictureLayout &dst, const Av1FilterTables &tables);
    void clear();

    bool deblock() const { return params_.deblock != 0; }
    bool cdef() const { return cdef_; }
    bool restoration() const { return params_.restored != 0; }
    bool self_guided() const { return self_guided_; } // a restoration unit is
    bool any() const { return deblock() || cdef() || restoration(); }
    const DdAv1FilterParams &params() const { return params_; }
    // In the order in which kernels have them, behind the parameters. DdAv1FilterParams says where each begins.
    std::span<const std::uint32_t> words() const { return words_; } // constants and restoration units
    std::span<const std::uint32_t> superblocks() const { return superblocks_.words(); }
    std::span<const std::uint32_t> levels() const { return levels_.words(); }
    std::size_t bytes() const { return words().size_bytes() + superblocks().size_bytes() + levels().size_bytes(); }
    // 8x8 blocks of luma, for which the CDEF pass needs a word each behind the pixels of scratch A.
    std::uint32_t blocks() const { return params_.w8 * params_.h8; }

  private:
    // The caller's, or a copy.
    struct Table {
        std::span<const std::uint32_t> view;
        std::vector<std::uint32_t> copy;
        std::span<const std::uint32_t> words() const { return copy.empty() ? view : copy; }
        void keep() {
            copy.assign(view.begin(), view.end());
            view = {};
        }
    };
    void set_cdef(const Av1FilterTables &tables);
    bool set_restoration(const PictureLayout &dst, const Av1FilterTables &tables);

    DdAv1FilterParams params_{};
    std::vector<std::uint32_t> words_;
    Table superblocks_, levels_;
    bool cdef_ = false, self_guided_ = false;
};

struct Av1Batch {
    PictureLayout dst;
    Av1Recon recon;
    Av1Filters filters;
};

} // namespace dd
