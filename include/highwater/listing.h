// A method's program, call by call, and the content of its constants: for tools that compute it
// again by other means. Of the library highwater::tools.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "highwater/export.h"
#include "highwater/file.h"
#include "highwater/result.h"

namespace highwater {

enum class Rewriting {
  None,  // as it was exported
  // As a session runs it that has the option `gives_all`, with the outputs that this adds.
  AsRun,
};

class HIGHWATER_API Listing {
 public:
  static Result<std::unique_ptr<Listing>> open(const File& file, std::string_view method,
                                               Rewriting rewriting = Rewriting::None,
                                               std::string_view without_passes = {});
  ~Listing();

  // Values, calls, inputs, outputs, and what is known of the inputs' sizes, as JSON.
  std::string text() const;
  // The bytes of a constant, as the file has them.
  Result<std::vector<std::byte>> constant(size_t i) const;

 private:
  struct State;
  explicit Listing(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace highwater
