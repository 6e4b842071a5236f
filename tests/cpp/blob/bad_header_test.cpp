// Each field of the container's header broken in turn.
#include "blob/program.h"
#include "support/blob_builder.h"
#include "support/expect.h"

namespace highwater {
namespace {

// A good blob with one field of its header overwritten.
template <class T>
Result<Program> read_with(size_t field, T value) {
  Blob blob = make_blob(good_content());
  put(blob, field, value);
  return read_program(blob);
}

TEST(BadHeader, Magic) {
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(fails_saying(read_with(kMagicField + i, 'x'), {"VH00", "VulkanPartitioner"}));
  }
}

TEST(BadHeader, HeaderSize) {
  EXPECT_TRUE(fails_saying(read_with(kHeaderSizeField, uint16_t{29}), {"header", "29", "30"}));
  EXPECT_TRUE(fails_saying(read_with(kHeaderSizeField, uint16_t{0}), {"header", "0 bytes"}));
}

TEST(BadHeader, GraphOutsideTheBlob) {
  const auto outside = {std::string_view("graph"), std::string_view("outside the blob")};
  EXPECT_TRUE(fails_saying(read_with(kGraphOffsetField, uint32_t{0xffffffff}), outside));
  EXPECT_TRUE(fails_saying(read_with(kGraphSizeField, uint32_t{0xffffffff}), outside));
  const auto length = static_cast<uint32_t>(make_blob(good_content()).size());
  EXPECT_TRUE(fails_saying(read_with(kGraphOffsetField, length), outside));
  EXPECT_TRUE(fails_saying(read_with(kGraphOffsetField, length + 1), outside));
}

TEST(BadHeader, BytesOutsideTheBlob) {
  const auto outside = {std::string_view("constant data"), std::string_view("outside the blob")};
  EXPECT_TRUE(fails_saying(read_with(kBytesOffsetField, uint32_t{0xffffffff}), outside));
  EXPECT_TRUE(fails_saying(read_with(kBytesSizeField, uint64_t{49}), outside));
  // Offset plus size is 8 in 64 bits.
  EXPECT_TRUE(fails_saying(read_with(kBytesSizeField, ~uint64_t{0} - 8), outside));
}

TEST(BadHeader, GraphThatIsNone) {
  const auto none = {std::string_view("not a VK00 flatbuffer")};
  EXPECT_TRUE(fails_saying(read_with(kGraphOffsetField, uint32_t{0}), none));
  for (uint32_t size : {0u, 1u, 4u, 7u}) {
    EXPECT_TRUE(fails_saying(read_with(kGraphSizeField, size), none)) << size;
  }
  EXPECT_TRUE(fails_saying(read_with(kGraphSizeField, uint32_t{8}), {"damaged"}));
}

TEST(BadHeader, GraphIdentifier) {
  Blob blob = make_blob(good_content());
  put(blob, get<uint32_t>(blob, kGraphOffsetField) + 4, 'X');
  EXPECT_TRUE(fails_saying(read_program(blob), {"not a VK00 flatbuffer"}));
}

TEST(BadHeader, NoBlobAtAll) {
  EXPECT_TRUE(fails_saying(read_program({}), {"0 bytes", "30"}));
}

}  // namespace
}  // namespace highwater
