#include "runtime/recording.h"

#include <algorithm>

namespace highwater {

void Recording::clear() {
  bytes_.clear();
  staged_.clear();
  copies_.clear();
  uploads_.clear();
  dispatches_.clear();
  read_backs_.clear();
  calls_.clear();
  works_.clear();
  present_ = {};
}

std::span<std::byte> Recording::stage(size_t size) {
  staged_begin_ = bytes_.size();
  bytes_.resize(staged_begin_ + size);
  return std::span(bytes_).subspan(staged_begin_);
}

void Recording::upload_staged(uint32_t buffer, size_t size) {
  staged_.push_back({uploads_.size(), staged_begin_, size});
  uploads_.push_back({buffer, {}});
}

void Recording::params(uint32_t at, std::span<const std::byte> bytes) {
  present_.params_at = at;
  present_.params_size = bytes.size();
  std::copy(bytes.begin(), bytes.end(), stage(bytes.size()).begin());
  present_.params_begin = staged_begin_;
}

void Recording::end_call() {
  present_.copies = copies_.size();
  present_.uploads = uploads_.size();
  present_.dispatches = dispatches_.size();
  present_.read_backs = read_backs_.size();
  calls_.push_back(present_);
  present_ = {};
}

std::span<const gpu::Work> Recording::works() {
  const std::span<const std::byte> bytes(bytes_);
  for (const Staged& s : staged_) uploads_[s.upload].bytes = bytes.subspan(s.begin, s.size);
  const auto between = [](const auto& list, size_t begin, size_t end) {
    return std::span(list).subspan(begin, end - begin);
  };
  works_.clear();
  Ends before{};
  for (const Ends& ends : calls_) {
    works_.push_back({between(copies_, before.copies, ends.copies),
                      between(uploads_, before.uploads, ends.uploads),
                      {ends.params_at, bytes.subspan(ends.params_begin, ends.params_size)},
                      between(dispatches_, before.dispatches, ends.dispatches),
                      between(read_backs_, before.read_backs, ends.read_backs)});
    before = ends;
  }
  return works_;
}

}  // namespace highwater
