// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include "batch/record_list.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace dd {

// Who lends a list room.
class CoefficientLender {
  public:
    // Larger room, for at least so many words: `used`, which is in the room lent so far, has been copied to its beginning, and that room
    // is gone. Empty: there is none, and all stays as it is.
    virtual std::span<std::uint32_t> lend_more(std::span<const std::uint32_t> used, std::size_t words) = 0;

  protected:
    ~CoefficientLender() = default;
};

// The coefficients of a recorder. They are most of what a frame hands to the GPU, so that they can be put down where it reads them: in
// room that somebody lends. Where there is no more of that, they move into memory of the list's own. So room has to be of a kind that
// the CPU also reads at its usual speed.
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

    // Empty, without lent room.
    void clear() {
        own_.clear();
        settle(own_.data(), own_.capacity(), false);
    }
    // Empty, with `room`, which has to be there until clear() or until nobody uses the list, as has the one who lends more of it.
    void lend(std::span<std::uint32_t> room, CoefficientLender *lender = nullptr) {
        own_ = RecordList<std::uint32_t>();
        settle(room.data(), room.size(), true);
        lender_ = lender;
    }
    // All lies in lent room.
    bool is_lent() const { return lent_; }

    bool has_room(std::size_t by) const { return by <= static_cast<std::size_t>(limit_ - end_); }
    // Makes room for so many more.
    void room(std::size_t by) {
        if (!has_room(by))
            grow(by);
    }
    void keep(std::uint32_t *end) { end_ = end; }
    // So many more, to be written by the caller.
    std::uint32_t *extend(std::size_t by) {
        room(by);
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
    void settle(std::uint32_t *begin, std::size_t capacity, bool lent) {
        begin_ = end_ = begin;
        limit_ = begin + capacity;
        lent_ = lent;
    }
    [[gnu::noinline]] void grow(std::size_t by) {
        const std::size_t size = this->size();
        if (lent_ && lender_) {
            if (const auto more = lender_->lend_more(*this, size + by); !more.empty()) {
                settle(more.data(), more.size(), true);
                end_ += size;
                return;
            }
        }
        if (lent_) {
            own_.clear();
            std::copy(begin_, end_, own_.extend(size));
        } else {
            own_.keep(end_);
        }
        own_.room(by);
        settle(own_.data(), own_.capacity(), false);
        end_ += size;
    }
    void swap(CoefficientList &other) noexcept {
        std::swap(own_, other.own_);
        std::swap(begin_, other.begin_);
        std::swap(end_, other.end_);
        std::swap(limit_, other.limit_);
        std::swap(lent_, other.lent_);
        std::swap(lender_, other.lender_);
    }

    RecordList<std::uint32_t> own_;
    std::uint32_t *begin_ = nullptr, *end_ = nullptr, *limit_ = nullptr; // of the coefficients, and of the room
    bool lent_ = false;
    CoefficientLender *lender_ = nullptr;
};

} // namespace dd
