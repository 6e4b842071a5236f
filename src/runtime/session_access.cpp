#include "runtime/session_access.h"

#include "platform/complete.h"
#include "runtime/session_state.h"

namespace highwater {
namespace {

template <class State>
SessionAccess::Place place_of(const State& state, ValueId id) {
  const BufferId buffer = state.graph->values[state.graph->root(id)].buffer;
  return {buffer == kNoBuffer ? nullptr : state.executable->buffer_object(buffer),
          state.graph->values[id].tensor.device_dtype()};
}

}  // namespace

Result<std::unique_ptr<Session>> SessionAccess::load(Program program, ConstantSource constants,
                                                     const SessionOptions& options) {
  HW_TRY(const auto loading, start_load(std::move(program), std::move(constants), options));
  HW_CHECK(complete([&] { return loading->advance(); }));
  return loading->finish();
}

Error SessionAccess::with_advice(const Session& session, Error error) {
  return session.state_->with_advice(std::move(error));
}

const gpu::AdapterDescription& SessionAccess::adapter(const Session& session) {
  return session.state_->executable->device().adapter();
}
const Graph& SessionAccess::graph(const Session& session) {
  return *session.state_->graph;
}
const Live& SessionAccess::live(const Session& session) {
  return *session.state_->live;
}
std::span<const gpu::Dispatch> SessionAccess::dispatches(const Session& session) {
  return session.state_->recording.dispatches();
}

SessionAccess::Place SessionAccess::input_place(const Session& session, size_t i) {
  return place_of(*session.state_, session.state_->graph->inputs[i]);
}
SessionAccess::Place SessionAccess::output_place(const Session& session, size_t i) {
  return place_of(*session.state_, session.state_->graph->outputs[i]);
}

}  // namespace highwater
