// What passes for a language model with a cache. Nothing is loaded.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "highwater/generator.h"
#include "support/expect.h"
#include "support/pte_builder.h"

namespace highwater {
namespace {

constexpr int8_t kFloat32 = 5, kInt64 = 7;  // of the delegate's schema

struct Model {
  uint32_t longest = 8;     // tokens in a call
  uint32_t vocabulary = 4;  // logits
  std::optional<int64_t> capacity = 100;
};

// Logits that depend on nothing.
PteContent content_of(const Model& m) {
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

Status check(const Model& model) {
  const std::string path = testing::TempDir() + "/model-" + std::to_string(::getpid()) + ".pte";
  const Blob file = make_pte(content_of(model));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  Status status = Generator::check(path);
  std::filesystem::remove(path);
  return status;
}

TEST(LanguageModel, IsRecognized) {
  EXPECT_TRUE(succeeds(check({})));
}

TEST(LanguageModel, ThatCannotBeFedOrTellsNothingIsNone) {
  EXPECT_TRUE(fails_saying(check({.longest = 0}), {"takes no token", "[1, 0]"}));
  EXPECT_TRUE(fails_saying(check({.vocabulary = 0}), {"tells of none", "[1, 0]"}));
  EXPECT_TRUE(fails_saying(check({.capacity = {}}), {"get_max_context_len"}));
  EXPECT_TRUE(fails_saying(check({.capacity = 0}), {"get_max_context_len"}));
  EXPECT_TRUE(fails_saying(check({.capacity = -5}), {"get_max_context_len"}));
}

}  // namespace
}  // namespace highwater
