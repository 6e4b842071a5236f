// The device room by itself: bad kernels and buffers are errors, and what follows them works.
#include <cstring>
#include <numeric>

#include "gpu/executable.h"
#include "support/expect.h"

namespace highwater::gpu {
namespace {

// y = x * scale, for `count` elements.
constexpr const char* kScale = R"(
struct Params { count: u32, scale: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < params.count) { y[id.x] = x[id.x] * params.scale; }
}
)";

struct ScaleParams {
  uint32_t count;
  float scale;
  uint32_t spare[2] = {};
};

constexpr uint32_t kCount = 100;
constexpr uint64_t kBytes = kCount * sizeof(float);

std::shared_ptr<Device> open_device() {
  auto device = Device::open();
  if (!device) give_up(device.error());
  return *device;
}

ExecutableSpec scale_spec(const ScaleParams& params, const char* wgsl = kScale) {
  ExecutableSpec spec;
  spec.buffers = {{kBytes}, {kBytes}};
  spec.steps = {{"scale", wgsl, {{1, true}, {0, false}}, 0, sizeof(ScaleParams)}};
  spec.params = std::as_bytes(std::span(&params, 1));
  spec.read_back_size = kBytes;
  return spec;
}

// Runs a good executable from end to end.
void expect_working(const std::shared_ptr<Device>& device, float scale) {
  const ScaleParams params{kCount, scale};
  Accounts load;
  auto made = Executable::create(device, scale_spec(params), load);
  ASSERT_TRUE(succeeds(made));
  std::vector<float> x(kCount);
  std::iota(x.begin(), x.end(), 1.0f);
  const Upload upload{0, std::as_bytes(std::span(x))};
  const Dispatch dispatch{0, 2, 1};
  const ReadBack read_back{1, kBytes};
  const Work work{{}, {&upload, 1}, {}, {&dispatch, 1}, {&read_back, 1}};
  Accounts accounts;
  ASSERT_TRUE(succeeds((*made)->run({&work, 1}, accounts)));
  ASSERT_EQ((*made)->result(0).size(), kBytes);
  std::vector<float> y(kCount);
  std::memcpy(y.data(), (*made)->result(0).data(), kBytes);
  for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(y[i], x[i] * scale) << i;
  EXPECT_EQ(accounts.passes, 1u);
  EXPECT_EQ(accounts.submits, 1u);
  EXPECT_EQ(accounts.dispatches, 1u);
  EXPECT_EQ(accounts.gpu_objects, 0u);
  EXPECT_EQ(accounts.read_back_bytes, kBytes);
}

TEST(Executable, Works) {
  expect_working(open_device(), 3.0f);
}

TEST(Executable, DeviceIsSharedAndDescribesItself) {
  const auto device = open_device();
  ASSERT_TRUE(device);
  EXPECT_EQ(device, open_device());
  EXPECT_FALSE(device->adapter().name.empty());
  EXPECT_GE(device->adapter().limits.max_buffer_size, 256u << 20) << "WebGPU's guarantee";
  EXPECT_GE(device->adapter().limits.max_storage_buffers, 8u);
}

TEST(Executable, UnknownAdapterIsAnErrorThatListsWhatThereIs) {
  const auto device = Device::open("no such adapter");
  EXPECT_TRUE(fails_saying(device, {"no such adapter", open_device()->adapter().name}));
}

TEST(Executable, BadWgslIsAnErrorWithItsMessageAndTheNextOneWorks) {
  const auto device = open_device();
  const ScaleParams params{kCount, 1.0f};
  Accounts accounts;
  const auto unparsable =
      Executable::create(device, scale_spec(params, "fn main( { nonsense"), accounts);
  EXPECT_TRUE(fails_saying(unparsable, {"kernel scale", "nonsense"}));
  const auto untyped = Executable::create(
      device, scale_spec(params, "@compute @workgroup_size(1) fn main() { let a: i32 = 1.5; }"),
      accounts);
  EXPECT_TRUE(fails_saying(untyped, {"kernel scale", "i32"}));
  const auto nameless = Executable::create(
      device, scale_spec(params, "@compute @workgroup_size(1) fn other() {}"), accounts);
  EXPECT_TRUE(fails_saying(nameless, {"kernel scale", "main"}));
  expect_working(device, 5.0f);
}

TEST(Executable, KernelThatDoesNotFitItsBindingsIsAnError) {
  const auto device = open_device();
  const ScaleParams params{kCount, 1.0f};
  Accounts accounts;
  // A text of its own: pipelines are kept by their text.
  const std::string wgsl = std::string(kScale) + "// bound to less\n";
  ExecutableSpec spec = scale_spec(params, wgsl.c_str());
  spec.steps[0].bindings.pop_back();
  EXPECT_TRUE(fails_saying(Executable::create(device, spec, accounts), {"kernel scale"}));
  expect_working(device, 7.0f);
}

TEST(Executable, BufferOverTheDevicesLimitIsAnErrorAndTheNextOneWorks) {
  const auto device = open_device();
  const ScaleParams params{kCount, 1.0f};
  const uint64_t limit = device->adapter().limits.max_buffer_size;
  Accounts accounts;
  ExecutableSpec spec = scale_spec(params);
  spec.buffers[1].size = limit / 4 * 4 + 4;
  EXPECT_TRUE(
      fails_saying(Executable::create(device, spec, accounts),
                   {text(spec.buffers[1].size), "bytes", text(limit), device->adapter().name}));
  expect_working(device, 9.0f);
}

TEST(Executable, BindingOverTheDevicesLimitIsAnErrorAndTheNextOneWorks) {
  const auto device = open_device();
  const Limits& limits = device->adapter().limits;
  const ScaleParams params{kCount, 1.0f};
  ExecutableSpec spec = scale_spec(params);
  spec.buffers[1].size = limits.max_storage_binding_size / 4 * 4 + 4;
  Accounts accounts;
  const auto made = Executable::create(device, spec, accounts);
  // Where buffers may not be as large as bindings, the buffer itself is refused.
  EXPECT_TRUE(fails_saying(made, {text(spec.buffers[1].size), "at most"}));
  expect_working(device, 11.0f);
}

TEST(Executable, MoreBindingsThanTheDeviceHasIsAnError) {
  const auto device = open_device();
  const ScaleParams params{kCount, 1.0f};
  ExecutableSpec spec = scale_spec(params, "// bound to everything");
  const uint32_t most = device->adapter().limits.max_storage_buffers;
  spec.steps[0].bindings.assign(most + 1, {0, false});
  Accounts accounts;
  EXPECT_TRUE(fails_saying(Executable::create(device, spec, accounts),
                           {"kernel scale", text(most + 1), text(most)}));
}

TEST(Executable, ConstantThatCannotBeFilledIsAnErrorAndTheNextOneWorks) {
  const auto device = open_device();
  const ScaleParams params{kCount, 1.0f};
  ExecutableSpec spec = scale_spec(params);
  spec.buffers[0].filled = true;
  spec.fill = [](uint32_t buffer, std::span<std::byte>) -> Status {
    return fail("no data for buffer ", buffer);
  };
  Accounts accounts;
  EXPECT_TRUE(fails_saying(Executable::create(device, spec, accounts), {"no data for buffer 0"}));
  expect_working(device, 13.0f);
}

TEST(Executable, PipelinesOfTheSameTextAreMadeOnce) {
  const auto device = open_device();
  const ScaleParams params{kCount, 1.0f};
  Accounts first, second;
  ASSERT_TRUE(succeeds(Executable::create(device, scale_spec(params), first)));
  ASSERT_TRUE(succeeds(Executable::create(device, scale_spec(params), second)));
  EXPECT_EQ(second.gpu_objects, 5u) << "three buffers, the params and a bind group";
}

}  // namespace
}  // namespace highwater::gpu
