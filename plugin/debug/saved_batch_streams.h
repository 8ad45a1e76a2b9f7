// SPDX-License-Identifier: BSD-2-Clause
//
// Words, streams and pixels of a saved batch, in both directions; and what the codecs put between them.
#pragma once
#include "debug/saved_batch.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace dd::ddb {

static_assert(std::endian::native == std::endian::little, "streams are written as they lie in memory");

class Writer {
  public:
    explicit Writer(std::FILE *file) : file_(file) {}
    bool good() const { return good_; }
    void bytes(const void *data, std::size_t size) {
        good_ = good_ && (size == 0 || std::fwrite(data, 1, size, file_) == size);
    }
    void word(std::uint32_t value) { bytes(&value, sizeof(value)); }
    template <typename T>
    void stream(std::span<const T> records) {
        static_assert(std::is_trivially_copyable_v<T>);
        word(static_cast<std::uint32_t>(records.size()));
        bytes(records.data(), records.size_bytes());
    }
    template <typename T>
    void stream(const std::vector<T> &records) {
        stream(std::span<const T>(records));
    }
    template <typename T>
    void stream(const RecordList<T> &records) {
        stream(std::span<const T>(records));
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
    // What was read makes no sense.
    void refuse() { good_ = false; }
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
    template <typename List>
    void stream(List &records) {
        constexpr std::size_t record = sizeof(records[0]);
        const std::uint32_t count = word();
        good_ = good_ && count <= left_.size() / record;
        if (!good_)
            return;
        records.resize(count);
        bytes(records.data(), count * record);
    }
    // `superblock`: as make_picture_layout takes it.
    PictureLayout format(unsigned superblock) {
        PictureFormat f;
        f.width = word();
        f.height = word();
        for (std::uint8_t *member : {&f.bit_depth, &f.ss_h, &f.ss_v, &f.planes}) {
            const std::uint32_t value = word();
            good_ = good_ && value < 256;
            *member = static_cast<std::uint8_t>(value);
        }
        return good_ ? make_picture_layout(f, superblock) : PictureLayout{};
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

// What follows the head, by codec. Whatever readers take is sound.
void write(Writer &out, const BatchView &view, const Vp9Batch &batch);
void write(Writer &out, const BatchView &view, const Av1Batch &batch);
void read(Reader &in, SavedBatch &saved, Vp9Batch &batch);
void read(Reader &in, SavedBatch &saved, Av1Batch &batch);

constexpr std::uint32_t kMostRecorders = 1024;

} // namespace dd::ddb
