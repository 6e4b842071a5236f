// Calls that make sense but for one integer, which is as large or as small as integers get: written
// in the program, or live. They may be accepted or refused, but nothing overflows on the way. The
// sanitized build is where these tests bite.
#include <variant>

#include "support/engine.h"

namespace highwater {
namespace {

constexpr int64_t kExtremes[] = {
    kMaxInt,      kMinInt,      kMaxInt - 1,  kMinInt + 1, kMaxInt / 2,
    kMaxInt / 3,  kMinInt / 2,  1LL << 32,    1LL << 31,   (1LL << 31) - 1,
    -(1LL << 31), -(1LL << 32), 3037000500LL, -1,          0};

// Arguments of a call; of these, integers and lists of them are tried at every extreme.
struct Of {  // a tensor that is given
  Dims bound;
  DType dtype = DType::Float32;
};
struct Constant {
  Dims dims;
  DType dtype = DType::Float32;
};
struct Out {
  Dims bound;
  DType dtype = DType::Float32;
};
using Outs = std::vector<Dims>;
struct OutScalar {};
struct Null {};
struct Text {
  const char* text;
};
using Integers = std::vector<int64_t>;
using Given = std::vector<Of>;
using CallArgument =
    std::variant<Of, Constant, Out, Outs, OutScalar, Null, int64_t, double, Text, Integers, Given>;

struct Call {
  std::string_view op;
  std::vector<CallArgument> arguments;
};

constexpr DType kInt = DType::Int32, kByte = DType::UInt8;
const Dims kX{4, 6}, kRow{6}, kHeads{1, 4, 2, 8}, kCache{1, 16, 2, 8}, kTable{16, 8};

// Every op that reads integers which are not elements of a tensor.
const Call kCalls[] = {
    {"aten.slice_copy.Tensor", {Of{kX}, 0, 1, 3, 1, Out{kX}}},
    {"aten.slice_copy.Tensor", {Of{kX}, 1, 0, 4, 2, Out{kX}}},
    {"aten.select_copy.int", {Of{kX}, 0, 1, Out{kRow}}},
    {"aten.split_with_sizes_copy.default", {Of{kX}, Integers{1, 3}, 0, Outs{kX, kX}}},
    {"aten.constant_pad_nd.default", {Of{kX}, Integers{1, 0, 0, 2}, 0.0, Out{{8, 9}}}},
    {"aten.expand_copy.default", {Of{{1, 6}}, Integers{2, 4, 6}, 0, Out{{2, 4, 6}}}},
    {"aten.repeat.default", {Of{kX}, Integers{2, 1, 3}, Out{{2, 4, 18}}}},
    {"aten.flip.default", {Of{kX}, Integers{0}, Out{kX}}},
    {"aten.permute_copy.default", {Of{kX}, Integers{1, 0}, Out{{6, 4}}}},
    {"aten.view_copy.default", {Of{kX}, Integers{2, 12}, Out{{8, 24}}}},
    {"aten.view_copy.default", {Of{kX}, Integers{2, -1, 6}, Out{{8, 8, 8}}}},
    {"aten.unsqueeze_copy.default", {Of{kX}, 0, Out{{1, 4, 6}}}},
    {"aten.squeeze_copy.dims", {Of{{4, 1, 6}}, Integers{1}, Out{kX}}},
    {"aten.cat.default", {Given{{kX}, {kX}}, 0, Out{{8, 6}}}},
    {"aten.full.default", {Integers{4, 6}, 1, Out{kX}}},
    {"aten.full_like.default", {Of{kX}, 1, Out{kX, kInt}}},
    {"aten.arange.start_step", {0, 4, 1, Out{{8}, kInt}}},
    {"aten.arange.start_step", {0, 4, 1, Out{{8}}}},
    {"aten.add.Tensor", {Of{kX}, Of{kX}, 1, Out{kX}}},
    {"aten.add.Scalar", {Of{kX, kInt}, 3, 1, Out{kX, kInt}}},
    {"aten.pow.Tensor_Scalar", {Of{kX, kInt}, 3, Out{kX, kInt}}},
    {"aten.clamp.default", {Of{kX, kInt}, 1, 2, Out{kX, kInt}}},
    {"aten.sum.dim_IntList", {Of{kX}, Integers{1}, 0, Null{}, Out{{4}}}},
    {"aten.argmax.default", {Of{kX}, 1, 0, Out{{4}, kInt}}},
    {"aten._softmax.default", {Of{kX}, 1, 0, Out{kX}}},
    {"aten.native_layer_norm.default",
     {Of{kX}, Integers{6}, Null{}, Null{}, 0.1, Outs{kX, {4, 1}, {4, 1}}}},
    {"aten.native_group_norm.default",
     {Of{{1, 4, 6}}, Null{}, Null{}, 1, 4, 6, 2, 0.1, Outs{{1, 4, 6}, {1, 2}, {1, 2}}}},
    {"aten.gather.default", {Of{kX}, 0, Of{kX, kInt}, 0, Out{kX}}},
    {"aten.index_select.default", {Of{kX}, 0, Of{{2}, kInt}, Out{kX}}},
    {"aten.addmm.default", {Of{kX}, Of{kX}, Of{{6, 6}}, 1, 1, Out{kX}}},
    {"et_vk.select_as_symint.default", {Of{{4}, kInt}, 0, 1, OutScalar{}}},
    {"sym_size.int", {Of{kX}, 0, OutScalar{}}},
    {"add", {1, 2, OutScalar{}}},
    {"sub", {1, 2, OutScalar{}}},
    {"mul", {1, 2, OutScalar{}}},
    {"mod", {1, 2, OutScalar{}}},
    {"floordiv", {1, 2, OutScalar{}}},
    {"update_cache.default", {Of{kHeads}, Constant{kCache}, 3, Out{{1}}}},
    {"sdpa_with_kv_cache.default",
     {Of{kHeads}, Of{kHeads}, Of{kHeads}, Constant{kCache}, Constant{kCache}, 3, 4, Null{}, 0, 1,
      Null{}, Out{kHeads}}},
    {"hw.rope.at", {Of{kHeads}, Of{kHeads}, Of{{16, 4}}, Of{{16, 4}}, 2, Outs{kHeads, kHeads}}},
    {"et_vk.apply_rotary_emb_hf.default",
     {Of{kHeads}, Of{kHeads}, Of{kTable}, Of{kTable}, 2, Outs{kHeads, kHeads}}},
    {"et_vk.embedding_q4gsw.default",
     {Constant{{16, 16}, kByte}, Constant{{16, 2}}, 16, Of{{3}, kInt}, 1, Out{{3, 32}}}},
    {"et_vk.linear_q4gsw.default",
     {Of{{4, 32}}, Constant{{8, 16}, kByte}, Constant{{1, 8}}, 32, Null{}, Out{{4, 8}}}},
    {"torchao.choose_qparams_affine.default",
     {Of{kX}, Text{"ASYMMETRIC"}, Integers{1, 6}, Null{}, -128, 127, 1, Outs{{4, 1}, {4, 1}}}},
    {"hw.fake_quantize", {Of{{4, 8}}, -128, 127, 1, Out{{4, 8}}}},
    {"highwater.sample.default", {Of{kX}, 0x3f800000, 4, 0x3f000000, 1, 2, Out{{1, 1}, kInt}}},
};

// Integers of a call, those in lists included.
size_t integers_of(const Call& call) {
  size_t count = 0;
  for (const CallArgument& a : call.arguments) {
    count += std::holds_alternative<int64_t>(a);
    if (const auto* list = std::get_if<Integers>(&a)) count += list->size();
  }
  return count;
}

// A call as a program, in which the integers from number `first` to `last` are the extreme.
class Extreme {
 public:
  Extreme(const Call& call, size_t first, size_t last, int64_t extreme, bool is_live)
      : first_(first), last_(last), extreme_(extreme), is_live_(is_live) {
    std::vector<ValueId> args;
    for (const CallArgument& a : call.arguments) args.push_back(std::visit(*this, a));
    b_.call(std::string(call.op), args);
  }

  const Program& program() const { return b_.program(); }
  std::vector<Input> inputs() const {
    static constexpr uint64_t kElements[256] = {};
    std::vector<Input> result;
    for (ValueId id : program().inputs) {
      const auto* tensor = std::get_if<TensorDecl>(&program().values[id]);
      result.push_back(tensor ? Input(HostTensor{tensor->dtype, tensor->dims, kElements})
                              : Input(extreme_));
    }
    return result;
  }

  ValueId operator()(const Of& x) { return b_.input(x.bound, x.dtype); }
  ValueId operator()(const Constant& w) { return b_.constant(w.dims, "w", w.dtype); }
  ValueId operator()(const Out& y) { return b_.tensor(y.bound, y.dtype); }
  ValueId operator()(OutScalar) { return b_.scalar(); }
  ValueId operator()(Null) { return b_.null(); }
  ValueId operator()(Text t) { return b_.string(t.text); }
  ValueId operator()(double number) { return b_.number(number); }
  ValueId operator()(int64_t usual) {
    const bool is_extreme = at_ >= first_ && at_ <= last_;
    ++at_;
    if (!is_extreme) return b_.integer(usual);
    return is_live_ ? b_.input_scalar() : b_.integer(extreme_);
  }
  ValueId operator()(const Integers& usual) {
    std::vector<ValueId> items;
    for (int64_t i : usual) items.push_back((*this)(i));
    return b_.list(items);
  }
  ValueId operator()(const Outs& bounds) {
    std::vector<ValueId> items;
    for (const Dims& bound : bounds) items.push_back(b_.tensor(bound));
    return b_.list(items);
  }
  ValueId operator()(const Given& xs) {
    std::vector<ValueId> items;
    for (const Of& x : xs) items.push_back((*this)(x));
    return b_.list(items);
  }

 private:
  ProgramBuilder b_;
  size_t at_ = 0;
  size_t first_;
  size_t last_;
  int64_t extreme_;
  bool is_live_;
};

class EveryCall : public testing::TestWithParam<Call> {};

TEST_P(EveryCall, TakesOrRefusesExtremeIntegers) {
  const Call& call = GetParam();
  const size_t count = integers_of(call);
  for (size_t first = 0; first < count; ++first) {
    for (size_t last : {first, count - 1}) {
      for (int64_t extreme : kExtremes) {
        for (bool is_live : {false, true}) {
          SCOPED_TRACE(testing::Message() << extreme << " for integers " << first << " to " << last
                                          << (is_live ? ", live" : ""));
          const Extreme program(call, first, last, extreme, is_live);
          const auto graph = Graph::build(program.program());
          if (!graph) {
            EXPECT_TRUE(fails_saying(graph, {call.op}));
            continue;
          }
          const Status status = Live(**graph).update(program.inputs());
          EXPECT_TRUE(status.ok() || fails_saying(status, {call.op}));
        }
      }
    }
  }
}

TEST(ExtremeIntegers, AStepPastTheEndTakesOneRow) {
  for (int64_t step : {int64_t{3}, int64_t{4}, int64_t{100}, kMaxInt - 1, kMaxInt}) {
    ProgramBuilder b;
    const ValueId x = b.input(kX);
    const std::vector<ValueId> args{x, b.integer(0), b.integer(1), b.integer(kMaxInt),
                                    b.integer(step)};
    const ValueId y = b.apply("aten.slice_copy.Tensor", args, kX);
    Engine engine(b.output(y).program());
    for (int64_t length : {4, 2, 1, 0, 3}) {
      ASSERT_TRUE(succeeds(engine.call({of_dims({length, 6})})));
      EXPECT_EQ(engine.dims(y), (Dims{length > 1 ? 1 : 0, 6})) << step << " of " << length;
    }
  }
}

// The calls make sense: as they stand, each is planned.
TEST_P(EveryCall, TakesTheUsualOnes) {
  const size_t none = integers_of(GetParam());
  const Extreme program(GetParam(), none, none, 0, false);
  const auto graph = Graph::build(program.program());
  ASSERT_TRUE(succeeds(graph));
  EXPECT_TRUE(succeeds(Live(**graph).update(program.inputs())));
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryCall, testing::ValuesIn(kCalls), [](const auto& test) {
  std::string name(test.param.op);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + "_" + std::to_string(test.index);
});

}  // namespace
}  // namespace highwater
