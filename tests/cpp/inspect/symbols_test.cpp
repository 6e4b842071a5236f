// What is live is found by asking the planner.
#include "inspect/symbols.h"

#include <algorithm>

#include "inspect/forms.h"
#include "inspect/request.h"
#include "inspect/survey.h"
#include "support/engine.h"
#include "support/q4_layers.h"

namespace highwater {
namespace {

struct Looked {
  std::unique_ptr<Graph> graph;
  std::unique_ptr<Probe> probe;
  std::vector<Symbol> symbols;
  Survey survey;
  Forms forms;

  explicit Looked(const Program& program, const std::vector<InputFacts>& facts = {}) {
    auto built = Graph::build(program);
    if (!built) give_up(built.error());
    graph = *std::move(built);
    probe = std::make_unique<Probe>(*graph);
    auto found = find_symbols(*probe, facts);
    EXPECT_TRUE(succeeds(found));
    if (found) symbols = *std::move(found);
    survey = make_survey(*probe, symbols, {});
    forms = find_forms(*graph, symbols, survey);
  }

  // "S: dim 0 of input 0, 1 to 8"
  std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const Symbol& s : symbols) {
      std::string places;
      for (const Place& p : s.places) places += text(places.empty() ? "" : " and ", describe(p));
      all.push_back(text(s.name, ": ", places, ", ", s.least, " to ", s.most));
    }
    return all;
  }
};

using Names = std::vector<std::string>;

TEST(Symbols, DimsThatChangeTogetherHaveOneName) {
  ProgramBuilder b;
  const ValueId x = b.input({8, 4}), y = b.input({8, 4});
  const ValueId alpha = b.integer(1);
  const ValueId sum = b.apply("aten.add.Tensor", {x, y, alpha}, {8, 4});
  b.output(sum);
  const Looked looked(b.program());
  EXPECT_EQ(looked.told(), (Names{"S: dim 0 of input 0 and dim 0 of input 1, 1 to 8",
                                  "T: dim 1 of input 0 and dim 1 of input 1, 1 to 4"}));
  EXPECT_EQ(looked.forms[sum], (Names{"S", "T"}));
}

TEST(Symbols, DimsThatNeedNotAgreeHaveNamesOfTheirOwn) {
  ProgramBuilder b;
  const ValueId a = b.input({8, 4}), c = b.input({8, 4});
  const ValueId both = b.apply("toy.concat", {a, c}, {16, 4});
  b.output(both);
  const Looked looked(b.program());
  const auto told = looked.told();
  ASSERT_GE(told.size(), 2u);
  EXPECT_EQ(told[0], "S: dim 0 of input 0, 1 to 8");
  const auto rows = looked.forms[both][0];
  EXPECT_NE(rows.find("S + "), std::string::npos) << rows;
}

TEST(Symbols, WhatTheExporterCallsStaticIsNotTried) {
  ProgramBuilder b;
  const ValueId x = b.input({8, 4});
  b.output(b.apply("toy.copy", {x}, {8, 4}));
  InputFacts fixed;
  fixed.least = {8, 4};
  EXPECT_TRUE(Looked(b.program(), {fixed}).told().empty());
  EXPECT_FALSE(Looked(b.program()).told().empty());
}

TEST(Symbols, ARangeThatTheExporterTellsIsKept) {
  ProgramBuilder b;
  const ValueId x = b.input({8, 4});
  b.output(b.apply("toy.copy", {x}, {8, 4}));
  InputFacts told;
  told.least = {3, 4};
  EXPECT_EQ(Looked(b.program(), {told}).told(),
            (std::vector<std::string>{"S: dim 0 of input 0, 3 to 8"}));
}

TEST(Symbols, AScalarIsLiveUnlessItIsKnown) {
  ProgramBuilder b;
  const ValueId n = b.input_scalar();
  const ValueId x = b.input({8, 4});
  const ValueId taken = b.apply("toy.take", {x, n}, {8, 4});
  b.output(taken);
  InputFacts fixed, known;
  fixed.least = {8, 4};
  known.known = 3;
  const Looked live(b.program(), {InputFacts{}, fixed});
  ASSERT_EQ(live.symbols.size(), 1u);
  EXPECT_EQ(live.symbols[0].name, "P");
  EXPECT_EQ(live.forms[taken][0], "min(P, 8)");
  const Looked still(b.program(), {known, fixed});
  EXPECT_TRUE(still.symbols.empty());
  EXPECT_EQ(still.forms[taken][0], "3");
}

TEST(Symbols, APositionInATensorIsLive) {
  ProgramBuilder b;
  const ValueId x = b.input({8, 4});
  const ValueId position = b.input({1}, DType::Int64);
  const ValueId start =
      b.apply_scalar("et_vk.select_as_symint.default", {position, b.integer(0), b.integer(0)});
  const ValueId rows = b.apply_scalar("sym_size.int", {x, b.integer(0)});
  const ValueId end = b.apply_scalar("add", {start, rows});
  b.output(b.apply("toy.copy", {x}, {8, 4})).output(end);
  const Looked looked(b.program());
  ASSERT_GE(looked.told().size(), 2u);
  EXPECT_EQ(looked.told().back().substr(0, 25), "P: element 0 of input 1, ");
  EXPECT_EQ(looked.forms[start], Names{"P"});
  EXPECT_EQ(looked.forms[end], Names{"S + P"});
}

TEST(Survey, BordersBetweenRoutesAreFound) {
  Q4Layers b;
  b.rows = 3000;  // too many to be walked one by one
  b.output(b.layer(b.layer_input()));
  const Looked looked(b.program());
  ASSERT_EQ(looked.symbols.size(), 1u);
  const Axis& axis = looked.survey.axes[0];
  ASSERT_GE(axis.borders.size(), 2u);
  const auto kernel_at = [&](int64_t rows) {
    const auto found = std::find(axis.positions.begin(), axis.positions.end(), rows);
    EXPECT_NE(found, axis.positions.end()) << rows;
    const Survey::Node& node = looked.survey.nodes.back();
    return node.states[node.at[static_cast<size_t>(found - axis.positions.begin())]].runs[0].step;
  };
  for (const int64_t border : axis.borders) {
    EXPECT_NE(kernel_at(border), kernel_at(border - 1)) << border;
  }
  EXPECT_EQ(axis.positions.front(), 1);
  EXPECT_EQ(axis.positions.back(), 3000);
  EXPECT_LT(axis.positions.size(), 200u);
}

TEST(Survey, RefusedPointsKeepThePlannersWords) {
  ProgramBuilder b;
  const ValueId x = b.input({8, 4});
  b.output(b.apply("toy.avoid", {x, b.integer(5)}, {8, 4}));
  const Looked looked(b.program());
  // Where it is refused whatever else there is, it is no position.
  const auto& positions = looked.survey.axes[0].positions;
  EXPECT_EQ(std::count(positions.begin(), positions.end(), 5), 0);
  EXPECT_EQ(std::count(positions.begin(), positions.end(), 6), 1);
  auto survey = make_survey(*looked.probe, looked.symbols, std::vector<Point>{{5, 4}});
  ASSERT_EQ(survey.points.size(), survey.grid_points + 1);
  EXPECT_TRUE(survey.refused(survey.grid_points));
  EXPECT_NE(survey.refusals[survey.why.back()].find("toy.avoid"), std::string::npos);
}

TEST(Request, NamesPlacesAndMistakes) {
  const std::vector<Symbol> symbols{{"S", {{Place::Kind::Dim, 0, 1}}, 1, 127, 127},
                                    {"P", {{Place::Kind::Element, 1, 0}}, 0, 255, 0}};
  EXPECT_EQ(*read_point("", symbols), (Point{127, 0}));
  EXPECT_EQ(*read_point("S=37,P=12", symbols), (Point{37, 12}));
  EXPECT_EQ(*read_point("P=3", symbols), (Point{127, 3}));
  EXPECT_EQ(*read_point("0.1=5", symbols), (Point{5, 0}));
  EXPECT_TRUE(fails_saying(read_point("Q=3", symbols), {"'Q'", "S (dim 1 of input 0)"}));
  EXPECT_TRUE(fails_saying(read_point("S=many", symbols), {"'S=many'"}));
  EXPECT_TRUE(fails_saying(read_point("S", symbols), {"S=37"}));
  EXPECT_TRUE(fails_saying(read_point("S=3", {}), {"all its shapes are fixed"}));
}

}  // namespace
}  // namespace highwater
