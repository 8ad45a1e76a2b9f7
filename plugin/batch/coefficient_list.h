// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "util/record_list.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace dd {

// The owner of memory outside a list.
class CoefficientStore {
  public:
    // Larger memory, of at least so many words, that begins with a copy of `used`, which lies in the memory given so
    // far. That memory is released. Empty: there is none, and all stays as it is.
    virtual std::span<std::uint32_t> grow(std::span<const std::uint32_t> used, std::size_t words) = 0;

  protected:
    ~CoefficientStore() = default;
};

// The coefficients of a recorder. They are most of what a frame hands to the GPU, so a store may give the list memory
// where the GPU reads them. When that memory ends, they move into the list's own. The CPU must read the store's
// memory at its usual speed.
class CoefficientList {
  public:
    CoefficientList() = default;
    CoefficientList(const CoefficientList &other) { *this = other; }
    CoefficientList(CoefficientList &&other) noexcept { swap(other); }
    CoefficientList &operator=(const CoefficientList &other) {
        if (this != &other) {
            resize(other.size());
            std::ranges::copy(other, begin_);
        }
        return *this;
    }
    CoefficientList &operator=(CoefficientList &&other) noexcept {
        swap(other);
        return *this;
    }
    ~CoefficientList() = default;

    // Empty, in memory of its own.
    void clear() {
        own_.clear();
        settle(own_.data(), own_.capacity(), false);
    }
    // Empty, in `memory`, which has to stay until clear(); `store` can give more.
    void use(std::span<std::uint32_t> memory, CoefficientStore *store = nullptr) {
        own_ = RecordList<std::uint32_t>();
        settle(memory.data(), memory.size(), true);
        store_ = store;
    }
    // All lies in the store's memory.
    bool is_external() const { return external_; }

    bool has_capacity(std::size_t by) const { return by <= static_cast<std::size_t>(limit_ - end_); }
    // Reserves capacity for so many more.
    void reserve(std::size_t by) {
        if (!has_capacity(by))
            grow(by);
    }
    void keep(std::uint32_t *end) { end_ = end; }
    // So many more, to be written by the caller.
    std::uint32_t *extend(std::size_t by) {
        reserve(by);
        end_ += by;
        return end_ - by;
    }
    // Others, to be written by the caller.
    void resize(std::size_t size) {
        clear();
        extend(size);
    }
    std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    bool empty() const { return end_ == begin_; }
    std::uint32_t *data() { return begin_; }
    const std::uint32_t *data() const { return begin_; }
    std::uint32_t *end() { return end_; }
    const std::uint32_t *begin() const { return begin_; }
    const std::uint32_t *end() const { return end_; }
    const std::uint32_t &operator[](std::size_t i) const { return begin_[i]; }
    operator std::span<const std::uint32_t>() const { return {begin_, size()}; }

  private:
    void settle(std::uint32_t *begin, std::size_t capacity, bool external) {
        begin_ = end_ = begin;
        limit_ = begin + capacity;
        external_ = external;
    }
    [[gnu::noinline]] void grow(std::size_t by) {
        const std::size_t size = this->size();
        if (external_ && store_) {
            if (const auto more = store_->grow(*this, size + by); !more.empty()) {
                settle(more.data(), more.size(), true);
                end_ += size;
                return;
            }
        }
        if (external_) {
            own_.clear();
            std::copy(begin_, end_, own_.extend(size));
        } else {
            own_.keep(end_);
        }
        own_.reserve(by);
        settle(own_.data(), own_.capacity(), false);
        end_ += size;
    }
    void swap(CoefficientList &other) noexcept {
        std::swap(own_, other.own_);
        std::swap(begin_, other.begin_);
        std::swap(end_, other.end_);
        std::swap(limit_, other.limit_);
        std::swap(external_, other.external_);
        std::swap(store_, other.store_);
    }

    RecordList<std::uint32_t> own_;
    std::uint32_t *begin_ = nullptr, *end_ = nullptr, *limit_ = nullptr; // of the coefficients, and of their memory
    bool external_ = false;
    CoefficientStore *store_ = nullptr;
};

} // namespace dd
