// SPDX-License-Identifier: BSD-2-Clause
//
// How far the picture of a frame with work on the GPU is. A later frame that reads it may be submitted when all of
// the GPU's work on it has been: the queue keeps the order. Whether that work went well is known later, and such a
// frame has to ask.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace dd {

class PictureProgress {
  public:
    enum class State : std::uint8_t {
        unknown,   // the GPU has no share in it, as far as is known
        begun,     // its last work on the GPU, if there will be any, hasn't been submitted
        submitted, // the GPU will complete it, if nothing fails
        complete,
        redone, // complete; what the GPU did doesn't count
    };

    void set(State state) {
        {
            const std::lock_guard lock(mutex_);
            state_ = state;
        }
        changed_.notify_all();
    }
    State now() {
        const std::lock_guard lock(mutex_);
        return state_;
    }
    // Never begun.
    State once_submitted() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return state_ != State::begun; });
        return state_;
    }
    // Of a picture that was submitted: whether the GPU completed it.
    bool completes() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return state_ == State::complete || state_ == State::redone; });
        return state_ == State::complete;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::unknown;
};

} // namespace dd
