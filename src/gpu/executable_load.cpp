#include "gpu/executable_load.h"

#include "gpu/executable_objects.h"

namespace highwater::gpu {
namespace {

// What is handed over is staged by the implementation until the device has taken it. Handing it
// over in portions keeps a model from being in memory twice.
constexpr uint64_t kUploadPortion = 64ull << 20;

// So many first runs may be under way. A queue works in order, and others have theirs between.
constexpr size_t kFirstRunsAhead = 4;

}  // namespace

// What the device has yet to say.
struct ExecutableLoad::Pending {
  OwnAnswers errors;
  OwnAnswers work;          // one for each stretch of work that is waited for
  size_t allowed_work = 0;  // so much of it may be left when the next part begins
  bool is_waiting = false;
  Clock::time_point since;  // when it is
};

ExecutableLoad::ExecutableLoad(std::shared_ptr<Device> device, ExecutableSpec spec)
    : spec_(std::move(spec)),
      executable_(new Executable(std::move(device), spec_.timeout)),
      pending_(std::make_unique<Pending>()) {}

ExecutableLoad::~ExecutableLoad() {
  if (!executable_) return;
  const Answers& errors = *pending_->errors;
  if (errors.are_all_there() && errors.so_far()) return;
  // Bad ones may be among them.
  const Executable::Objects& objects = *executable_->objects_;
  (void)objects.turns().take([&]() -> Status {
    objects.steps.forget_new_pipelines(objects.turns().device(), spec_);
    return {};
  });
}

std::unique_ptr<Executable> ExecutableLoad::finish() {
  return stage_ == Stage::Done ? std::move(executable_) : nullptr;
}

Result<Advance> ExecutableLoad::advance(Accounts& accounts) {
  if (must_wait()) {
    HW_TRY(const bool goes_on, poll(accounts));
    if (!goes_on) return Advance::Waiting;
  }
  HW_CHECK(pending_->errors->so_far());
  if (waits_for_kernels()) HW_CHECK(executable_->objects_->steps.are_made());
  if (lacks_content()) return Advance::Waiting;
  HW_CHECK(do_part(accounts));
  return stage_ == Stage::Done ? Advance::Done : Advance::More;
}

bool ExecutableLoad::must_wait() const {
  if (waits_for_kernels()) {
    const auto made = executable_->objects_->steps.are_made();
    if (made && !*made) return true;
  }
  return pending_->work->outstanding() > pending_->allowed_work ||
         (stage_ == Stage::Settling && !pending_->errors->are_all_there());
}

// A kernel that is still being made cannot run.
bool ExecutableLoad::waits_for_kernels() const {
  return stage_ == Stage::FirstRuns && first_runs_.empty() && spec_.waits_for_kernels;
}

// Whether the next weight has not come yet.
bool ExecutableLoad::lacks_content() const {
  if (stage_ != Stage::Weights || !spec_.is_ready) return false;
  const uint32_t next = executable_->objects_->buffers.loaded();
  if (next == spec_.buffers.size() || !spec_.buffers[next].filled) return false;
  return !spec_.is_placed_at(next) && !spec_.is_ready(next);
}

// Whether there is something to do again.
Result<bool> ExecutableLoad::poll(Accounts& accounts) {
  Pending& p = *pending_;
  if (!p.is_waiting) {
    p.is_waiting = true;
    p.since = Clock::now();
    accounts.waits += 1;
  }
  WebGpuDevice& device = executable_->device_->webgpu();
  HW_CHECK(device.poll(p.since, spec_.timeout, "loading"));
  if (must_wait()) return false;
  p.is_waiting = false;
  accounts.wait_seconds += std::chrono::duration<double>(Clock::now() - p.since).count();
  return true;
}

Status ExecutableLoad::do_part(Accounts& accounts) {
  switch (stage_) {
    case Stage::Weights:
      return load_weights(accounts);
    case Stage::Kernels:
      return load_kernels(accounts);
    case Stage::FirstRuns:
      return run_first(accounts);
    default:
      stage_ = Stage::Done;
      executable_->objects_->keep_all();
      return executable_->objects_->turns().device().faults().take();
  }
}

Status ExecutableLoad::load_weights(Accounts& accounts) {
  Executable::Objects& objects = *executable_->objects_;
  const uint32_t i = objects.buffers.loaded();
  HW_CHECK(tell(spec_.progress, "weights", i, spec_.buffers.size()));
  if (i == spec_.buffers.size()) {
    stage_ = Stage::Kernels;
    HW_CHECK(objects.flush(*pending_->errors, nullptr, accounts));
    return objects.load_params(spec_, *pending_->errors, accounts);
  }
  HW_TRY(const uint64_t bytes,
         objects.buffers.load_next(objects.turns(), spec_, *pending_->errors, accounts));
  portion_ += bytes;
  if (portion_ <= kUploadPortion) return {};
  portion_ = 0;
  return objects.flush(*pending_->errors, &*pending_->work, accounts);
}

Status ExecutableLoad::load_kernels(Accounts& accounts) {
  Executable::Objects& objects = *executable_->objects_;
  const size_t i = objects.steps.loaded();
  HW_CHECK(tell(spec_.progress, "kernels", i, spec_.steps.size()));
  if (i < spec_.steps.size()) {
    return objects.steps.load_next(objects.turns(), spec_, objects.buffers, objects.params(),
                                   *pending_->errors, accounts);
  }
  stage_ = Stage::FirstRuns;
  pending_->allowed_work = kFirstRunsAhead - 1;
  return {};
}

// Drivers may compile a pipeline when it first runs, and that should not be in the middle of a
// user's work. Buffers begin as zeros, and with params of zero every kernel returns at once.
Status ExecutableLoad::run_first(Accounts& accounts) {
  Executable::Objects& objects = *executable_->objects_;
  if (next_first_run_ == 0) first_runs_ = objects.steps.one_for_each_pipeline();
  if (next_first_run_ < first_runs_.size()) {
    HW_CHECK(tell(spec_.progress, "first runs", next_first_run_, first_runs_.size()));
    const Dispatch dispatch{first_runs_[next_first_run_], 1, 1};
    next_first_run_ += 1;
    return objects.run_first(dispatch, *pending_->errors, *pending_->work, accounts);
  }
  pending_->allowed_work = 0;
  if (must_wait()) return {};
  HW_CHECK(tell(spec_.progress, "first runs", first_runs_.size(), first_runs_.size()));
  stage_ = Stage::Settling;
  return objects.write_params(spec_.params, *pending_->errors, accounts);
}

Result<std::unique_ptr<Executable>> Executable::create(std::shared_ptr<Device> device,
                                                       ExecutableSpec spec, Accounts& accounts) {
  ExecutableLoad load(std::move(device), std::move(spec));
  HW_CHECK(complete([&] { return load.advance(accounts); }));
  return load.finish();
}

}  // namespace highwater::gpu
