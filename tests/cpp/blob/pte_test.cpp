// .pte files: good ones with their data inside or behind the program, and bad ones.
#include "blob/pte.h"

#include "support/expect.h"
#include "support/pte_builder.h"

namespace highwater {
namespace {

Result<Program> read(const PteContent& content) {
  const Blob file = make_pte(content);
  HW_TRY(const Pte pte, read_pte(in_memory(file)));
  return read_method(pte, "forward");
}

TEST(PteFile, HoldsItsDelegateInsideTheProgramOrBehindIt) {
  for (const bool in_segment : {false, true}) {
    PteContent content = good_pte();
    content.in_segment = in_segment;
    const auto program = read(content);
    ASSERT_TRUE(succeeds(program)) << in_segment;
    EXPECT_EQ(program->calls.size(), 2u);
    // The file's bytes are gone by now.
    EXPECT_EQ(program->constants[0].inline_bytes[0], std::byte{16});
  }
}

TEST(PteFile, EmptySegmentPastTheEndIsNamed) {
  PteContent content = good_pte();
  content.in_segment = true;
  content.segments_begin = uint64_t{1} << 62;
  content.segment_size = 0;
  EXPECT_TRUE(fails_saying(read(content), {"segment 0", "outside the file"}));
}

TEST(PteFile, SegmentOutsideIsNamed) {
  PteContent content = good_pte();
  content.in_segment = true;
  content.segment_size = content.blob.size() + 1;
  EXPECT_TRUE(fails_saying(read(content), {"segment 0", "outside the file", "cut short"}));
}

TEST(PteFile, CutAnywhereIsAnError) {
  for (const bool in_segment : {false, true}) {
    PteContent content = good_pte();
    content.in_segment = in_segment;
    const Blob file = make_pte(content);
    for (size_t length = 0; length < file.size(); ++length) {
      const auto pte = read_pte(in_memory(std::span(file).first(length)));
      if (!pte) continue;
      EXPECT_FALSE(read_method(*pte, "forward").ok()) << length << " of " << file.size();
    }
  }
}

// Of a size that nobody could read.
class Endless final : public ByteSource {
 public:
  explicit Endless(Blob begin) : begin_(std::move(begin)) {}

  using ByteSource::read;
  uint64_t size() const override { return uint64_t{1} << 60; }
  Status read(uint64_t offset, std::span<std::byte> to) const override {
    EXPECT_LE(offset + to.size(), begin_.size());
    std::copy_n(begin_.begin() + static_cast<std::ptrdiff_t>(offset), to.size(), to.begin());
    return {};
  }

 private:
  Blob begin_;
};

TEST(PteFile, WhatIsNoneIsToldByItsFirstBytes) {
  EXPECT_TRUE(fails_saying(read_pte(std::make_shared<Endless>(Blob(64))), {"no ET12 mark"}));
  PteContent content = good_pte();
  content.in_segment = false;
  EXPECT_TRUE(fails_saying(read_pte(std::make_shared<Endless>(make_pte(content))), {"damaged"}));
}

TEST(PteFile, NamesAreText) {
  PteContent content = good_pte();
  content.method = "for\xffward";
  EXPECT_TRUE(fails_saying(read(content), {"not UTF-8"}));
  content.method = "for\x1b[2Jward";
  EXPECT_TRUE(fails_saying(read(content), {"control character"}));
}

}  // namespace
}  // namespace highwater
