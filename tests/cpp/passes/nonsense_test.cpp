// The ops that rewrites look for, called with arguments of any kind: files may say anything, and
// rewrites run before ops look at their arguments. What they leave must be refused or run; the
// sanitized build is where this test bites.
#include <random>

#include "blob/definitions.h"
#include "passes/passes.h"
#include "support/engine.h"

namespace highwater {
namespace {

// What some rewrite looks for.
constexpr const char* kWanted[] = {
    "aten.convolution.default",
    "aten.linear.default",
    "aten.mul.Tensor",
    "aten.relu.default",
    "aten.sigmoid.default",
    "aten.add.Tensor",
    "aten.view_copy.default",
    "aten.clone.default",
    "aten.slice_copy.Tensor",
    "et_vk.conv_with_clamp.default",
    "et_vk.rms_norm.default",
    "et_vk.apply_rotary_emb.default",
    "et_vk.linear_q4gsw.default",
    "et_vk.linear_dq8ca_q4gsw.default",
    "et_vk.prepack.default",
    "et_vk.q8ta_add.default",
    "et_vk.q8ta_conv2d.default",
    "et_vk.q8ta_relu.default",
    "quantized_decomposed.dequantize_per_tensor.default",
    "quantized_decomposed.quantize_per_tensor.default",
    "torchao.choose_qparams_affine.default",
    "sdpa_with_kv_cache.default",
    "update_cache.default",
};

class Nonsense {
 public:
  explicit Nonsense(uint32_t seed) : random_(seed) {
    const Dims some_dims[] = {{}, {32}, {1, 32}, {8, 32}, {32, 16}, {32, 32}, {1, 8, 32}};
    for (const Dims& d : some_dims) {
      values_.push_back(b_.input(d));
      values_.push_back(b_.constant(d, "w"));
      values_.push_back(b_.constant(d, "q", DType::UInt8));
    }
    for (int64_t i : {0, 1, 32, -1}) values_.push_back(b_.integer(i));
    values_.insert(values_.end(),
                   {b_.null(), b_.null(), b_.number(1.0), b_.string("ASYMMETRIC"), b_.flag(true),
                    b_.input_scalar(), b_.integers({8, 32}), b_.integers({}), b_.list({})});
    values_.push_back(b_.list({values_[0], values_.back()}));
    for (int i = 0; i < 12; ++i) add_call();
    if (random_() % 2) b_.output(recent());
  }

  const Program& program() const { return b_.program(); }

 private:
  void add_call() {
    const char* op = kWanted[random_() % std::size(kWanted)];
    std::vector<ValueId> args;
    for (size_t k = 0; k < find_op(op)->schema.arguments().size(); ++k) {
      // Mostly of what the calls before made, so that patterns come about.
      args.push_back(random_() % 3 ? recent() : values_[random_() % values_.size()]);
    }
    const ValueId made = make();
    args.push_back(made);
    b_.call(op, std::move(args));
    made_.push_back(made);
  }

  ValueId make() {
    const Dims dims = b_.bound(values_[random_() % 21]);
    switch (random_() % 10) {
      case 0:
        return b_.list({b_.tensor(dims), b_.tensor(dims)});
      case 1:
        return b_.list({});
      case 2:
        return b_.scalar();
      case 3:
        return b_.integer(3);
      default:
        return b_.tensor(dims);
    }
  }

  ValueId recent() {
    if (made_.empty()) return values_[random_() % values_.size()];
    return made_[made_.size() - 1 - random_() % std::min<size_t>(made_.size(), 3)];
  }

  std::mt19937 random_;
  ProgramBuilder b_;
  std::vector<ValueId> values_;
  std::vector<ValueId> made_;
};

TEST(PassesOnNonsense, LeaveAProgramThatIsRefusedOrRuns) {
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Program program = Nonsense(seed).program();
    ASSERT_TRUE(succeeds(check_definitions(program)));
    run_passes(program);
    halve_caches(program);
    const auto graph = Graph::build(program);
    if (!graph) {
      EXPECT_FALSE(graph.error().message().empty());
      continue;
    }
    const Live live(**graph);
  }
}

}  // namespace
}  // namespace highwater
