// A program on a device: give it inputs of any live shape, run it, read its outputs. What every
// front door uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "highwater/accounts.h"
#include "highwater/advance.h"
#include "highwater/export.h"
#include "highwater/file.h"
#include "highwater/host_tensor.h"
#include "highwater/profile.h"
#include "highwater/progress.h"
#include "highwater/result.h"

namespace highwater {

struct SessionOptions {
  std::string adapter;             // its index, or a part of its name; empty takes the best
  double timeout_seconds = 300;    // how long a wait for the device may take before it is given up
  std::string without_passes;      // names of rewrites to leave out; see passes.h
  std::optional<bool> half_cache;  // keep float32 caches as float16; unsaid, where a GPU has it
  bool recover = false;            // load again what a lost device takes along; see recover()
  bool gives_all = false;          // all that is computed is an output, after the program's own
  bool wait_for_kernels = true;    // else each run waits for its own, where they are made beside
  Progress progress;               // told how far loading has come; can end it
};

// One call among several that go to the device together.
struct Call {
  std::span<const Input> inputs;
  std::span<const size_t> reads;  // outputs to read back; the others stay on the device
};

class HIGHWATER_API Session {
 public:
  // A method of a .pte file, all of which must be one delegate.
  static Result<std::unique_ptr<Session>> open(const std::string& path,
                                               const SessionOptions& options = {},
                                               std::string_view method = "forward");
  // The same of a file that is open already, or in memory.
  static Result<std::unique_ptr<Session>> open(const File& file, const SessionOptions& options = {},
                                               std::string_view method = "forward");
  // The same in parts, for who cannot wait, or wants to do other things between them.
  class Loading;
  static Result<std::unique_ptr<Loading>> start_open(const std::string& path,
                                                     const SessionOptions& options = {},
                                                     std::string_view method = "forward");
  static Result<std::unique_ptr<Loading>> start_open(const File& file,
                                                     const SessionOptions& options = {},
                                                     std::string_view method = "forward");
  // Also while a run is under way.
  ~Session();

  // Runs at the live shapes of `inputs` and reads all outputs back. On an error nothing has
  // changed, and the next good call works.
  Status run(std::span<const Input> inputs);

  // Runs the calls one after the other in a single submit, and waits once. An input can be what an
  // output was in the call before. On an error none of them has run.
  Status run_all(std::span<const Call> calls);

  // The same in three parts, none of which waits for the device: a run is started, looked after
  // until it is done, and finished, which gives its outputs or its error. Inputs are not needed any
  // more when it has started. The outputs of the run before are gone by then, and until it is
  // finished no other can be started. Runs of several sessions may be under way at a time.
  Status start_run(std::span<const Input> inputs);
  Status start_all(std::span<const Call> calls);
  bool poll();
  Status finish();

  // Whether the device is lost, or was given up, so that nothing runs any more.
  bool is_lost() const;
  // Opens the device again, and loads the program again from where it came: a file in memory must
  // still be there. For a session with the option `recover`. What a program keeps between runs, as
  // a cache, begins anew. Where it keeps nothing, run() and run_all() do so by themselves.
  Status recover();

  // Runs like run(inputs), and tells the time of each dispatch. The outputs are the same, but all
  // of it takes longer. Without a `clock`, the device's is used where it has one.
  Result<Profile> profile(std::span<const Input> inputs, std::optional<ProfileClock> clock = {});

  size_t input_count() const;
  size_t output_count() const;
  bool input_is_scalar(size_t i) const;
  bool output_is_scalar(size_t i) const;
  DType input_dtype(size_t i) const;
  DType output_dtype(size_t i) const;
  // As the model's author called it; empty if the file does not say.
  std::string_view input_name(size_t i) const;
  // The smallest that it can be, as far as the file says: a dim that is not live is as in the
  // bound.
  Dims input_least(size_t i) const;
  // The largest that they can be.
  const Dims& input_bound(size_t i) const;
  const Dims& output_bound(size_t i) const;

  // Of the last call.
  const Dims& output_dims(size_t i) const;
  int64_t output_scalar(size_t i) const;
  // Copies output i of a call to host memory of as many elements of `dtype`; by default of the last
  // call. It must have been among the call's reads.
  Status read_output(size_t i, DType dtype, std::span<std::byte> to) const;
  Status read_output(size_t call, size_t i, DType dtype, std::span<std::byte> to) const;

  const Accounts& load_accounts() const;
  const Accounts& run_accounts() const;
  std::string_view adapter_name() const;
  // The kernels of the last run, in order.
  std::vector<std::string> kernels() const;

 private:
  friend struct SessionAccess;  // for the engine's own tools
  struct State;
  explicit Session(std::unique_ptr<State> state);
  template <class Run>
  Status run_recovering(const Run& run);

  std::unique_ptr<State> state_;
};

// A load that is under way. To destroy it is to give it up.
class HIGHWATER_API Session::Loading {
 public:
  ~Loading();

  // Does a part of it, which takes as long as a kernel takes to be made, or a weight to be read,
  // and says what is left. An error ends the load.
  Result<Advance> advance();
  // The session, when all is done.
  Result<std::unique_ptr<Session>> finish();

 private:
  friend struct SessionAccess;
  struct State;
  explicit Loading(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace highwater
