// What the engine's own front doors, tools and tests see of a session beyond its public interface.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "blob/program.h"
#include "gpu/executable.h"
#include "graph/graph.h"
#include "graph/live.h"
#include "highwater/session.h"

namespace highwater {

// Which bytes of a constant.
struct Stretch {
  uint64_t at;
  uint64_t count;
};
// Gives bytes of the constant under a key to `use`, which is done with them when it returns. A
// constant that ends before is an error.
using UseBytes = std::function<Status(std::span<const std::byte>)>;
using ConstantSource =
    std::function<Status(const std::string& key, Stretch wanted, const UseBytes& use)>;

// For a source that has all bytes of a constant.
inline Status use_stretch(std::span<const std::byte> all, Stretch wanted, const UseBytes& use) {
  const uint64_t size = all.size();
  if (wanted.at > size || wanted.count > size - wanted.at) {
    return fail("its data has ", size, " bytes; ", wanted.at + wanted.count, " are needed");
  }
  return use(all.subspan(static_cast<size_t>(wanted.at), static_cast<size_t>(wanted.count)));
}

// For constants that come while others are loaded already, or go to the device by another way.
// Without these they are always there, and come through the source.
struct ConstantArrivals {
  // Whether those of a key are there by now.
  std::function<bool(const std::string& key)> are_here;
  // Has the first bytes of them brought to a buffer of the device; false if there are fewer.
  std::function<bool(const std::string& key, uint64_t bytes, void* buffer)> place;
};

struct SessionAccess {
  // A program that is in memory already.
  static Result<std::unique_ptr<Session::Loading>> start_load(Program program,
                                                              ConstantSource constants,
                                                              const SessionOptions& options = {},
                                                              ConstantArrivals arrivals = {});
  static Result<std::unique_ptr<Session>> load(Program program, ConstantSource constants,
                                               const SessionOptions& options = {});

  // The error of a run on a device that is lost, with what can be done about it.
  static Error with_advice(const Session& session, Error error);

  static const gpu::AdapterDescription& adapter(const Session& session);
  static const Graph& graph(const Session& session);
  static const Live& live(const Session& session);
  // Where an input or an output lies on the device, and as what. Null if only the host reads it.
  struct Place {
    void* buffer;  // the implementation's own object
    DType dtype;
  };
  static Place input_place(const Session& session, size_t i);
  static Place output_place(const Session& session, size_t i);
  // What the last run dispatched, in order; the steps are the graph's.
  static std::span<const gpu::Dispatch> dispatches(const Session& session);
};

}  // namespace highwater
