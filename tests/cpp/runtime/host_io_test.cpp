#include "runtime/host_io.h"

#include <cmath>
#include <limits>
#include <vector>

#include "support/expect.h"

namespace highwater {
namespace {

template <class From, class To>
Status convert(DType host, const std::vector<From>& from, DType device, std::vector<To>& to) {
  return to_device(host, std::as_bytes(std::span(from)), device,
                   std::as_writable_bytes(std::span(to)), from.size());
}

TEST(HostIo, Int64NarrowsWhereItFits) {
  const std::vector<int64_t> from{0, -1, 2147483647, -2147483648};
  std::vector<int32_t> to(4);
  ASSERT_TRUE(succeeds(convert(DType::Int64, from, DType::Int32, to)));
  EXPECT_EQ(to, (std::vector<int32_t>{0, -1, 2147483647, -2147483647 - 1}));
}

TEST(HostIo, IntegerThatDoesNotFitIsNamed) {
  std::vector<int32_t> to(3);
  EXPECT_TRUE(fails_saying(convert<int64_t>(DType::Int64, {1, 2147483648, 5}, DType::Int32, to),
                           {"element 1", "2147483648", "32 bits", "int64"}));
  EXPECT_TRUE(fails_saying(convert<int64_t>(DType::Int64, {1, 2, -2147483649}, DType::Int32, to),
                           {"element 2", "-2147483649"}));
  EXPECT_FALSE(
      convert<int64_t>(DType::Int64, {std::numeric_limits<int64_t>::min()}, DType::Int32, to).ok());
}

TEST(HostIo, FloatsChangeWidth) {
  std::vector<float> to(3);
  ASSERT_TRUE(succeeds(convert<double>(DType::Float64, {0.1, -2.5, 1e300}, DType::Float32, to)));
  EXPECT_EQ(to, (std::vector<float>{0.1f, -2.5f, HUGE_VALF}));
  std::vector<uint16_t> halves(3);
  ASSERT_TRUE(
      succeeds(convert<float>(DType::Float32, {1.0f, -2.0f, 65504.0f}, DType::Float16, halves)));
  EXPECT_EQ(halves, (std::vector<uint16_t>{0x3c00, 0xc000, 0x7bff}));
}

TEST(HostIo, SameTypeIsCopiedAndNothingIsFine) {
  std::vector<uint8_t> to(3);
  ASSERT_TRUE(succeeds(convert<uint8_t>(DType::UInt8, {7, 8, 255}, DType::UInt8, to)));
  EXPECT_EQ(to, (std::vector<uint8_t>{7, 8, 255}));
  EXPECT_TRUE(succeeds(to_device(DType::Float32, {}, DType::Float32, {}, 0)));
  EXPECT_TRUE(succeeds(to_device(DType::Int64, {}, DType::Int32, {}, 0)));
  from_device(DType::Float32, {}, DType::Float32, {}, 0);
}

TEST(HostIo, OtherPairsAreRefusedByName) {
  std::vector<int32_t> to(1);
  EXPECT_TRUE(fails_saying(convert<float>(DType::Float32, {1.0f}, DType::Int32, to),
                           {"float32 values were given", "int32 is wanted"}));
  EXPECT_FALSE(convertible(DType::Int32, DType::Float32));
  EXPECT_FALSE(convertible(DType::Bool, DType::UInt8));
  EXPECT_TRUE(convertible(DType::Int64, DType::Int32));
  EXPECT_TRUE(convertible(DType::Int8, DType::Int8));
}

TEST(HostIo, WhatGoesOutComesBack) {
  const std::vector<int32_t> device{5, -7};
  std::vector<int64_t> host(2);
  from_device(DType::Int32, std::as_bytes(std::span(device)), DType::Int64,
              std::as_writable_bytes(std::span(host)), 2);
  EXPECT_EQ(host, (std::vector<int64_t>{5, -7}));
  const std::vector<uint16_t> halves{0x3c00, 0xfc00};
  std::vector<float> floats(2);
  from_device(DType::Float16, std::as_bytes(std::span(halves)), DType::Float32,
              std::as_writable_bytes(std::span(floats)), 2);
  EXPECT_EQ(floats, (std::vector<float>{1.0f, -HUGE_VALF}));
}

}  // namespace
}  // namespace highwater
