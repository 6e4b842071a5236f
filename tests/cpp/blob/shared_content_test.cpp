// A flatbuffer may refer to one list or name from many places: a small file that would fill all
// memory if each place got a copy.
#include <chrono>

#include "blob/program.h"
#include "schema_generated.h"
#include "support/blob_builder.h"
#include "support/expect.h"

namespace highwater {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr uint32_t kMany = 50'000;

struct Graph {
  std::vector<Offset<vkgraph::VkValue>> values;
  std::vector<Offset<vkgraph::OperatorCall>> calls;
  std::vector<Offset<vkgraph::VkBytes>> constants;
};

Blob finish(FlatBufferBuilder& b, const Graph& g) {
  const auto none = b.CreateVector(std::vector<uint32_t>());
  const auto graph =
      vkgraph::CreateVkGraph(b, b.CreateString("0"), b.CreateVector(g.calls),
                             b.CreateVector(g.values), none, none, b.CreateVector(g.constants));
  vkgraph::FinishVkGraphBuffer(b, graph);
  return make_container({reinterpret_cast<const std::byte*>(b.GetBufferPointer()), b.GetSize()});
}

void expect_refused(FlatBufferBuilder& b, const Graph& graph) {
  const Blob blob = finish(b, graph);
  EXPECT_LT(blob.size(), 2u << 20);
  EXPECT_TRUE(fails_saying(read_program(blob), {"more memory than the file has bytes"}));
}

TEST(SharedContent, ListOfValues) {
  FlatBufferBuilder b;
  Graph g;
  const auto items = b.CreateVector(std::vector<int32_t>(kMany, 0));
  const auto list = vkgraph::CreateValueList(b, items).Union();
  for (uint32_t i = 0; i < kMany; ++i) {
    g.values.push_back(vkgraph::CreateVkValue(b, vkgraph::GraphTypes::ValueList, list));
  }
  expect_refused(b, g);
}

TEST(SharedContent, ListOfIntegers) {
  FlatBufferBuilder b;
  Graph g;
  const auto list =
      vkgraph::CreateIntList(b, b.CreateVector(std::vector<int64_t>(kMany, 1))).Union();
  for (uint32_t i = 0; i < kMany; ++i) {
    g.values.push_back(vkgraph::CreateVkValue(b, vkgraph::GraphTypes::IntList, list));
  }
  expect_refused(b, g);
}

TEST(SharedContent, Arguments) {
  FlatBufferBuilder b;
  Graph g;
  g.values = {vkgraph::CreateVkValue(b)};
  const auto name = b.CreateString("aten.relu.default");
  const auto args = b.CreateVector(std::vector<int32_t>(kMany, 0));
  for (uint32_t i = 0; i < kMany; ++i) {
    g.calls.push_back(vkgraph::CreateOperatorCall(b, i, name, args));
  }
  expect_refused(b, g);
}

// Each call would be looked at with all of them.
TEST(SharedContent, ListThatManyCallsAreGiven) {
  FlatBufferBuilder b;
  Graph g;
  const auto list =
      vkgraph::CreateValueList(b, b.CreateVector(std::vector<int32_t>(kMany, 1))).Union();
  g.values = {vkgraph::CreateVkValue(b, vkgraph::GraphTypes::ValueList, list),
              vkgraph::CreateVkValue(b)};
  const auto name = b.CreateString("aten.cat.default");
  const auto args = b.CreateVector(std::vector<int32_t>{0, 1});
  for (uint32_t i = 0; i < kMany; ++i) {
    g.calls.push_back(vkgraph::CreateOperatorCall(b, i, name, args));
  }
  expect_refused(b, g);
}

TEST(SharedContent, Names) {
  FlatBufferBuilder b;
  Graph g;
  const auto name = b.CreateString(std::string(kMany, 'a'));
  for (uint32_t i = 0; i < kMany; ++i) {
    g.calls.push_back(vkgraph::CreateOperatorCall(b, i, name));
  }
  expect_refused(b, g);
}

TEST(SharedContent, Keys) {
  FlatBufferBuilder b;
  Graph g;
  const auto key = b.CreateString(std::string(kMany, 'a'));
  for (uint32_t i = 0; i < kMany; ++i) {
    g.constants.push_back(vkgraph::CreateVkBytes(b, UINT64_MAX, 4, key));
  }
  expect_refused(b, g);
}

// The verifier looks at where a list begins, not at how its elements are aligned.
TEST(SharedContent, ListMayBeMisaligned) {
  FlatBufferBuilder b;
  for (const bool pad : {false, true}) {
    b.Clear();
    Graph g;
    if (pad) b.CreateVector(std::vector<int32_t>{1});
    b.StartVector(4, sizeof(int32_t));
    for (const int32_t half : {0, 5, -1, -3}) b.PushElement(half);
    const Offset<flatbuffers::Vector<int64_t>> items(b.EndVector(2));
    const auto list = vkgraph::CreateIntList(b, items).Union();
    g.values = {vkgraph::CreateVkValue(b, vkgraph::GraphTypes::IntList, list)};
    const Blob blob = finish(b, g);
    const auto program = read_program(blob);
    ASSERT_TRUE(succeeds(program));
    EXPECT_EQ(std::get<std::vector<int64_t>>(program->values[0]),
              (std::vector<int64_t>{(int64_t{-1} << 32) | 0xfffffffd, 5}));
  }
}

}  // namespace
}  // namespace highwater
