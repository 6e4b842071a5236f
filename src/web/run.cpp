// Running a program and drawing tokens, as JavaScript calls it: start, poll until it is done,
// finish.
#include <algorithm>

#include "runtime/session_access.h"
#include "web/exports.h"
#include "web/model.h"

namespace highwater::web {

HIGHWATER_EXPORT(void, hw_call_begin)
(Model* model) {
  model->begin_call();
}
// The data must stay until the run has started. Without any, it is in the input's buffer already.
HIGHWATER_EXPORT(int, hw_call_tensor)
(Model* model, int dtype, const double* dims, size_t rank, const void* data) {
  if (rank > Dims::kMaxRank) {
    return told(fail("a tensor has ", rank, " dims; at most ", Dims::kMaxRank, " are possible"));
  }
  Dims live;
  for (size_t i = 0; i < rank; ++i) live.push_back(static_cast<int64_t>(dims[i]));
  if (data) {
    model->add_input(HostTensor{static_cast<DType>(dtype), live, data});
  } else {
    model->add_input(InPlace{live});
  }
  return 0;
}
HIGHWATER_EXPORT(void, hw_call_integer)
(Model* model, double value) {
  model->add_input(static_cast<int64_t>(value));
}

HIGHWATER_EXPORT(int, hw_run_start)
(Model* model, const size_t* reads, size_t count) {
  return told(model->start_run({reads, count}));
}
HIGHWATER_EXPORT(int, hw_run_poll)
(Model* model) {
  return model->poll();
}
HIGHWATER_EXPORT(int, hw_run_finish)
(Model* model) {
  return told(model->finish_run());
}

// Writes the live dims of an output, and says how many there are.
HIGHWATER_EXPORT(size_t, hw_output_dims)
(const Model* model, size_t output, double* dims) {
  const Dims& live = model->session().output_dims(output);
  for (size_t i = 0; i < live.rank(); ++i) dims[i] = static_cast<double>(live[i]);
  return live.rank();
}
HIGHWATER_EXPORT(double, hw_output_integer)
(const Model* model, size_t output) {
  return static_cast<double>(model->session().output_scalar(output));
}
HIGHWATER_EXPORT(int, hw_output_read)
(const Model* model, size_t output, int dtype, std::byte* to, size_t size) {
  return told(model->session().read_output(output, static_cast<DType>(dtype), {to, size}));
}

// The buffer of an input or an output, and the dtype that it has there.
HIGHWATER_EXPORT(void*, hw_place)
(const Model* model, int is_output, size_t index, uint32_t* dtype) {
  const SessionAccess::Place place = is_output
                                         ? SessionAccess::output_place(model->session(), index)
                                         : SessionAccess::input_place(model->session(), index);
  *dtype = static_cast<uint32_t>(place.dtype);
  return place.buffer;
}

HIGHWATER_EXPORT(int, hw_text_set)
(Model* model, const int64_t* tokens, size_t count) {
  return told(model->generator()->set_text({tokens, count}));
}
HIGHWATER_EXPORT(int, hw_draw_start)
(Model* model, size_t count, double temperature, double top_k, double top_p, double seed) {
  const Sampling sampling{static_cast<float>(temperature), static_cast<int64_t>(top_k),
                          static_cast<float>(top_p), static_cast<uint64_t>(seed)};
  return told(model->generator()->start_draw(count, sampling));
}
// Writes as many tokens as were asked for.
HIGHWATER_EXPORT(int, hw_draw_finish)
(Model* model, int64_t* tokens) {
  const auto drawn = model->generator()->finish_draw();
  if (!drawn) return told(drawn.error());
  std::copy(drawn->begin(), drawn->end(), tokens);
  return 0;
}

}  // namespace highwater::web
