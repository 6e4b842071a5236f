// What one or several calls want of the device, put together before any of it is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/executable.h"

namespace highwater {

// Keeps its memory from run to run, so that a warm one allocates nothing.
class Recording {
 public:
  void clear();

  // Memory for bytes of the present call, valid until the next that is asked for.
  std::span<std::byte> stage(size_t size);

  void copy(const gpu::BufferCopy& copy) { copies_.push_back(copy); }
  // The caller's memory, which must last until the works have run.
  void upload(uint32_t buffer, std::span<const std::byte> bytes) {
    uploads_.push_back({buffer, bytes});
  }
  // The memory that was staged last, or the front of it.
  void upload_staged(uint32_t buffer, size_t size);
  // Takes over what is still in the memory of callers, for a run that starts later.
  void keep_uploads();
  void params(uint32_t at, std::span<const std::byte> bytes);
  void dispatch(const gpu::Dispatch& dispatch) { dispatches_.push_back(dispatch); }
  void poison(const gpu::BufferCopy& copy) { poison_.push_back(copy); }
  void read_back(const gpu::ReadBack& read_back) { read_backs_.push_back(read_back); }
  void end_call();

  // One for each call, valid until the recording changes.
  std::span<const gpu::Work> works();
  std::span<const gpu::Dispatch> dispatches() const { return dispatches_; }

 private:
  // Where a call's items end, in each of the lists.
  struct Ends {
    size_t copies, uploads, dispatches, read_backs, poison;
    uint32_t params_at;
    size_t params_begin, params_size;  // in bytes_
  };
  // An upload whose bytes are in bytes_, which may still move.
  struct Staged {
    size_t upload;
    size_t begin;
    size_t size;
  };

  std::vector<std::byte> bytes_;
  size_t staged_begin_ = 0;
  std::vector<Staged> staged_;
  std::vector<gpu::BufferCopy> copies_;
  std::vector<gpu::Upload> uploads_;
  std::vector<gpu::Dispatch> dispatches_;
  std::vector<gpu::ReadBack> read_backs_;
  std::vector<gpu::BufferCopy> poison_;
  Ends present_{};
  std::vector<Ends> calls_;
  std::vector<gpu::Work> works_;
};

}  // namespace highwater
