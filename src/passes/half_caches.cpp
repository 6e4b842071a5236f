#include <map>

#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {
namespace {

// The caches of a call that converts what it puts into them and what it takes out.
std::vector<ValueId> caches_of(const Rewriter& r, size_t i) {
  for (const auto* op : {"sdpa_with_kv_cache.default", "hw.sdpa_with_kv_cache.rope"}) {
    const auto sdpa = r.call(i, op);
    if (sdpa) return {(*sdpa)["key_cache"], (*sdpa)["value_cache"]};
  }
  if (const auto update = r.call(i, "update_cache.default")) return {(*update)["cache"]};
  return {};
}

// The constant that a cache is from the start, whose elements are converted at load: itself, or
// what it is prepacked from. None if something else may read that.
std::optional<ValueId> constant_behind(const Rewriter& r, ValueId id) {
  if (!r.producer(id)) return r.tensor(id).constant ? std::optional(id) : std::nullopt;
  const auto prepack = r.producer(id, "et_vk.prepack.default");
  if (!prepack || r.uses((*prepack)["x"]) != 1) return std::nullopt;
  return (*prepack)["x"];
}

}  // namespace

void halve_caches(Program& program) {
  std::map<ValueId, size_t> uses_as_cache;
  const Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    for (ValueId cache : caches_of(r, i)) ++uses_as_cache[cache];
  }
  for (const auto& [id, uses] : uses_as_cache) {
    auto* cache = std::get_if<TensorDecl>(&program.values[id]);
    // Any other reader might take the bytes as they are, or give them to the caller.
    if (!cache || cache->dtype != DType::Float32 || uses != r.uses(id)) continue;
    const auto constant = constant_behind(r, id);
    if (!constant || !r.is_tensor(*constant)) continue;
    cache->halved = true;
    std::get<TensorDecl>(program.values[*constant]).halved = true;
  }
}

}  // namespace highwater
