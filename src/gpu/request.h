// Something that an implementation was asked for, and gives by a callback. For gpu/ only.
#pragma once

#include <optional>
#include <utility>

#include "platform/mutex.h"

namespace highwater::gpu {

// The callback may come when nobody waits for it any more, or never. Then what it brings is given
// back, so that an Answer must own what it holds.
template <class Answer>
class Request {
 public:
  Request() : state_(new State) {}
  Request(const Request&) = delete;
  ~Request() { leave(state_); }

  // For the callback, which hands it to answer().
  void* userdata() { return state_; }
  static void answer(void* userdata, Answer given) {
    auto* state = static_cast<State*>(userdata);
    {
      const std::lock_guard lock(state->mutex);
      state->answer = std::move(given);
    }
    leave(state);
  }

  // What came, if it has.
  std::optional<Answer> take() {
    const std::lock_guard lock(state_->mutex);
    return std::exchange(state_->answer, std::nullopt);
  }

 private:
  struct State {
    Mutex mutex;
    std::optional<Answer> answer;
    int users = 2;  // this, and the implementation
  };

  static void leave(State* state) {
    {
      const std::lock_guard lock(state->mutex);
      if (--state->users > 0) return;
    }
    delete state;
  }

  State* state_;
};

}  // namespace highwater::gpu
