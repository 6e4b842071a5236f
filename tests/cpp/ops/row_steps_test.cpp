// Who works along a row: one invocation by itself, or a workgroup. Both kinds of
// adapter, from short rows to rows at the end of what loops may take.
#include <functional>

#include "support/engine.h"

namespace highwater {
namespace {

constexpr int64_t kWidest = 131'072;
constexpr int64_t kRows = 3;
constexpr DeviceTraits kSoftware{.software = true, .lanes = 8};
constexpr DeviceTraits kGpu{.software = false, .most_rounds = DeviceTraits::kAnyRounds};

struct Case {
  const char* name;
  // From an input of [3, most], the op's output.
  std::function<void(ProgramBuilder&, ValueId x, int64_t most)> call;
  const char* alone;
  const char* shared;
  int64_t shared_on_software;  // the narrowest width of whole quads
  int64_t shared_on_gpu;
};

const Case kCases[] = {
    {"softmax",
     [](ProgramBuilder& b, ValueId x, int64_t most) {
       b.apply("aten._softmax.default", {x, b.integer(1), b.flag(false)}, {kRows, most});
     },
     "softmax", "softmax/shared", 21'848, 64},
    {"sum",
     [](ProgramBuilder& b, ValueId x, int64_t) {
       b.apply("aten.sum.dim_IntList", {x, b.integers({1}), b.flag(false), b.null()}, {kRows});
     },
     "reduce/sum", "reduce/sum_shared", 65'540, 64},
    {"rms_norm",
     [](ProgramBuilder& b, ValueId x, int64_t most) {
       const ValueId w = b.apply("aten.select_copy.int", {x, b.integer(0), b.integer(0)}, {most});
       b.apply("et_vk.rms_norm.default", {x, w, b.number(1e-5)}, {kRows, most});
     },
     "rms_norm", "rms_norm/shared", 32'772, 4},
    {"add_rms_norm",
     [](ProgramBuilder& b, ValueId x, int64_t most) {
       const ValueId w = b.apply("aten.select_copy.int", {x, b.integer(0), b.integer(0)}, {most});
       const ValueId sum = b.tensor({kRows, most}), y = b.tensor({kRows, most});
       b.call("hw.add_rms_norm", {x, x, w, b.number(1e-5), b.list({sum, y})});
     },
     "rms_norm/add", "rms_norm/add_shared", 32'772, 4},
    {"layer_norm",
     [](ProgramBuilder& b, ValueId x, int64_t most) {
       const ValueId y = b.tensor({kRows, most}), mean = b.tensor({kRows, 1}),
                     scale = b.tensor({kRows, 1});
       b.call("aten.native_layer_norm.default", {x, b.integers({most}), b.null(), b.null(),
                                                 b.number(1e-5), b.list({y, mean, scale})});
     },
     "norm", "norm/shared", 43'692, 64},
};

class RowSteps : public testing::TestWithParam<Case> {
 protected:
  struct Built {
    std::unique_ptr<Graph> graph;
    std::unique_ptr<Live> live;

    // The kernel of the last step that runs at this width.
    std::string at(int64_t width) {
      const Input inputs[] = {of_dims({kRows, width})};
      const Status status = live->update(inputs);
      if (!status) return status.error().message();
      const size_t last = graph->nodes.size() - 1;
      return graph->steps[live->plan(last).runs().back().step].name;
    }
  };

  static Built build(int64_t most, const DeviceTraits& traits) {
    ProgramBuilder b;
    GetParam().call(b, b.input({kRows, most}), most);
    auto graph = Graph::build(b.program(), traits);
    if (!graph) give_up(graph.error());
    Built built{std::move(*graph), nullptr};
    built.live = std::make_unique<Live>(*built.graph);
    return built;
  }

  static std::vector<std::string> declared(const Built& built) {
    std::vector<std::string> names;
    const Node& last = built.graph->nodes.back();
    for (uint32_t i = last.first_step; i < last.end_step; ++i) {
      const std::string& name = built.graph->steps[i].name;
      if (name == GetParam().alone || name == GetParam().shared) names.push_back(name);
    }
    return names;
  }
};

TEST_P(RowSteps, OnSoftwareLongRowsGoToWorkgroups) {
  Built built = build(kWidest, kSoftware);
  const Case& c = GetParam();
  for (int64_t width : {kWidest, c.shared_on_software, kWidest - 4}) {
    EXPECT_EQ(built.at(width), c.shared) << width;
    EXPECT_EQ(built.at(c.shared_on_software - 4), c.alone);
    EXPECT_EQ(built.at(4), c.alone);
  }
}

TEST_P(RowSteps, OnAGpuRowsOfAWorkgroupGoToWorkgroups) {
  Built built = build(kWidest, kGpu);
  const Case& c = GetParam();
  for (int64_t width : {kWidest, c.shared_on_gpu, int64_t{1024}}) {
    EXPECT_EQ(built.at(width), c.shared) << width;
    if (c.shared_on_gpu > 4) {
      EXPECT_EQ(built.at(c.shared_on_gpu - 4), c.alone);
    }
  }
}

TEST_P(RowSteps, OnlyWhatSomeWidthPicksIsDeclared) {
  const Case& c = GetParam();
  using Names = std::vector<std::string>;
  EXPECT_EQ(declared(build(64, kSoftware)), Names{c.alone});
  EXPECT_EQ(declared(build(kWidest, kSoftware)), (Names{c.alone, c.shared}));
  EXPECT_EQ(declared(build(kWidest, kGpu)),
            c.shared_on_gpu > 4 ? (Names{c.alone, c.shared}) : Names{c.shared});
}

INSTANTIATE_TEST_SUITE_P(All, RowSteps, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace highwater
