#include "support/language_model.h"

namespace highwater {

constexpr int8_t kFloat32 = 5, kInt64 = 7;  // of the delegate's schema

PteContent content_of(const SmallModel& m) {
  BlobContent c;
  c.values = {BlobContent::Tensor{kInt64, {1, m.longest}}, BlobContent::Tensor{kInt64, {1}},
              BlobContent::Tensor{kFloat32, {1, m.vocabulary}, 0},
              BlobContent::Tensor{kFloat32, {1, m.vocabulary}}};
  c.calls = {{"aten.sigmoid.default", 0, {2, 3}}};
  c.inputs = {0, 1};
  c.outputs = {3};
  c.bytes.resize(m.vocabulary * sizeof(float));
  c.constants = {{0, c.bytes.size(), std::nullopt}};
  PteContent pte;
  pte.blob = make_blob(c);
  pte.inputs = {{DType::Int64, {1, static_cast<int32_t>(m.longest)}}, {DType::Int64, {1}}};
  pte.outputs = {{DType::Float32, {1, static_cast<int32_t>(m.vocabulary)}}};
  if (m.capacity) pte.constants = {{"get_max_context_len", *m.capacity}};
  return pte;
}

}  // namespace highwater
