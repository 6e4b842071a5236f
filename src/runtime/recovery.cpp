// What becomes of a session whose device is lost.
#include <algorithm>

#include "platform/complete.h"
#include "runtime/session_state.h"

namespace highwater {

bool Session::State::is_lost() const {
  return executable->device().is_lost();
}

bool Session::State::keeps_state() const {
  return std::any_of(graph->values.begin(), graph->values.end(),
                     [](const ValueInfo& value) { return value.mutated && value.tensor.constant; });
}

Error Session::State::with_advice(Error error) const {
  const std::string_view advice =
      !origin ? "load the model again, or with the option `recover`, by which it goes on by itself"
              : "what the program keeps between runs is lost as well: call recover(), and feed it "
                "again from its beginning";
  return fail(error.message(), "; ", advice);
}

bool Session::is_lost() const {
  return state_->is_lost();
}

Status Session::recover() {
  const std::shared_ptr<const State::Origin> origin = state_->origin;
  if (!origin) return fail("the session was loaded without the option `recover`");
  HW_CHECK(state_->check_idle());
  HW_TRY(const auto loading, SessionAccess::start_load(origin->program, origin->constants,
                                                       origin->options, origin->arrivals));
  HW_CHECK(complete([&] { return loading->advance(); }));
  HW_TRY(const auto fresh, loading->finish());
  state_ = std::move(fresh->state_);
  return {};
}

}  // namespace highwater
