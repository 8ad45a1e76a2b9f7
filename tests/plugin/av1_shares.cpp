// SPDX-License-Identifier: BSD-2-Clause
//
// What is copied of an AV1 frame for the CPU's share in it: tiles against what intra prediction reads, a pixel at a
// time; frames in tiles against whole ones.
#include "av1/tile_sync.h"
#include "catch.h"
#include "kernels/av1_random.h"
#include "plugin/decoder.h"
#include "plugin/temporary.h"
#include "skip.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

using namespace dd;
using namespace dd::test;

namespace {

struct Block {
    unsigned x, y, w, h;
};

// As blocks lie: at multiples of their size.
Block random_share(Random &random, const PictureFormat &format, unsigned smallest_log2 = 2) {
    const auto side = [&] { return 1u << (smallest_log2 + below(random, 8 - smallest_log2)); };
    Block b{0, 0, side(), side()};
    b.w = std::min(b.w, b.h * 4);
    b.h = std::min(b.h, b.w * 4);
    b.x = below(random, (format.width + b.w - 1) / b.w) * b.w;
    b.y = below(random, (format.height + b.h - 1) / b.h) * b.h;
    return b;
}

// A picture's pixels, of which some are marked.
class Marks {
  public:
    explicit Marks(const PictureLayout &layout) : layout_(layout) {
        for (unsigned p = 0; p < layout.format.planes; p++)
            marked_[p].resize(std::size_t{layout.plane[p].padded_width} * layout.plane[p].padded_height);
    }
    void mark(unsigned plane, int x, int y, int w, int h) {
        const PlaneLayout &at = layout_.plane[plane];
        for (int row = std::max(y, 0); row < std::min(y + h, static_cast<int>(at.padded_height)); row++)
            for (int col = std::max(x, 0); col < std::min(x + w, static_cast<int>(at.padded_width)); col++)
                marked_[plane][static_cast<std::size_t>(row) * at.padded_width + static_cast<std::size_t>(col)] = true;
    }
    // Every pixel that is marked lies in a tile.
    bool covered_by(const TileList &tiles) const {
        const std::set<std::uint32_t> known(tiles.begin(), tiles.end());
        for (unsigned p = 0; p < layout_.format.planes; p++) {
            const unsigned width = kTileWidth >> (p ? layout_.format.ss_h : 0);
            const unsigned height = kTileHeight >> (p ? layout_.format.ss_v : 0);
            for (std::size_t i = 0; i < marked_[p].size(); i++) {
                const auto x = static_cast<unsigned>(i % layout_.plane[p].padded_width);
                const auto y = static_cast<unsigned>(i / layout_.plane[p].padded_width);
                if (marked_[p][i] && !known.contains(x / width | y / height << 16))
                    return false;
            }
        }
        return true;
    }

  private:
    PictureLayout layout_;
    std::array<std::vector<bool>, 3> marked_;
};

// A block of a plane, of transform blocks of w x h pixels. Each reads two of its widths above, two of its heights to
// the left, and the corner; but what lies to the right of the block is there for the first row of them alone, what
// lies below for the first column.
void predict(unsigned plane, const Block &b, unsigned w, unsigned h, Marks &read, Marks &written) {
    const auto as_int = [](unsigned value) { return static_cast<int>(value); };
    for (unsigned y = b.y; y < b.y + b.h; y += h)
        for (unsigned x = b.x; x < b.x + b.w; x += w) {
            const unsigned above = y == b.y ? 2 * w : std::min(2 * w, b.x + b.w - x);
            const unsigned left = x == b.x ? 2 * h : std::min(2 * h, b.y + b.h - y);
            read.mark(plane, as_int(x) - 1, as_int(y) - 1, as_int(above) + 1, 1);
            read.mark(plane, as_int(x) - 1, as_int(y) - 1, 1, as_int(left) + 1);
            read.mark(plane, as_int(x), as_int(y), as_int(w), as_int(h));
            written.mark(plane, as_int(x), as_int(y), as_int(w), as_int(h));
        }
}

void predict(const PictureFormat &format, const Block &b, unsigned split, Marks &read, Marks &written) {
    predict(0, b, std::max(b.w >> split, 4u), std::max(b.h >> split, 4u), read, written);
    const unsigned ss_h = format.ss_h, ss_v = format.ss_v;
    const bool has_chroma = (b.w > 4 || !ss_h || b.x & 4) && (b.h > 4 || !ss_v || b.y & 4);
    if (format.planes == 1 || !has_chroma)
        return;
    // Chroma has at least 4x4 pixels: those of the blocks before belong to it.
    const Block chroma{b.x >> ss_h & ~3u, b.y >> ss_v & ~3u, std::max(b.w >> ss_h, 4u), std::max(b.h >> ss_v, 4u)};
    for (unsigned plane = 1; plane < 3; plane++)
        predict(plane, chroma, std::max(chroma.w >> split, 4u), std::max(chroma.h >> split, 4u), read, written);
    // From luma, which may be the neighbours'.
    read.mark(0, static_cast<int>(chroma.x << ss_h), static_cast<int>(chroma.y << ss_v),
              static_cast<int>(chroma.w << ss_h), static_cast<int>(chroma.h << ss_v));
}

// `to` gets what `from` has in a block.
void copy_block(const PictureLayout &layout, const Block &b, const std::vector<std::byte> &from,
                std::vector<std::byte> &to) {
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const unsigned ss_h = p ? layout.format.ss_h : 0, ss_v = p ? layout.format.ss_v : 0;
        for (unsigned y = b.y >> ss_v; y < (b.y + b.h) >> ss_v; y++) {
            const std::size_t bytes = layout.bytes_per_pixel();
            const std::size_t at =
                layout.plane[p].offset + std::size_t{y} * layout.plane[p].stride + (b.x >> ss_h) * bytes;
            std::copy_n(from.data() + at, (b.w >> ss_h) * bytes, to.data() + at);
        }
    }
}

Block block_of_tile(std::uint32_t tile) {
    return {(tile & 0xffff) * kTileWidth, (tile >> 16) * kTileHeight, kTileWidth, kTileHeight};
}

enum class Extent { visible, padded };

bool same(const PictureLayout &layout, const std::vector<std::byte> &a, const std::vector<std::byte> &b,
          Extent extent = Extent::visible) {
    for (unsigned p = 0; p < layout.format.planes; p++) {
        const PlaneLayout &plane = layout.plane[p];
        const bool all = extent == Extent::padded;
        const std::size_t bytes = (all ? plane.padded_width : plane.width) * layout.bytes_per_pixel();
        for (unsigned y = 0; y < (all ? plane.padded_height : plane.height); y++) {
            const std::size_t at = plane.offset + std::size_t{y} * plane.stride;
            if (std::memcmp(a.data() + at, b.data() + at, bytes) != 0)
                return false;
        }
    }
    return true;
}

// A frame that is predicted, of which the CPU does some blocks, and that is filtered.
struct Scene {
    Scene(Random &random, const PictureFormat &format, unsigned shares)
        : filters(test::random_frame(random, format, Pixels::noise, 3)), layout(filters.layout),
          reference(test::random_pixels(random, layout)), stale(test::random_pixels(random, layout)),
          of_cpu(test::random_pixels(random, layout)) {
        for (unsigned y = 0; y < layout.plane[0].padded_height; y += 32)
            for (unsigned x = 0; x < layout.plane[0].padded_width; x += 32) {
                DdAv1InterBlock b{};
                b.x = static_cast<std::uint16_t>(x);
                b.y = static_cast<std::uint16_t>(y);
                b.w_log2 = b.h_log2 = 5;
                for (std::int16_t &mv : b.mv[0])
                    mv = static_cast<std::int16_t>(below(random, 400)) - 200;
                blocks.push_back(b);
            }
        for (unsigned i = 0; i < shares; i++)
            this->shares.push_back(random_share(random, format, 3));
    }

    DdAv1Filters for_decoder() const {
        DdAv1Filters t{};
        t.size = sizeof(t);
        t.superblocks = reinterpret_cast<const DdAv1FilterBlock *>(filters.superblocks.data());
        t.superblock_count = static_cast<std::uint32_t>(filters.superblocks.size() / DD_AV1_SB_WORDS);
        t.level_count = static_cast<std::uint32_t>(filters.levels.size());
        t.levels = reinterpret_cast<const std::uint8_t(*)[4]>(filters.levels.data());
        t.level_stride = filters.tables.level_stride;
        t.deblock_luma = filters.tables.deblock_luma;
        t.deblock_chroma = filters.tables.deblock_chroma;
        t.sharpness = static_cast<std::uint8_t>(filters.tables.sharpness);
        t.cdef = filters.tables.cdef;
        t.cdef_damping = static_cast<std::uint8_t>(filters.tables.cdef_damping);
        std::ranges::copy(filters.tables.cdef_luma, t.cdef_luma);
        std::ranges::copy(filters.tables.cdef_chroma, t.cdef_chroma);
        return t;
    }

    Av1RandomFrame filters;
    PictureLayout layout;
    std::vector<std::byte> reference, stale, of_cpu;
    std::vector<DdAv1InterBlock> blocks;
    std::vector<Block> shares;
};

constexpr unsigned kRecorders = 3;

struct Result {
    std::vector<std::byte> between, last; // the CPU's picture behind each phase
};

// `complete`: the decoder says that it has told all shares.
Result decode(DdSession *session, const Scene &scene, bool complete, bool filtered = true) {
    const PictureLayout &layout = scene.layout;
    const Picture reference = alloc_picture(session, layout.format), dst = alloc_picture(session, layout.format);
    write_pixels(reference.get(), layout, scene.reference);
    write_pixels(dst.get(), layout, scene.stale);
    DdFrameInfo info = frame_info(dst.get(), {reference.get()});
    info.recorders = kRecorders;
    info.filtered = filtered ? DD_AV1_FILTER_DEBLOCK | DD_AV1_FILTER_CDEF : 0;
    DdFrame *frame = nullptr;
    REQUIRE(dd_frame_begin(session, &info, &frame) == DD_OK);
    for (const DdAv1InterBlock &block : scene.blocks)
        REQUIRE(dd_av1_predict_block(dd_av1_recorder(frame, 0), &block) == DD_OK);
    unsigned n = 0;
    for (const Block &b : scene.shares)
        REQUIRE(dd_av1_cpu_share(dd_av1_recorder(frame, n++ % kRecorders), b.x, b.y, b.w, b.h) == DD_OK);
    if (complete)
        dd_av1_cpu_shares_complete(frame);
    REQUIRE(dd_frame_submit(frame, DD_PHASE_RECON, 0) == DD_OK);
    REQUIRE(dd_frame_wait(frame) == DD_OK);

    Result result;
    result.between = pixels_of(dst.get(), layout);
    std::vector<std::byte> pixels = result.between;
    for (const Block &b : scene.shares)
        copy_block(layout, b, scene.of_cpu, pixels);
    write_pixels(dst.get(), layout, pixels);
    const DdAv1Filters tables = scene.for_decoder();
    REQUIRE(dd_av1_filters(frame, &tables) == DD_OK);
    REQUIRE(dd_frame_submit(frame, DD_PHASE_FILTER, 1) == DD_OK);
    REQUIRE(dd_frame_wait(frame) == DD_OK);
    dd_frame_end(&frame, DD_OUTCOME_DONE);
    result.last = pixels_of(dst.get(), layout);
    return result;
}

// The tiles that a scene's shares read.
std::optional<TileList> tiles_of(const Scene &scene) {
    Av1TileSync shares;
    shares.reset(scene.layout, 1);
    for (const Block &b : scene.shares)
        REQUIRE(shares.add(0, b.x, b.y, b.w, b.h));
    shares.complete();
    return shares.make_lists() ? std::optional(shares.read()) : std::nullopt;
}

constexpr const char *kAllOnGpu = "mc=gpu,itx=gpu,lf=gpu,cdef=gpu,lr=gpu";

} // namespace

TEST_CASE("Tiles cover what the CPU reads and writes of its blocks", "[shares]") {
    Random random(test_seed());
    for (unsigned n = 0; n < 400; n++) {
        const unsigned ss = below(random, 4);
        const PictureFormat picture{1 + below(random, 700),
                                    1 + below(random, 500),
                                    8,
                                    ss > 0,
                                    ss > 1,
                                    static_cast<std::uint8_t>(ss == 3 ? 1 : 3)};
        const PictureLayout layout = make_picture_layout(picture, 128);
        Av1TileSync shares;
        shares.reset(layout, kRecorders);
        Marks read(layout), written(layout);
        for (unsigned i = 0; i < 1 + n % 4; i++) {
            const Block b = random_share(random, picture);
            REQUIRE(shares.add(i % kRecorders, b.x, b.y, b.w, b.h));
            predict(picture, b, below(random, 3), read, written);
        }
        shares.complete();
        if (!shares.make_lists())
            continue;
        CAPTURE(n, picture.width, picture.height, ss);
        REQUIRE(read.covered_by(shares.read()));
        REQUIRE(written.covered_by(shares.written()));
        REQUIRE(std::ranges::includes(shares.read(), shares.written()));
    }
}

TEST_CASE("Shares are few, complete, or not asked for", "[shares]") {
    const PictureLayout layout = make_picture_layout({300, 200, 8, 1, 1, 3}, 128); // six columns, sixteen rows
    Av1TileSync shares;
    shares.reset(layout, 2);
    REQUIRE(shares.add(1, 64, 32, 16, 16));
    REQUIRE_FALSE(shares.make_lists());
    shares.complete();
    REQUIRE(shares.make_lists());
    REQUIRE(shares.written() == TileList{1 | 2 << 16});
    REQUIRE(shares.read() == TileList{0 | 1 << 16, 1 | 1 << 16, 0 | 2 << 16, 1 | 2 << 16, 0 | 3 << 16});
    REQUIRE_FALSE(shares.add(1, 64, 32, 16, 16)); // too late

    shares.reset(layout, 2); // none at all
    shares.complete();
    REQUIRE(shares.make_lists());
    REQUIRE(shares.read().empty());

    shares.reset(layout, 2); // more than half
    REQUIRE(shares.add(0, 0, 0, 128, 128));
    REQUIRE(shares.add(0, 128, 0, 128, 128));
    REQUIRE(shares.add(0, 256, 0, 128, 128));
    REQUIRE(shares.add(0, 0, 128, 64, 64));
    shares.complete();
    REQUIRE_FALSE(shares.make_lists());

    shares.reset(layout, 2);
    for (const Block &b : {Block{384, 0, 16, 16}, Block{0, 256, 16, 16}, Block{320, 0, 128, 16}, Block{0, 0, 256, 16},
                           Block{0, 0, 0, 16}, Block{2, 0, 16, 16}, Block{0xfffffffc, 0, 8, 16}})
        REQUIRE_FALSE(shares.add(0, b.x, b.y, b.w, b.h));
    REQUIRE_FALSE(shares.add(2, 0, 0, 16, 16));
    shares.reset(layout, 0);
    REQUIRE(shares.add(2, 0, 0, 16, 16));
    shares.complete();
    REQUIRE_FALSE(shares.make_lists());
}

TEST_CASE("A frame whose shares are copied in tiles is that of whole copies", "[shares]") {
    const Environment strategy("DAEDALUS_MEMORY", "discrete");
    Random random(test_seed());
    const PictureFormat picture = GENERATE(format(500, 300), format(330, 260, 10), format(260, 390, 8, 0, 0),
                                           format(400, 257, 12, 1, 0), PictureFormat{300, 300, 8, 1, 1, 1});
    LogLines log;
    const Device device = open_device(log, kAllOnGpu);
    const Session session = open_session(device.get(), DD_CODEC_AV1);
    for (const unsigned count : {0u, 1u, 3u, 3u}) {
        Scene scene(random, picture, count);
        auto tiles = tiles_of(scene);
        while (!tiles && !scene.shares.empty()) {
            scene.shares.pop_back();
            tiles = tiles_of(scene);
        }
        REQUIRE(tiles);
        const Result whole = decode(session.get(), scene, false), some = decode(session.get(), scene, true);
        std::vector<std::byte> expected = scene.stale; // nothing else is touched
        for (const std::uint32_t tile : *tiles)
            copy_block(scene.layout, block_of_tile(tile), whole.between, expected);
        CAPTURE(picture.width, picture.bit_depth, count, tiles->size());
        REQUIRE_FALSE(same(scene.layout, whole.between, scene.stale));
        REQUIRE(same(scene.layout, some.between, expected, Extent::padded));
        REQUIRE(same(scene.layout, whole.last, some.last));
    }
    REQUIRE(log.count(DD_LOG_WARNING) == 0);
    REQUIRE(session);
}

TEST_CASE("Where the CPU needs more than its blocks the picture is copied whole", "[shares]") {
    Random random(test_seed());
    Scene scene(random, format(300, 200), 0);
    scene.shares.push_back({64, 64, 32, 32});
    const TemporaryFolder folder;
    std::optional<Environment> saves;
    const char *memory = "discrete", *plan = kAllOnGpu;
    bool complete = true, filtered = true;
    SECTION("no copy for the GPU") {
        if (open_own_gpu()->info().copies_pictures)
            return skip("the device has memory of its own");
        memory = "";
    }
    SECTION("shares that were not called complete") {
        complete = false;
    }
    SECTION("residuals") {
        plan = "mc=gpu,itx=cpu,lf=gpu,cdef=gpu,lr=gpu";
    }
    SECTION("deblocking") {
        plan = "mc=gpu,itx=gpu,lf=cpu,cdef=gpu,lr=gpu";
    }
    SECTION("filters behind the GPU's") {
        plan = "mc=gpu,itx=gpu,lf=gpu,cdef=cpu,lr=cpu";
    }
    SECTION("all filters") {
        plan = "mc=gpu,itx=gpu,lf=cpu,cdef=cpu,lr=cpu";
    }
    SECTION("no filter") {
        filtered = false;
    }
    SECTION("too many shares") {
        for (const unsigned x : {0u, 128u, 256u})
            scene.shares.push_back({x, 0, 128, 128});
        scene.shares.push_back({0, 128, 128, 128});
    }
    SECTION("saved batches") {
        saves.emplace("DAEDALUS_SAVE_BATCH", folder.path().string());
    }
    const Environment strategy("DAEDALUS_MEMORY", memory);
    LogLines log;
    const Device device = open_device(log, plan);
    const Session session = open_session(device.get(), DD_CODEC_AV1);
    const Result result = decode(session.get(), scene, complete, filtered);
    const Environment unified("DAEDALUS_MEMORY", "");
    const Device other = open_device(log, kAllOnGpu);
    const Session whole = open_session(other.get(), DD_CODEC_AV1);
    REQUIRE(same(scene.layout, result.between, decode(whole.get(), scene, false).between));
}

TEST_CASE("A share that can't be, or that comes late, sends the frame to the CPU", "[shares]") {
    const Environment strategy("DAEDALUS_MEMORY", "discrete");
    const bool late = GENERATE(false, true);
    LogLines log;
    const Device device = open_device(log, kAllOnGpu);
    const Session session = open_session(device.get(), DD_CODEC_AV1);
    const Picture reference = alloc_picture(session.get(), format(100, 100));
    const Picture dst = alloc_picture(session.get(), format(100, 100));
    DdFrameInfo info = frame_info(dst.get(), {reference.get()});
    info.filtered = DD_AV1_FILTER_DEBLOCK;
    DdFrame *frame = nullptr;
    REQUIRE(dd_frame_begin(session.get(), &info, &frame) == DD_OK);
    REQUIRE(dd_av1_cpu_share(nullptr, 0, 0, 8, 8) == DD_ERR_INVALID);
    REQUIRE(dd_av1_cpu_share(dd_av1_recorder(frame, 0), 0, 0, 8, 8) == DD_OK);
    dd_av1_cpu_shares_complete(nullptr);
    if (late)
        dd_av1_cpu_shares_complete(frame);
    REQUIRE(dd_av1_cpu_share(dd_av1_recorder(frame, 0), late ? 0 : 1, 0, 8, 8) == DD_ERR_INVALID);
    REQUIRE(dd_frame_submit(frame, DD_PHASE_RECON, 0) == DD_ERR_INVALID);
    dd_frame_end(&frame, DD_OUTCOME_RERUN);
}

TEST_CASE("Filter tables that are shorter than the picture needs are refused", "[filters]") {
    Random random(test_seed());
    const Scene scene(random, format(300, 200), 0);
    DdAv1Filters tables = scene.for_decoder();
    int expected = DD_ERR_INVALID;
    SECTION("superblocks") {
        tables.superblock_count = 5; // three by two
    }
    SECTION("levels") {
        tables.level_count = tables.level_stride * (200 / 4) - 1;
    }
    SECTION("long enough") {
        tables.superblock_count = 6;
        tables.level_count = tables.level_stride * (200 / 4);
        expected = DD_OK;
    }
    SECTION("not said") {
        tables.superblock_count = tables.level_count = 0;
        expected = DD_OK;
    }
    LogLines log;
    const Device device = open_device(log, kAllOnGpu);
    const Session session = open_session(device.get(), DD_CODEC_AV1);
    const Picture reference = alloc_picture(session.get(), format(300, 200)),
                  dst = alloc_picture(session.get(), format(300, 200));
    DdFrameInfo info = frame_info(dst.get(), {reference.get()});
    info.filtered = DD_AV1_FILTER_DEBLOCK;
    DdFrame *frame = nullptr;
    REQUIRE(dd_frame_begin(session.get(), &info, &frame) == DD_OK);
    REQUIRE(dd_av1_filters(frame, &tables) == expected);
    dd_frame_end(&frame, DD_OUTCOME_RERUN);
}
