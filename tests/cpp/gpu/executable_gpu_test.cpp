// The device room by itself: bad kernels and buffers are errors, and what follows them works.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include "gpu/executable_load.h"
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
  EXPECT_EQ(accounts.waits, 1u);
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
  spec.fill = [](uint32_t buffer, uint64_t, std::span<std::byte>) -> Status {
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

// Rounds enough for the host to look at it while it runs.
constexpr const char* kSlow = R"(
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum = 0.0;
  for (var i = 0u; i < 60000u; i++) { sum = fract(sum * 1.5 + 0.1); }
  if (id.x < arrayLength(&y)) { y[id.x] = sum; }
}
)";

std::unique_ptr<Executable> make_slow(const std::shared_ptr<Device>& device) {
  ExecutableSpec spec;
  spec.buffers = {{kBytes}};
  spec.steps = {{"slow", kSlow, {{0, true}}, 0, 0}};
  spec.read_back_size = kBytes;
  Accounts accounts;
  auto made = Executable::create(device, spec, accounts);
  if (!made) give_up(made.error());
  return *std::move(made);
}

struct SlowRun {
  Dispatch dispatch{0, 100, 1};
  ReadBack read_back{0, kBytes};
  Work work{.dispatches = {&dispatch, 1}, .read_backs = {&read_back, 1}};
  Accounts accounts;

  void finish(Executable& executable) {
    while (!executable.poll()) std::this_thread::yield();
    ASSERT_TRUE(succeeds(executable.finish(accounts)));
    float y = -1.0f;
    std::memcpy(&y, executable.result(0).data(), sizeof y);
    EXPECT_GT(y, 0.0f);
  }
};

TEST(Executable, IsNotWaitedForUntilItIsDone) {
  const auto executable = make_slow(open_device());
  SlowRun run;
  ASSERT_TRUE(succeeds(executable->start({&run.work, 1}, run.accounts)));
  EXPECT_TRUE(executable->is_under_way());
  EXPECT_FALSE(executable->poll());
  EXPECT_TRUE(fails_saying(executable->finish(run.accounts), {"not done yet"}));
  EXPECT_TRUE(executable->is_under_way());
  run.finish(*executable);
  EXPECT_FALSE(executable->is_under_way());
  EXPECT_EQ(run.accounts.waits, 1u);
  EXPECT_GT(run.accounts.wait_seconds, 0.0);
}

TEST(Executable, MayGoWhileItRuns) {
  const auto device = open_device();
  for (int i = 0; i < 3; ++i) {
    SlowRun run;
    const auto executable = make_slow(device);
    ASSERT_TRUE(succeeds(executable->start({&run.work, 1}, run.accounts)));
  }
  expect_working(device, 15.0f);
}

// Error scopes belong to the device; what they catch belongs to whoever opened them.
TEST(Executable, ErrorOfOneIsNotToldToAnotherThatIsUnderWay) {
  const auto device = open_device();
  const auto slow = make_slow(device);
  SlowRun run;
  ASSERT_TRUE(succeeds(slow->start({&run.work, 1}, run.accounts)));

  const ScaleParams params{kCount, 1.0f};
  Accounts accounts;
  const auto bad = Executable::create(device, scale_spec(params), accounts);
  ASSERT_TRUE(succeeds(bad));
  const std::vector<float> too_many(2 * kCount);
  const Upload upload{0, std::as_bytes(std::span(too_many))};
  const Work work{.uploads = {&upload, 1}};
  Status ran = (*bad)->start({&work, 1}, accounts);
  if (ran) {  // an implementation may tell later
    while (!(*bad)->poll()) std::this_thread::yield();
    ran = (*bad)->finish(accounts);
  }
  EXPECT_TRUE(fails_saying(ran, {"WebGPU"}));
  EXPECT_FALSE((*bad)->is_under_way());
  EXPECT_TRUE(fails_saying(Executable::create(device, scale_spec(params, "nonsense"), accounts),
                           {"kernel scale", "nonsense"}));
  run.finish(*slow);
  expect_working(device, 17.0f);
}

TEST(Executable, BadKernelIsAnErrorAgain) {
  const auto device = open_device();
  const ScaleParams params{kCount, 1.0f};
  Accounts accounts;
  for (int i = 0; i < 2; ++i) {  // it is not among the pipelines that are kept
    EXPECT_TRUE(
        fails_saying(Executable::create(device, scale_spec(params, "fn main( { again"), accounts),
                     {"kernel scale", "again"}));
  }
}

// Large enough to be handed over in portions, each of which is waited for.
TEST(Executable, LoadsInPartsThatWaitForNothing) {
  const auto device = open_device();
  const ScaleParams params{kCount, 1.0f};
  ExecutableSpec spec = scale_spec(params);
  constexpr uint64_t kLarge = 40ull << 20;
  for (int i = 0; i < 3; ++i) spec.buffers.push_back({kLarge, true});
  // One portion after the other, so that no buffer is whole in the host's memory.
  std::vector<uint64_t> filled(spec.buffers.size());
  uint64_t largest = 0;
  spec.fill = [&](uint32_t buffer, uint64_t at, std::span<std::byte> memory) -> Status {
    std::fill(memory.begin(), memory.end(), std::byte{1});
    EXPECT_EQ(at, filled[buffer]);
    filled[buffer] += memory.size();
    largest = std::max<uint64_t>(largest, memory.size());
    return {};
  };
  Accounts accounts;
  ExecutableLoad load(device, spec);
  size_t waiting = 0;
  for (;;) {
    const auto now = load.advance(accounts);
    ASSERT_TRUE(succeeds(now));
    if (*now == Advance::Done) break;
    waiting += *now == Advance::Waiting;
  }
  for (size_t i = 0; i < filled.size(); ++i) {
    EXPECT_EQ(filled[i], spec.buffers[i].filled ? spec.buffers[i].size : 0) << "buffer " << i;
  }
  EXPECT_EQ(largest, 8u << 20);
  EXPECT_GE(waiting, accounts.waits);
  EXPECT_GE(accounts.waits, 1u);
  EXPECT_LE(accounts.waits, 2u) << "a portion of the weights, and the first runs";
  EXPECT_TRUE(load.finish());
}

}  // namespace
}  // namespace highwater::gpu
