// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace dd {

// A list of records that is refilled for every frame. Room that was never used is never touched, so that it takes no memory, and large
// lists grow where they are or by moving pages: a vector would clear and copy them. That there is room is all that is checked when
// something is added.
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
            std::copy(other.begin(), other.end(), extend(other.size_));
        }
        return *this;
    }
    RecordList &operator=(RecordList &&other) noexcept {
        std::swap(room_, other.room_);
        std::swap(capacity_, other.capacity_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~RecordList() = default;

    // Room for so many more, to be written by the caller.
    T *extend(std::size_t by) {
        if (by > capacity_ - size_) [[unlikely]]
            grow(by);
        T *at = data() + size_;
        size_ += by;
        return at;
    }
    void push_back(const T &record) { *extend(1) = record; }
    void pop_back() { size_--; }
    void clear() { size_ = 0; }
    // Shorter, or with records to be written by the caller.
    void resize(std::size_t size) {
        if (size > size_)
            extend(size - size_);
        size_ = size;
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T *data() { return room_.get(); }
    const T *data() const { return room_.get(); }
    T *begin() { return data(); }
    T *end() { return data() + size_; }
    const T *begin() const { return data(); }
    const T *end() const { return data() + size_; }
    T &operator[](std::size_t i) { return data()[i]; }
    const T &operator[](std::size_t i) const { return data()[i]; }
    T &back() { return data()[size_ - 1]; }
    operator std::span<const T>() const { return {data(), size_}; }

  private:
    struct Free {
        void operator()(T *room) const { std::free(room); }
    };
    [[gnu::noinline]] void grow(std::size_t by) {
        constexpr std::size_t least = std::max<std::size_t>(4096 / sizeof(T), 1);
        constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
        if (by > most / 2 - size_)
            throw std::bad_alloc();
        const std::size_t capacity = size_ + std::max(by, size_ / 2 + least);
        auto *room = static_cast<T *>(std::realloc(room_.get(), capacity * sizeof(T)));
        if (!room)
            throw std::bad_alloc();
        static_cast<void>(room_.release()); // realloc() has freed it, or it is the same
        room_.reset(room);
        capacity_ = capacity;
    }
    std::unique_ptr<T, Free> room_; // for `capacity_` records
    std::size_t capacity_ = 0, size_ = 0;
};

} // namespace dd
