#include "runtime/session_access.h"

#include "platform/complete.h"
#include "runtime/session_state.h"

namespace highwater {

Result<std::unique_ptr<Session>> SessionAccess::load(Program program, ConstantSource constants,
                                                     const SessionOptions& options) {
  HW_TRY(const auto loading, start_load(std::move(program), std::move(constants), options));
  HW_CHECK(complete([&] { return loading->advance(); }));
  return loading->finish();
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

}  // namespace highwater
