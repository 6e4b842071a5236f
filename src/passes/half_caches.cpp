#include <map>

#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {
namespace {

struct CacheArguments {
  std::string_view op;
  size_t arity;
  std::vector<size_t> positions;
};

// Ops that convert what they put into a cache and what they take from it.
const CacheArguments* cache_arguments(const Rewriter& r, size_t call) {
  static const CacheArguments kOps[] = {
      {"sdpa_with_kv_cache.default", 12, {3, 4}},
      {"update_cache.default", 4, {1}},
  };
  for (const CacheArguments& op : kOps) {
    if (r.is(call, op.op, op.arity)) return &op;
  }
  return nullptr;
}

// Filled at load, where its elements are converted.
bool is_constant(const Rewriter& r, ValueId id) {
  if (r.producer(id)) return r.producer(id, "et_vk.prepack.default", 2).has_value();
  return r.tensor(id).constant.has_value();
}

}  // namespace

void halve_caches(Program& program) {
  std::map<ValueId, size_t> uses_as_cache;
  const Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const CacheArguments* caches = cache_arguments(r, i);
    if (!caches) continue;
    for (size_t position : caches->positions) ++uses_as_cache[r.call(i).args[position]];
  }
  for (const auto& [id, uses] : uses_as_cache) {
    auto* cache = std::get_if<TensorDecl>(&program.values[id]);
    // Any other reader might take the bytes as they are, or give them to the caller.
    if (!cache || cache->dtype != DType::Float32 || uses != r.uses(id)) continue;
    if (is_constant(r, id)) cache->halved = true;
  }
}

}  // namespace highwater
