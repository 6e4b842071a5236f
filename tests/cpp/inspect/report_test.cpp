// The JSON of a program and of a file.
#include <cstdio>
#include <fstream>

#include "inspect/inspect.h"
#include "support/engine.h"

namespace highwater {
namespace {

std::string report(const ProgramBuilder& b, const Target& target = {},
                   const InspectOptions& options = {}) {
  Json json;
  inspect_program(json, b.program(), {}, target, options);
  return json.text();
}

testing::AssertionResult holds(const std::string& text, std::string_view part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in " << text;
}

struct Doubled : ProgramBuilder {
  ValueId x = input({8, 4});
  ValueId w = constant({8, 4}, "w");
  ValueId y = apply("toy.concat", {x, w}, {16, 4});
  Doubled() { output(y); }
};

TEST(ProgramReport, TellsFormulasKernelsAndMemory) {
  const std::string text = report(Doubled());
  EXPECT_TRUE(holds(text, R"("ops": {"toy.concat": 1})"));
  EXPECT_TRUE(holds(text, R"("dims": ["S + 8", "T"])")) << "8 rows of the constant and S of x";
  EXPECT_TRUE(holds(text, R"("role": "constant")"));
  EXPECT_TRUE(holds(text, R"("args": ["a=%0", "b=%1"])"));
  EXPECT_TRUE(holds(text, R"("memory": {)"));
  EXPECT_TRUE(holds(text, R"("troubles": [])"));
}

TEST(ProgramReport, AsksAtAShape) {
  InspectOptions options;
  options.at = {"S=3", "Z=1"};
  const std::string text = report(Doubled(), {}, options);
  EXPECT_TRUE(holds(text, R"({"text": "S=3", "point": [3)"));
  EXPECT_TRUE(holds(text, R"({"text": "Z=1", "error": "nothing live is called 'Z')"));
}

TEST(ProgramReport, NamesOpsThatAreNotSupported) {
  ProgramBuilder b;
  const ValueId x = b.input({8, 4});
  b.output(b.apply("aten.nothing.default", {x}, {8, 4}));
  const std::string text = report(b);
  EXPECT_TRUE(holds(text, R"("unsupported": {"aten.nothing.default": 1})"));
  EXPECT_TRUE(holds(text, R"("error": "an op of this program is not supported)"));
}

TEST(ProgramReport, SaysWhatIsOverTheLimitsOfAnAdapter) {
  Target small;
  small.adapter.emplace();
  small.adapter->limits.max_buffer_size = 128;
  small.adapter->limits.max_storage_buffers = 1;
  const std::string text = report(Doubled(), small);
  EXPECT_TRUE(holds(text, "needs 256 bytes; a buffer of this adapter has at most 128"));
  EXPECT_TRUE(holds(text, "this adapter allows 1"));
}

TEST(ProgramReport, GivesTheTextsOfKernelsOnDemand) {
  ProgramBuilder b;
  const ValueId x = b.input({8, 4});
  b.output(b.apply("aten.sigmoid.default", {x}, {8, 4}));
  InspectOptions options;
  EXPECT_EQ(report(b, {}, options).find("@compute"), std::string::npos);
  options.wgsl = true;
  EXPECT_TRUE(holds(report(b, {}, options), "@compute"));
}

TEST(ProgramReport, ABrokenUtf8NameStaysJson) {
  ProgramBuilder b;
  const ValueId x = b.input({8, 4});
  b.output(b.apply("bad\xff", {x}, {8, 4}));
  EXPECT_TRUE(holds(report(b), R"("bad?")"));
}

TEST(FileReport, BadFilesAreNamed) {
  EXPECT_TRUE(fails_saying(File::open("no/such.pte"), {"cannot read no/such.pte"}));
  EXPECT_TRUE(fails_saying(File::open("."), {"not a file"}));
  const std::string path = testing::TempDir() + "inspect_report_test.pte";
  std::ofstream(path) << "";
  EXPECT_TRUE(fails_saying(File::open(path), {path, "not a .pte file"}));
  std::ofstream(path) << "hello, this is no program";
  EXPECT_TRUE(fails_saying(File::open(path), {path, "not a .pte file"}));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace highwater
