// SPDX-License-Identifier: BSD-2-Clause
//
// The file, all of it little-endian 32-bit words but for pixels:
//   "DDB1", version, codec (0: VP9), phases
//   picture being decoded, 3 references: 6 words of format (width 0: no such reference)
//   recorders; of each: 5 + 5 + 25 lengths and streams in the order of Vp9Recorder, then the coefficients
//   loop filter: columns, rows, superblocks, limits
//   pixels of the picture and of the references, as make_picture_layout lays them out
#include "batch/ddb.h"

#include "daedalus/daedalus.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <type_traits>

namespace dd {
namespace {

static_assert(std::endian::native == std::endian::little, "streams are written as they lie in memory");

constexpr std::uint32_t kMagic = 0x31424444;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kCodecVp9 = 0;
constexpr std::uint32_t kMostRecorders = 1024;
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

class Writer {
  public:
    explicit Writer(std::FILE *file) : file_(file) {}
    bool good() const { return good_; }
    void bytes(const void *data, std::size_t size) {
        good_ = good_ && (size == 0 || std::fwrite(data, 1, size, file_) == size);
    }
    void word(std::uint32_t value) { bytes(&value, sizeof(value)); }
    template <typename T, typename Allocator>
    void stream(const std::vector<T, Allocator> &records) {
        static_assert(std::is_trivially_copyable_v<T>);
        word(static_cast<std::uint32_t>(records.size()));
        bytes(records.data(), records.size() * sizeof(T));
    }
    void format(const PictureLayout &layout) {
        const PictureFormat f = layout.size ? layout.format : PictureFormat{};
        for (const std::uint32_t value : {f.width, f.height, std::uint32_t{f.bit_depth}, std::uint32_t{f.ss_h},
                                          std::uint32_t{f.ss_v}, std::uint32_t{f.planes}})
            word(value);
    }

  private:
    std::FILE *file_;
    bool good_ = true;
};

class Reader {
  public:
    explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}
    bool good() const { return good_; }
    bool at_end() const { return left_.empty(); }
    void bytes(void *data, std::size_t size) {
        good_ = good_ && size <= left_.size();
        if (!good_)
            return;
        if (size)
            std::memcpy(data, left_.data(), size);
        left_ = left_.subspan(size);
    }
    std::uint32_t word() {
        std::uint32_t value = 0;
        bytes(&value, sizeof(value));
        return value;
    }
    template <typename T, typename Allocator>
    void stream(std::vector<T, Allocator> &records) {
        const std::uint32_t count = word();
        good_ = good_ && count <= left_.size() / sizeof(T);
        if (!good_)
            return;
        records.resize(count);
        bytes(records.data(), count * sizeof(T));
    }
    PictureLayout format() {
        PictureFormat f;
        f.width = word();
        f.height = word();
        for (std::uint8_t *member : {&f.bit_depth, &f.ss_h, &f.ss_v, &f.planes}) {
            const std::uint32_t value = word();
            good_ = good_ && value < 256;
            *member = static_cast<std::uint8_t>(value);
        }
        return good_ ? make_picture_layout(f, 64) : PictureLayout{};
    }
    void pixels(const PictureLayout &layout, std::vector<std::byte> &to) {
        good_ = good_ && layout.size <= left_.size();
        if (!good_)
            return;
        to.resize(layout.size);
        bytes(to.data(), to.size());
    }

  private:
    std::span<const std::byte> left_;
    bool good_ = true;
};

// The order of a recorder's streams in the file, for both directions.
template <typename Recorder, typename Visit>
void each_stream(Recorder &recorder, Visit visit) {
    for (auto &stream : recorder.mc)
        visit(stream);
    for (auto &stream : recorder.scaled)
        visit(stream);
    for (auto &kind : recorder.itx)
        for (auto &stream : kind)
            visit(stream);
    visit(recorder.coefs);
}

void read_batch(Reader &in, SavedBatch &saved) {
    Vp9Batch &batch = saved.batch;
    batch.dst = in.format();
    for (PictureLayout &ref : batch.ref)
        ref = in.format();
    const std::uint32_t recorders = in.word();
    if (!in.good() || recorders > kMostRecorders)
        return;
    batch.recorders.resize(recorders);
    for (Vp9Recorder &recorder : batch.recorders)
        each_stream(recorder, [&](auto &stream) { in.stream(stream); });
    batch.lf.sb_cols = in.word();
    batch.lf.sb_rows = in.word();
    in.stream(batch.lf.superblocks);
    in.bytes(batch.lf.limits.data(), sizeof(batch.lf.limits));
    in.pixels(batch.dst, saved.dst);
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        in.pixels(batch.ref[slot], saved.ref[slot]);
}

} // namespace

std::string save_batch(const std::string &path, const BatchView &view) {
    const File file(std::fopen(path.c_str(), "wb"));
    if (!file)
        return path + " can't be written";
    Writer out(file.get());
    const Vp9Batch &batch = *view.batch;
    for (const std::uint32_t value : {kMagic, kVersion, kCodecVp9, std::uint32_t{view.phases}})
        out.word(value);
    out.format(batch.dst);
    // The filter alone needs neither records of blocks nor references; some of those may not be at hand any more.
    const bool recon = view.phases & DD_PHASE_RECON;
    const auto reference = [&](unsigned slot) { return recon ? view.ref[slot] : nullptr; };
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        out.format(reference(slot) ? batch.ref[slot] : PictureLayout{});
    const std::span recorders(batch.recorders.data(), recon ? batch.recorders.size() : 0);
    out.word(static_cast<std::uint32_t>(recorders.size()));
    for (const Vp9Recorder &recorder : recorders)
        each_stream(recorder, [&](const auto &stream) { out.stream(stream); });
    out.word(batch.lf.sb_cols);
    out.word(batch.lf.sb_rows);
    out.stream(batch.lf.superblocks);
    out.bytes(batch.lf.limits.data(), sizeof(batch.lf.limits));
    out.bytes(view.dst, batch.dst.size);
    for (unsigned slot = 0; slot < DD_MAX_REFS; slot++)
        if (reference(slot))
            out.bytes(reference(slot), batch.ref[slot].size);
    return out.good() && std::fflush(file.get()) == 0 ? "" : path + " can't be written";
}

std::string parse_batch(std::span<const std::byte> bytes, SavedBatch &saved) {
    saved = {};
    Reader in(bytes);
    if (in.word() != kMagic)
        return "this is no saved batch";
    if (in.word() != kVersion)
        return "this batch was saved by another version";
    if (in.word() != kCodecVp9)
        return "this batch is of an unknown codec";
    saved.phases = in.word();
    read_batch(in, saved);
    if (!in.good() || !in.at_end())
        return "the file is damaged";
    if (saved.phases < 1 || saved.phases > 3 || !is_sound(saved.batch))
        return "the batch is not sound";
    return "";
}

std::string load_batch(const std::string &path, SavedBatch &saved) {
    const File file(std::fopen(path.c_str(), "rb"));
    if (!file)
        return path + " can't be opened";
    std::vector<std::byte> bytes;
    std::vector<std::byte> chunk(1 << 20);
    while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
        bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(got));
        if (bytes.size() > kMostBytes)
            return path + " is too large";
    }
    const std::string error = parse_batch(bytes, saved);
    return error.empty() ? "" : path + ": " + error;
}

} // namespace dd
