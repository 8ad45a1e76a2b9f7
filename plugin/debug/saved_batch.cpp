// SPDX-License-Identifier: BSD-2-Clause
//
// The file, all of it little-endian 32-bit words but for pixels: "DDB1", version, codec (0: VP9, 1: AV1), phases;
// then what the codec has to say (vp9_saved_batch.cpp, av1_saved_batch.cpp).
#include "debug/saved_batch.h"
#include "debug/saved_batch_streams.h"

#include <cstdio>
#include <memory>

namespace dd {
namespace {

constexpr std::uint32_t kMagic = 0x31424444;
constexpr std::uint32_t kVersion = 6;
constexpr std::uint32_t kCodecVp9 = 0, kCodecAv1 = 1;
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string parse_codec(ddb::Reader &in, std::uint32_t codec, SavedBatch &saved) {
    if (codec == kCodecVp9)
        ddb::read(in, saved, saved.batch.emplace<Vp9Batch>());
    else if (codec == kCodecAv1)
        ddb::read(in, saved, saved.batch.emplace<Av1Batch>());
    else
        return "this batch is of an unknown codec";
    return in.good() && in.at_end() ? "" : "the file is damaged";
}

} // namespace

std::string save_batch(const std::string &path, const BatchView &view) {
    const File file(std::fopen(path.c_str(), "wb"));
    if (!file)
        return path + " can't be written";
    ddb::Writer out(file.get());
    const bool vp9 = std::holds_alternative<const Vp9Batch *>(view.batch);
    for (const std::uint32_t value : {kMagic, kVersion, vp9 ? kCodecVp9 : kCodecAv1, std::uint32_t{view.phases}})
        out.word(value);
    std::visit([&](const auto *batch) { ddb::write(out, view, *batch); }, view.batch);
    return out.good() && std::fflush(file.get()) == 0 ? "" : path + " can't be written";
}

std::string parse_batch(std::span<const std::byte> bytes, SavedBatch &saved) {
    saved = {};
    ddb::Reader in(bytes);
    if (in.word() != kMagic)
        return "this is no saved batch";
    if (in.word() != kVersion)
        return "this batch was saved by another version";
    const std::uint32_t codec = in.word();
    saved.phases = in.word();
    if (in.good() && (saved.phases < 1 || saved.phases > 3))
        return "the file is damaged";
    return parse_codec(in, codec, saved);
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
