// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace dd {

// A list of records that is refilled for every frame. It grows in small steps, where a vector's own growth would leave up to half
// of its memory unused, and that there is room is all that it checks when something is added.
template <typename T>
class RecordList {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    // Room for so many more, to be written by the caller.
    T *extend(std::size_t by) {
        if (by > room_.size() - size_) [[unlikely]]
            grow(by);
        T *at = room_.data() + size_;
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
    T *data() { return room_.data(); }
    const T *data() const { return room_.data(); }
    T *begin() { return data(); }
    T *end() { return data() + size_; }
    const T *begin() const { return data(); }
    const T *end() const { return data() + size_; }
    T &operator[](std::size_t i) { return room_[i]; }
    const T &operator[](std::size_t i) const { return room_[i]; }
    T &back() { return room_[size_ - 1]; }
    operator std::span<const T>() const { return {data(), size_}; }

  private:
    [[gnu::noinline]] void grow(std::size_t by) {
        constexpr std::size_t least = std::max<std::size_t>(4096 / sizeof(T), 1);
        room_.reserve(size_ + std::max(by, room_.size() / 8 + least));
        room_.resize(room_.capacity());
    }
    std::vector<T> room_; // all that there is room for
    std::size_t size_ = 0;
};

} // namespace dd
