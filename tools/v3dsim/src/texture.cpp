// SPDX-License-Identifier: BSD-2-Clause
//
// Texel fetches, image loads, stores and atomics: level 0 of 1D images and texel buffers (in raster order) and of
// tiled 2D images and their layers. Sampling with filters is not implemented.
#include "half.h"
#include "tmu.h"

#include <cstring>

namespace v3dsim {
namespace {

enum class Channels : uint8_t { Unsigned, Signed, Unorm, Snorm, Half, Float };

struct Format {
    uint8_t type, bytes, count, bits; // of a texel; channels; bits of a channel
    Channels channels;
};

constexpr Format formats[] = {
    {0, 1, 1, 8, Channels::Unorm},       {1, 1, 1, 8, Channels::Snorm},       {2, 2, 2, 8, Channels::Unorm},
    {3, 2, 2, 8, Channels::Snorm},       {4, 4, 4, 8, Channels::Unorm},       {5, 4, 4, 8, Channels::Snorm},
    {10, 2, 1, 16, Channels::Unorm},     {11, 2, 1, 16, Channels::Snorm},     {12, 4, 2, 16, Channels::Unorm},
    {13, 4, 2, 16, Channels::Snorm},     {14, 8, 4, 16, Channels::Unorm},     {15, 8, 4, 16, Channels::Snorm},
    {16, 2, 1, 16, Channels::Half},      {17, 4, 2, 16, Channels::Half},      {18, 8, 4, 16, Channels::Half},
    {29, 4, 1, 32, Channels::Float},     {30, 8, 2, 32, Channels::Float},     {31, 16, 4, 32, Channels::Float},
    {96, 1, 1, 8, Channels::Signed},     {97, 1, 1, 8, Channels::Unsigned},   {98, 2, 2, 8, Channels::Signed},
    {99, 2, 2, 8, Channels::Unsigned},   {100, 4, 4, 8, Channels::Signed},    {101, 4, 4, 8, Channels::Unsigned},
    {102, 2, 1, 16, Channels::Signed},   {103, 2, 1, 16, Channels::Unsigned}, {104, 4, 2, 16, Channels::Signed},
    {105, 4, 2, 16, Channels::Unsigned}, {106, 8, 4, 16, Channels::Signed},   {107, 8, 4, 16, Channels::Unsigned},
    {108, 4, 1, 32, Channels::Signed},   {109, 4, 1, 32, Channels::Unsigned}, {110, 8, 2, 32, Channels::Signed},
    {111, 8, 2, 32, Channels::Unsigned}, {112, 16, 4, 32, Channels::Signed},  {113, 16, 4, 32, Channels::Unsigned}};

const Format *find_format(uint32_t type) {
    for (const Format &f : formats)
        if (f.type == type)
            return &f;
    return nullptr;
}

uint32_t field_of(const uint32_t *words, unsigned start, unsigned size) {
    uint64_t value = words[start / 32];
    if (start % 32 + size > 32)
        value |= uint64_t{words[start / 32 + 1]} << 32;
    return static_cast<uint32_t>(value >> (start % 32) & ((uint64_t{1} << size) - 1));
}

// The texture state in memory that the first configuration word points to.
struct Texture {
    uint32_t base, array_stride, width, height, depth, base_level, max_level, pad_blocks;
    bool strictly_uif, exclusive_or, reversed, swapped;
    uint8_t swizzle[4];
    const Format *format;
};

bool refuse(Thread &t, const std::string &what) {
    t.error = "texture access: " + what + " is not implemented";
    return false;
}

bool read_state(Thread &t, const Memory &memory, uint32_t address, Texture *x) {
    uint32_t w[6];
    if (!memory.mapped(address, sizeof w)) {
        t.error = "texture state outside any buffer object";
        return false;
    }
    std::memcpy(w, memory.base() + address, sizeof w);
    x->base = w[0] & ~63u;
    x->array_stride = field_of(w, 33, 24) * 64;
    x->width = field_of(w, 58, 14);
    x->height = field_of(w, 72, 14);
    x->depth = field_of(w, 86, 14);
    x->base_level = field_of(w, 124, 4);
    x->max_level = field_of(w, 120, 4);
    const bool extended = field_of(w, 107, 1);
    x->pad_blocks = extended ? field_of(w, 128, 4) : 0;
    x->strictly_uif = extended && field_of(w, 134, 1);
    x->exclusive_or = extended && field_of(w, 132, 1);
    x->reversed = w[0] >> 5 & 1;
    x->swapped = field_of(w, 32, 1);
    for (unsigned c = 0; c < 4; c++)
        x->swizzle[c] = static_cast<uint8_t>(field_of(w, 108 + 3 * c, 3));
    const uint32_t type = field_of(w, 100, 7);
    x->format = find_format(type);
    if (!x->format)
        return refuse(t, "texel type " + std::to_string(type));
    if (x->base_level || x->max_level)
        return refuse(t, "an image with several levels");
    if (w[0] >> 2 & 7)
        return refuse(t, "a transfer function");
    if (w[0] & 3)
        return refuse(t, "a flipped image");
    return true;
}

// Texels lie in 64-byte tiles, in raster order inside each.
unsigned tile_width(unsigned bytes) {
    return bytes <= 2 ? 8 : bytes <= 8 ? 4 : 2;
}
unsigned tile_height(unsigned bytes) {
    return bytes == 1 ? 8 : bytes <= 4 ? 4 : 2;
}

// Byte offset of a texel of a tiled 2D image. Small images are a row or column of tiles, or one or two columns of
// blocks of 2x2 tiles; larger ones have columns of four blocks, each column from top to bottom.
uint32_t tiled_offset(const Texture &x, uint32_t px, uint32_t py) {
    const unsigned bytes = x.format->bytes, tw = tile_width(bytes), th = tile_height(bytes);
    const unsigned in_tile = (px % tw) * bytes + (py % th) * tw * bytes;
    if (!x.strictly_uif && (x.width <= tw || x.height <= th))
        return 64 * (px / tw + py / th) + in_tile;
    const unsigned in_block = (px / tw & 1) * 64 + (py / th & 1) * 128 + in_tile;
    const uint32_t bx = px / (2 * tw);
    uint32_t by = py / (2 * th);
    if (!x.strictly_uif && x.width <= 2 * tw)
        return 256 * by + in_block;
    if (!x.strictly_uif && x.width <= 4 * tw)
        return 256 * (2 * by + bx) + in_block;
    const uint32_t rows = (x.height + 2 * th - 1) / (2 * th) + x.pad_blocks, column = bx / 4;
    if (x.exclusive_or && (column & 1))
        by ^= 16;
    return 256 * (column * rows * 4 + by * 4 + bx % 4) + in_block;
}

uint32_t sign_extend(uint32_t value, unsigned bits) {
    return bits == 32 ? value : static_cast<uint32_t>(static_cast<int32_t>(value << (32 - bits)) >> (32 - bits));
}

// One channel as the 32-bit value (integer or float) that a fetch returns.
uint32_t channel_value(const Format &f, const uint8_t *texel, unsigned channel) {
    const unsigned bytes = f.bits / 8;
    uint32_t raw = 0;
    std::memcpy(&raw, texel + channel * bytes, bytes);
    switch (f.channels) {
    case Channels::Unsigned:
    case Channels::Float:
        return raw;
    case Channels::Signed:
        return sign_extend(raw, f.bits);
    case Channels::Half:
        return std::bit_cast<uint32_t>(half_to_float(static_cast<uint16_t>(raw)));
    case Channels::Unorm:
        return std::bit_cast<uint32_t>(static_cast<float>(raw) / static_cast<float>((1u << f.bits) - 1));
    default: {
        const float value = static_cast<float>(static_cast<int32_t>(sign_extend(raw, f.bits))) /
                            static_cast<float>((1u << (f.bits - 1)) - 1);
        return std::bit_cast<uint32_t>(value < -1.0f ? -1.0f : value);
    }
    }
}

bool is_float(Channels c) {
    return c != Channels::Unsigned && c != Channels::Signed;
}

// The four channels after the swizzle (zero, one, red, green, blue, alpha).
void fetch(const Texture &x, const uint8_t *texel, uint32_t out[4]) {
    uint32_t channels[4] = {};
    const Format &f = *x.format;
    const uint32_t one = is_float(f.channels) ? std::bit_cast<uint32_t>(1.0f) : 1;
    for (unsigned c = 0; c < 4; c++)
        channels[c] = c < f.count ? channel_value(f, texel, x.reversed ? f.count - 1 - c : c) : c == 3 ? one : 0;
    if (x.swapped)
        std::swap(channels[0], channels[2]);
    for (unsigned c = 0; c < 4; c++)
        out[c] = x.swizzle[c] == 0 ? 0 : x.swizzle[c] == 1 ? one : x.swizzle[c] <= 5 ? channels[x.swizzle[c] - 2] : 0;
}

// Words that a fetch returns: one a channel, or two channels of 16 bits in each.
unsigned pack_result(const Texture &x, bool full, const uint32_t channels[4], uint32_t out[4]) {
    if (full) {
        std::memcpy(out, channels, 16);
        return 4;
    }
    for (unsigned w = 0; w < 2; w++) {
        uint32_t half[2];
        for (unsigned i = 0; i < 2; i++) {
            const uint32_t c = channels[2 * w + i];
            half[i] = is_float(x.format->channels) ? float_to_half(std::bit_cast<float>(c)) : c & 0xffff;
        }
        out[w] = half[0] | half[1] << 16;
    }
    return 2;
}

LaneMask bits_of(const Lanes &mask) {
    LaneMask bits = 0;
    for (unsigned l = 0; l < lanes; l++)
        bits |= static_cast<LaneMask>((mask[l] & 1) << l);
    return bits;
}

LaneMask whole_quads(LaneMask m) {
    for (unsigned q = 0; q < lanes; q += 4)
        if (m >> q & 15)
            m |= static_cast<LaneMask>(15u << q);
    return m;
}

// Everything about one access.
struct TexelAccess {
    Texture texture{};
    uint32_t op = tmu_op::Regular, return_words = 0;
    bool full_words = false, two_dimensional = false, write = false;
    LaneMask enabled = 0, helpers = 0;
    uint32_t address[lanes] = {};
};

bool configure(Thread &t, const RunContext &ctx, TexelAccess *a) {
    if (!t.tmu_config_count) {
        t.error = "texture access without a configuration";
        return false;
    }
    constexpr uint32_t per_pixel = 4, regular = tmu_op::Regular << 20;
    const uint32_t p0 = t.tmu_config[0], p1 = t.tmu_config_count > 1 ? t.tmu_config[1] : per_pixel;
    const uint32_t p2 = t.tmu_config_count > 2 ? t.tmu_config[2] : regular;
    a->return_words = p0 & 15;
    a->full_words = p1 & 1;
    a->op = p2 >> 20 & 15;
    a->write = t.tmu_data_count > 0 || (a->op != tmu_op::Regular);
    if (!(p1 & per_pixel) && !a->write)
        a->helpers = whole_quads(a->enabled) & static_cast<LaneMask>(~a->enabled);
    if (p2 & 0x070fffffu & ~0xfff00u) // gather, queries, coefficients, write conversion; the offsets are handled
        return refuse(t, "gathering, queries, coefficients or conversion on writing (" + std::to_string(p2) + ")");
    if (t.tmu_coordinates & (1 << 5 | 1 << 1))
        return refuse(t, "a comparison or a third coordinate");
    return read_state(t, *ctx.memory, p0 & ~15u, &a->texture);
}

int32_t offset_of(const Thread &t, unsigned axis, unsigned lane) {
    uint32_t packed = 0;
    if (t.tmu_config_count > 2)
        packed = t.tmu_config[2] >> (8 + 4 * axis) & 15;
    if (t.tmu_coordinates & 1 << 4)
        packed = t.tmu_offset[lane] >> (4 * axis) & 15;
    return static_cast<int32_t>(sign_extend(packed, 4));
}

// Addresses of the texels. What the device returns for a texel outside the image is not documented.
bool locate(Thread &t, const RunContext &ctx, const Lanes &s, TexelAccess *a) {
    const Texture &x = a->texture;
    a->two_dimensional = t.tmu_coordinates & 1;
    const uint64_t width = a->two_dimensional ? x.width : x.width | static_cast<uint64_t>(x.height) << 14;
    LaneMask ok = 0;
    for (unsigned l = 0; l < lanes; l++) {
        if (!((a->enabled | a->helpers) >> l & 1))
            continue;
        const auto px = static_cast<int64_t>(static_cast<int32_t>(s[l])) + offset_of(t, 0, l);
        const int64_t py =
            a->two_dimensional ? static_cast<int64_t>(static_cast<int32_t>(t.tmu_t[l])) + offset_of(t, 1, l) : 0;
        const uint32_t layer = t.tmu_coordinates & 1 << 2 ? t.tmu_i[l] : 0;
        const bool level0 = !(t.tmu_coordinates & 1 << 3) || t.tmu_b[l] == 0;
        const bool inside = px >= 0 && px < static_cast<int64_t>(width) && py >= 0 &&
                            (!a->two_dimensional || py < x.height) && layer < (x.depth ? x.depth : 1) && level0;
        if (!inside && (a->helpers >> l & 1))
            continue;
        if (!inside) {
            t.error = "texel " + std::to_string(px) + ", " + std::to_string(py) +
                      (layer ? ", " + std::to_string(layer) : "") + (level0 ? "" : " of another level") +
                      " outside the image of " + std::to_string(width) + "x" + std::to_string(x.height) +
                      " (workgroup " + std::to_string(t.workgroup[l]) + ", invocation " +
                      std::to_string(t.invocation[l]) + ")";
            return false;
        }
        a->address[l] = x.base + layer * x.array_stride +
                        (a->two_dimensional ? tiled_offset(x, static_cast<uint32_t>(px), static_cast<uint32_t>(py))
                                            : static_cast<uint32_t>(px) * x.format->bytes);
        if (!ctx.memory->mapped(a->address[l], x.format->bytes)) {
            t.error = "texel outside any buffer object";
            return false;
        }
        ok |= static_cast<LaneMask>(1u << l);
    }
    a->enabled = ok;
    a->helpers &= ok;
    return true;
}

void push(Thread &t, const Lanes &value, LaneMask undefined) {
    t.results[t.result_write & 63] = value;
    t.undefined_results[t.result_write & 63] = undefined;
    t.result_write++;
}

void load(Thread &t, const RunContext &ctx, const TexelAccess &a, const LaneMask *undefined) {
    Lanes words[4] = {};
    LaneMask unknown = 0;
    for (unsigned w = 0; w < 4; w++)
        unknown |= undefined[w];
    unsigned count = 0;
    for (unsigned l = 0; l < lanes; l++) {
        uint32_t channels[4] = {}, out[4] = {};
        if (a.enabled >> l & 1)
            fetch(a.texture, ctx.memory->base() + a.address[l], channels);
        count = pack_result(a.texture, a.full_words, channels, out);
        for (unsigned w = 0; w < count; w++)
            words[w][l] = out[w];
    }
    for (unsigned w = 0; w < count; w++)
        if (a.return_words >> w & 1)
            push(t, words[w], unknown);
}

// The shader has packed the texel already: its bytes are stored as they are.
void store(Thread &t, const RunContext &ctx, const TexelAccess &a) {
    const unsigned bytes = a.texture.format->bytes;
    for (unsigned l = 0; l < lanes; l++) {
        if (!(a.enabled >> l & 1))
            continue;
        uint32_t texel[4] = {};
        for (unsigned w = 0; w < t.tmu_data_count && w < 4; w++)
            texel[w] = t.tmu_data[w][l];
        std::memcpy(ctx.memory->base() + a.address[l], texel, bytes);
    }
}

void atomic(Thread &t, const RunContext &ctx, const TexelAccess &a) {
    Lanes old{};
    const bool has_data = t.tmu_data_count > 0;
    for (unsigned l = 0; l < lanes; l++)
        if (a.enabled >> l & 1)
            old[l] = atomic_access(ctx.memory->base() + a.address[l], a.op, has_data, has_data ? t.tmu_data[0][l] : 0,
                                   t.tmu_data_count > 1 ? t.tmu_data[1][l] : 0);
    if (a.return_words)
        push(t, old, 0);
}

} // namespace

bool texture_access(Thread &t, const RunContext &ctx, unsigned retiring, const Lanes &s, LaneMask enabled) {
    if (retiring != magic::Tmusf)
        return refuse(t, "sampling with a filter (" + std::string(magic_name(retiring)) + ")");
    TexelAccess a;
    a.enabled = enabled & bits_of(t.active);
    if (!configure(t, ctx, &a) || !locate(t, ctx, s, &a))
        return false;
    const bool is_atomic = a.op != tmu_op::Regular, is_store = !is_atomic && t.tmu_data_count > 0;
    const unsigned bytes = a.texture.format->bytes;
    if (is_atomic && (bytes != 4 || a.op > tmu_op::Xor))
        return refuse(t, "an atomic on such texels");
    LaneMask undefined[16] = {};
    if (ctx.observer) {
        const Access access{is_atomic  ? Access::Type::Atomic
                            : is_store ? Access::Type::Store
                                       : Access::Type::Load,
                            true,
                            static_cast<uint8_t>(bytes >= 4 ? bytes / 4 : 1),
                            static_cast<uint8_t>(bytes >= 4 ? 4 : bytes),
                            a.enabled,
                            a.helpers,
                            a.address};
        if (!ctx.observer->access(t, access, t.undefined_data, undefined))
            return false;
    }
    if (is_atomic)
        atomic(t, ctx, a);
    else if (is_store)
        store(t, ctx, a);
    else
        load(t, ctx, a, undefined);
    return true;
}

} // namespace v3dsim
