// What a device has yet to say of work that was started. For gpu/ only.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "gpu/api.h"
#include "highwater/result.h"
#include "platform/mutex.h"

namespace highwater::gpu {

class WebGpuDevice;

// An implementation answers when it likes, and on any thread that polls: wgpu-native tells what an
// error scope has caught in the call that closes it, others tell later. Nothing here waits. An
// answer that is there already can be looked at before the work goes on.
class Answers {
 public:
  // Each adds one that is to come. What a scope has caught is told within `context`.
  void ask_error_scope(WebGpuDevice& device, std::string context);
  void ask_when_idle(WebGpuDevice& device);
  void ask_when_mapped(WebGpuDevice& device, WGPUBuffer buffer, size_t size);

  size_t outstanding() const;
  bool are_all_there() const { return outstanding() == 0; }
  // The first error among those that are there.
  Status so_far() const;

  // Forgets all of them. None may be outstanding.
  void clear();
  // Nobody will look at them any more.
  void abandon();

 private:
  void expect();
  void answer(std::optional<Error> error);

  mutable Mutex mutex_;
  size_t outstanding_ = 0;
  bool abandoned_ = false;
  std::optional<Error> error_;
  std::deque<std::string> contexts_;  // of scopes, while their answers are outstanding
};

// Those of somebody who may go away before they have come.
class OwnAnswers {
 public:
  // For the next work. Those of one that was given up are left to come to nobody.
  void begin() {
    if (answers_->are_all_there()) {
      answers_->clear();
    } else {
      answers_.reset(new Answers);
    }
  }
  Answers& operator*() const { return *answers_; }
  Answers* operator->() const { return answers_.get(); }

 private:
  struct Abandon {
    void operator()(Answers* answers) const { answers->abandon(); }
  };

  std::unique_ptr<Answers, Abandon> answers_{new Answers};
};

}  // namespace highwater::gpu
