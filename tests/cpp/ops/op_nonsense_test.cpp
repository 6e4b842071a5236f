// Every real op, called with arguments that make little sense. It may accept or refuse them, at
// load or at a call, but it must not fall over: programs come from files. The sanitized build is
// where this test bites.
#include <cmath>
#include <limits>
#include <random>

#include "support/engine.h"

namespace highwater {
namespace {

class Nonsense {
 public:
  Nonsense(const Schema& schema, uint32_t seed) : random_(seed) {
    for (const Dims& d : {Dims{}, Dims{6}, Dims{4, 6}, Dims{1, 4, 6}, Dims{1, 4, 2, 6}, Dims{0, 6},
                          Dims{1, 1, 1, 1, 1, 1, 2, 3}}) {
      tensors_.push_back(b_.input(d));
      tensors_.push_back(b_.constant(d, "w"));
    }
    for (DType dtype : {DType::Int32, DType::Int64, DType::UInt8, DType::Bool, DType::Float16}) {
      tensors_.push_back(b_.input({4, 6}, dtype));
      tensors_.push_back(b_.input({6}, dtype));
    }
    for (int64_t i :
         {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{7}, kMaxInt, kMinInt}) {
      others_.push_back(b_.integer(i));
    }
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    for (double d : {0.5, 1.797e308, -1.0, kInfinite, -kInfinite, std::nan("")}) {
      others_.push_back(b_.number(d));
    }
    for (const char* s : {"none", "tanh", ""}) others_.push_back(b_.string(s));
    for (const auto& list : {std::vector<int64_t>{},
                             {0},
                             {-1},
                             {2, 3},
                             {1, -1, 6},
                             {9, 9, 9},
                             {kMaxInt},
                             {kMaxInt, kMaxInt, kMaxInt},
                             {kMinInt, kMaxInt},
                             {1, kMaxInt / 2, 6}}) {
      others_.push_back(b_.integers(list));
    }
    const ValueId scalar = b_.input_scalar();
    others_.insert(others_.end(),
                   {b_.null(), b_.flag(true), scalar, b_.list({}), b_.list({scalar, others_[2]})});
    others_.push_back(b_.list({pick(tensors_), pick(tensors_)}));
    b_.call(std::string(schema.name()), arguments(schema));
  }

  const Program& program() const { return b_.program(); }

  std::vector<Input> inputs() {
    std::vector<Input> result;
    for (ValueId id : b_.program().inputs) {
      const auto* tensor = std::get_if<TensorDecl>(&b_.program().values[id]);
      if (!tensor) {
        constexpr int64_t extremes[] = {kMaxInt, kMinInt, kMaxInt / 2, kMinInt / 2,
                                        int64_t{1} << 32};
        const bool is_extreme = random_() % 3 == 0;
        result.emplace_back(is_extreme ? extremes[random_() % std::size(extremes)]
                                       : static_cast<int64_t>(random_() % 12) - 3);
        continue;
      }
      Dims live = tensor->dims;
      for (size_t i = 0; i < live.rank(); ++i) {
        live[i] = static_cast<int64_t>(random_() % static_cast<uint64_t>(live[i] + 1));
      }
      result.emplace_back(HostTensor{tensor->dtype, live, kElements});
    }
    return result;
  }

 private:
  static constexpr uint64_t kElements[64] = {1, 2, 3};

  // Mostly of the kinds that the op wants; sometimes too few.
  std::vector<ValueId> arguments(const Schema& schema) {
    std::vector<ValueId> args;
    for (const Argument& argument : schema.arguments()) {
      const bool is_tensor = argument.kind == ArgumentKind::Tensor && !argument.is_list;
      const bool as_wanted = random_() % 10 > 0;
      args.push_back(pick(is_tensor == as_wanted ? tensors_ : others_));
      if (random_() % 50 == 0) break;
    }
    const Dims bound = b_.bound(pick(tensors_));
    const auto result = [&] {
      return b_.tensor(bound, random_() % 4 ? DType::Float32 : DType::Int32);
    };
    switch (random_() % 10 ? schema.result() : static_cast<ResultKind>(random_() % 3)) {
      case ResultKind::SymInt:
        args.push_back(b_.scalar());
        break;
      case ResultKind::Tensors: {
        std::vector<ValueId> results;
        const size_t count = schema.result_count() ? schema.result_count() : 2;
        while (results.size() < count) results.push_back(result());
        args.push_back(b_.list(results));
        break;
      }
      default:
        args.push_back(result());
    }
    return args;
  }

  ValueId pick(const std::vector<ValueId>& from) { return from[random_() % from.size()]; }

  std::mt19937 random_;
  ProgramBuilder b_;
  std::vector<ValueId> tensors_;
  std::vector<ValueId> others_;
};

class EveryOp : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryOp, SurvivesNonsense) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Nonsense nonsense(find_op(GetParam())->schema, seed);
    const auto graph = Graph::build(nonsense.program());
    if (!graph) {
      EXPECT_TRUE(fails_saying(graph, {GetParam()}));
      continue;
    }
    Live live(**graph);
    for (int call = 0; call < 5; ++call) {
      const Status status = live.update(nonsense.inputs());
      EXPECT_TRUE(status.ok() || fails_saying(status, {GetParam()}));
    }
  }
}

std::vector<std::string_view> real_ops() {
  std::vector<std::string_view> names;
  for (const OpEntry* op : op_table()) names.push_back(op->schema.name());
  std::erase_if(names, [](std::string_view name) { return name.starts_with("toy."); });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryOp, testing::ValuesIn(real_ops()), [](const auto& test) {
  std::string name(test.param);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

}  // namespace
}  // namespace highwater
