// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "util/growing_memory.h"
#include "util/pages.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace dd {

// A list of records that is refilled for every frame. Capacity that was never used is never touched, so that it takes
// no memory, and large lists grow where they are or by moving pages: a vector would clear and copy them. That there
// is capacity is all that is checked when something is added. What one frame in many needs, that after a cut, takes
// memory for some frames more.
template <typename T>
class RecordList {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    RecordList() = default;
    RecordList(const RecordList &other) { *this = other; }
    RecordList(RecordList &&other) noexcept { *this = std::move(other); }
    RecordList &operator=(const RecordList &other) {
        if (this != &other) {
            clear();
            std::copy(other.begin(), other.end(), extend(other.size()));
        }
        return *this;
    }
    RecordList &operator=(RecordList &&other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(end_, other.end_);
        std::swap(limit_, other.limit_);
        std::swap(touched_, other.touched_);
        std::swap(small_uses_, other.small_uses_);
        return *this;
    }
    ~RecordList() = default;

    // Capacity for so many more, to be written by the caller.
    T *extend(std::size_t by) {
        T *at = reserve(by);
        end_ += by;
        return at;
    }
    // The same, but that the list stays as it is until keep() says where its end is now.
    T *reserve(std::size_t by) {
        if (!has_capacity(by)) [[unlikely]]
            grow(by);
        return end_;
    }
    void keep(T *end) { end_ = end; }
    bool has_capacity(std::size_t by) const { return by <= static_cast<std::size_t>(limit_ - end_); }
    void push_back(const T &record) { *extend(1) = record; }
    void pop_back() { end_--; }
    void clear() {
        forget_large_use();
        end_ = data();
    }
    // Shorter, or with records to be written by the caller.
    void resize(std::size_t size) {
        if (size > this->size())
            extend(size - this->size());
        end_ = data() + size;
    }
    std::size_t size() const { return static_cast<std::size_t>(end_ - data()); }
    bool empty() const { return end_ == data(); }
    std::size_t capacity() const { return static_cast<std::size_t>(limit_ - data()); }
    T *data() { return static_cast<T *>(memory_.data()); }
    const T *data() const { return static_cast<const T *>(memory_.data()); }
    T *begin() { return data(); }
    T *end() { return end_; }
    const T *begin() const { return data(); }
    const T *end() const { return end_; }
    T &operator[](std::size_t i) { return data()[i]; }
    const T &operator[](std::size_t i) const { return data()[i]; }
    T &back() { return end_[-1]; }
    operator std::span<const T>() const { return {data(), size()}; }

  private:
    // Before the list is emptied.
    void forget_large_use() {
        constexpr std::size_t worth_it = 32 * 1024, much = 8;
        constexpr unsigned uses = 16; // in a row: large frames of a steady stream come more often
        touched_ = std::max(touched_, size());
        if (touched_ * sizeof(T) < worth_it || size() >= touched_ / much)
            small_uses_ = 0;
        else if (++small_uses_ == uses)
            drop_large_use();
    }
    [[gnu::noinline]] void drop_large_use() {
        const std::size_t kept = 2 * size();
        drop_pages(data() + kept, data() + touched_);
        touched_ = kept;
        small_uses_ = 0;
    }
    [[gnu::noinline]] void grow(std::size_t by) {
        constexpr std::size_t least = std::max<std::size_t>(512 / sizeof(T), 1); // a batch has hundreds of lists
        constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
        const std::size_t size = this->size();
        if (by > most / 2 - size)
            throw std::bad_alloc();
        const std::size_t capacity = size + std::max(by, size / 2 + least);
        if (!memory_.grow(capacity * sizeof(T)))
            throw std::bad_alloc();
        end_ = data() + size;
        limit_ = data() + capacity;
    }
    GrowingMemory memory_;
    T *end_ = nullptr, *limit_ = nullptr; // of the records, and of the capacity
    std::size_t touched_ = 0;             // records that the capacity has had since pages were dropped
    unsigned small_uses_ = 0;             // since it had as many
};

} // namespace dd
