// SPDX-License-Identifier: BSD-2-Clause
//
// The driver copies and fills buffers with the tile buffer of the 3D engine: a frame whose render target is loaded
// from the source (or cleared) and stored to the destination, without a primitive. Such lists are carried out a row
// at a time; any other list is refused.
#include "transfer.h"

#include <cstring>

namespace v3dsim {
namespace {

// Packets that may occur in such lists, with their sizes including the opcode.
namespace packet {
enum : uint8_t {
    Halt = 0,
    Nop = 1,
    Flush = 4,
    FlushAll = 5,
    StartBinning = 6,
    IncrementSemaphore = 7,
    WaitSemaphore = 8,
    WaitFrame = 9,
    EndOfRendering = 13,
    Branch = 16,
    BranchSub = 17,
    Return = 18,
    FlushVcd = 19,
    GenericTileList = 20,
    BranchImplicitTile = 21,
    SupertileCoordinates = 23,
    ClearTargets = 25,
    EndOfLoads = 26,
    EndOfTile = 27,
    Store = 29,
    Load = 30,
    OcclusionCounter = 92,
    NumberOfLayers = 119,
    BinningConfig = 120,
    RenderConfig = 121,
    SupertileConfig = 122,
    TileListBase = 123,
    TileCoordinates = 124,
    TileCoordinatesImplicit = 125,
    InitialBlockSize = 126
};
}

unsigned packet_size(uint8_t opcode) {
    switch (opcode) {
    case packet::Halt:
    case packet::Nop:
    case packet::Flush:
    case packet::FlushAll:
    case packet::StartBinning:
    case packet::IncrementSemaphore:
    case packet::WaitSemaphore:
    case packet::WaitFrame:
    case packet::EndOfRendering:
    case packet::Return:
    case packet::FlushVcd:
    case packet::ClearTargets:
    case packet::EndOfLoads:
    case packet::EndOfTile:
    case packet::TileCoordinatesImplicit:
        return 1;
    case packet::BranchImplicitTile:
    case packet::NumberOfLayers:
    case packet::InitialBlockSize:
        return 2;
    case packet::SupertileCoordinates:
        return 3;
    case packet::TileCoordinates:
        return 4;
    case packet::Branch:
    case packet::BranchSub:
    case packet::OcclusionCounter:
    case packet::TileListBase:
        return 5;
    case packet::GenericTileList:
    case packet::BinningConfig:
    case packet::RenderConfig:
    case packet::SupertileConfig:
        return 9;
    case packet::Store:
    case packet::Load:
        return 13;
    default:
        return 0;
    }
}

uint32_t word_at(const uint8_t *p) {
    uint32_t value;
    std::memcpy(&value, p, 4);
    return value;
}

uint64_t long_at(const uint8_t *p) {
    uint64_t value;
    std::memcpy(&value, p, 8);
    return value;
}

// A load or store of the tile buffer.
struct TileAccess {
    uint32_t buffer, memory_format, pixel_format, stride, address;
    bool plain; // no flip, swap, decimation or dithering
};

constexpr uint32_t no_buffer = 8, raster = 0;

TileAccess parse_tile_access(const uint8_t *p) {
    const uint32_t low = word_at(p);
    TileAccess a;
    a.buffer = low & 15;
    a.memory_format = low >> 4 & 7;
    a.pixel_format = low >> 12 & 63;
    a.plain = !(low & 0xf80) && !(low & 0x180000);
    a.stride = static_cast<uint32_t>(long_at(p) >> 28 & 0xfffff);
    a.address = word_at(p + 8);
    return a;
}

// Bytes of a pixel of the formats that copies use (rgba8ui, rg8ui, r8ui); 0 for others.
unsigned pixel_bytes(uint32_t format) {
    constexpr struct {
        uint32_t format;
        unsigned bytes;
    } formats[] = {{34, 4}, {35, 2}, {36, 1}};
    for (const auto &f : formats)
        if (f.format == format)
            return f.bytes;
    return 0;
}

class ListRunner {
  public:
    ListRunner(Memory &memory, std::string *error) : memory_(memory), error_(error) {}

    // The binning list must not draw anything.
    bool check_binning(uint32_t start, uint32_t end) {
        return walk(start, end, [](uint8_t, const uint8_t *, uint32_t) { return true; });
    }

    bool render(uint32_t start, uint32_t end) {
        return walk(start, end, [this](uint8_t opcode, const uint8_t *p, uint32_t) {
            switch (opcode) {
            case packet::RenderConfig:
                configure(p);
                return true;
            case packet::GenericTileList:
                tile_list_start_ = word_at(p);
                tile_list_end_ = word_at(p + 4);
                return true;
            case packet::SupertileCoordinates:
                // The whole frame is done at once, when its first part is asked for.
                if (done_ == tile_list_start_)
                    return true;
                done_ = tile_list_start_;
                return run_tile_list();
            case packet::Store:
                return parse_tile_access(p).buffer == no_buffer || refuse("a store outside a tile list");
            case packet::Load:
                return refuse("a load outside a tile list");
            default:
                return true;
            }
        });
    }

  private:
    bool refuse(const std::string &what) {
        *error_ = "a command list of the 3D engine is not a buffer copy or fill: " + what + " is not implemented";
        return false;
    }

    template <typename F>
    bool walk(uint32_t at, uint32_t end, F &&visit) {
        for (unsigned steps = 0; at != end; steps++) {
            if (steps > 1000000 || !memory_.mapped(at, 1))
                return refuse("a list without an end");
            const uint8_t opcode = memory_.base()[at];
            const unsigned size = packet_size(opcode);
            if (!size)
                return refuse("packet " + std::to_string(opcode));
            if (!memory_.mapped(at, size))
                return refuse("a list without an end");
            const uint8_t *p = memory_.base() + at + 1;
            if (opcode == packet::Halt || opcode == packet::EndOfRendering || opcode == packet::Return)
                return true;
            if (opcode == packet::Branch) {
                at = word_at(p);
                continue;
            }
            if (opcode == packet::BranchSub)
                return refuse("a sub-list");
            if (!visit(opcode, p, at))
                return false;
            at += size;
        }
        return true;
    }

    void configure(const uint8_t *p) {
        const uint64_t bits = long_at(p);
        switch (bits & 7) {
        case 0: // common
            width_ = bits >> 8 & 0xffff;
            height_ = bits >> 24 & 0xffff;
            break;
        case 2: // render target, low part of the clear colour
            if ((bits >> 3 & 7) == 0)
                clear_ = static_cast<uint32_t>(bits >> 32);
            break;
        default:
            break;
        }
    }

    bool run_tile_list() {
        bool loaded = false;
        TileAccess source{};
        return walk(tile_list_start_, tile_list_end_, [&](uint8_t opcode, const uint8_t *p, uint32_t) {
            if (opcode != packet::Load && opcode != packet::Store)
                return true;
            const TileAccess a = parse_tile_access(p);
            if (a.buffer == no_buffer)
                return true;
            if (a.buffer != 0 || a.memory_format != raster || !a.plain || !pixel_bytes(a.pixel_format))
                return refuse("a load or store of an image");
            if (opcode == packet::Load) {
                loaded = true;
                source = a;
                return true;
            }
            if (loaded && source.pixel_format != a.pixel_format)
                return refuse("a format conversion");
            return copy(loaded ? &source : nullptr, a);
        });
    }

    bool copy(const TileAccess *source, const TileAccess &dest) {
        const uint32_t row = width_ * pixel_bytes(dest.pixel_format);
        for (uint32_t y = 0; y < height_; y++) {
            const uint32_t to = dest.address + y * dest.stride,
                           from = source ? source->address + y * source->stride : to;
            if (!memory_.mapped(to, row) || !memory_.mapped(from, row))
                return refuse("an access outside any buffer object");
            if (source) {
                std::memmove(memory_.base() + to, memory_.base() + from, row);
                continue;
            }
            for (uint32_t x = 0; x < row; x += 4)
                std::memcpy(memory_.base() + to + x, &clear_, row - x < 4 ? row - x : 4);
        }
        return true;
    }

    Memory &memory_;
    std::string *error_;
    uint32_t width_ = 0, height_ = 0, clear_ = 0, tile_list_start_ = 0, tile_list_end_ = 0, done_ = 0;
};

} // namespace

bool run_command_list(Memory &memory, const uapi::SubmitClArgs &list, std::string *error) {
    ListRunner runner(memory, error);
    return runner.check_binning(list.bcl_start, list.bcl_end) && runner.render(list.rcl_start, list.rcl_end);
}

bool run_texture_format(Memory &, const uapi::SubmitTfuArgs &, std::string *error) {
    *error = "jobs of the texture formatting unit (copies of images) are not implemented";
    return false;
}

} // namespace v3dsim
