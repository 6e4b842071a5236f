#include "executorch/reports.h"

#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "highwater/delegate.h"

namespace highwater {
namespace {

// Of one call of a method, or of its load: the sum over its delegates.
struct MethodAccount {
  Accounts sum;
  uint64_t delegates = 0;
  std::vector<std::string_view> kernels;
  DelegatePlace last;

  void add(const DelegatePlace& place, const Accounts& accounts) {
    if (!place.may_follow(last)) {
      sum = {};
      delegates = 0;
      kernels.clear();
    }
    sum += accounts;
    ++delegates;
    last = place;
  }
};

struct ThreadReports {
  std::optional<std::string> error;
  MethodAccount load;
  MethodAccount run;
};

struct Reports {
  std::mutex mutex;  // over the reports of all threads
  std::set<std::string, std::less<>> names;
  // Whose is the latest of each. For threads that have none of their own, such as one that shows
  // what others do.
  std::shared_ptr<ThreadReports> error = std::make_shared<ThreadReports>();
  std::shared_ptr<ThreadReports> load = error;
  std::shared_ptr<ThreadReports> run = error;
};

Reports& reports() {
  static auto& the_reports = *new Reports;
  return the_reports;
}

thread_local std::shared_ptr<ThreadReports> own_reports;

const std::shared_ptr<ThreadReports>& own() {
  if (!own_reports) own_reports = std::make_shared<ThreadReports>();
  return own_reports;
}

ThreadReports& to_write(std::shared_ptr<ThreadReports>& latest) {
  latest = own();
  return *latest;
}

MethodAccounts told(const MethodAccount& account) {
  return {account.sum, account.delegates, {account.kernels.begin(), account.kernels.end()}};
}

}  // namespace

std::vector<std::string_view> lasting_step_names(const Graph& graph) {
  const std::lock_guard lock(reports().mutex);
  std::vector<std::string_view> names;
  for (const StepDecl& step : graph.steps) {
    names.push_back(*reports().names.insert(step.name).first);
  }
  return names;
}

void set_last_error(std::string message) {
  const std::lock_guard lock(reports().mutex);
  to_write(reports().error).error = std::move(message);
}

void add_to_last_load(const DelegatePlace& place, const Accounts& accounts) {
  const std::lock_guard lock(reports().mutex);
  to_write(reports().load).load.add(place, accounts);
}

void add_to_last_run(const DelegatePlace& place, const Accounts& accounts,
                     std::span<const gpu::Dispatch> dispatches,
                     std::span<const std::string_view> step_names) {
  const std::lock_guard lock(reports().mutex);
  MethodAccount& run = to_write(reports().run).run;
  run.add(place, accounts);
  for (const gpu::Dispatch& d : dispatches) run.kernels.push_back(step_names[d.step]);
}

void add_allocations_to_last_run(uint64_t count) {
  const std::lock_guard lock(reports().mutex);
  to_write(reports().run).run.sum.heap_allocations += count;
}

std::string last_error() {
  const std::lock_guard lock(reports().mutex);
  const auto& error =
      own_reports && own_reports->error ? own_reports->error : reports().error->error;
  return error.value_or("");
}

void forget_error() {
  const std::lock_guard lock(reports().mutex);
  own()->error = "";
}

MethodAccounts last_load() {
  const std::lock_guard lock(reports().mutex);
  const bool has_own = own_reports && own_reports->load.delegates;
  return told(has_own ? own_reports->load : reports().load->load);
}

MethodAccounts last_run() {
  const std::lock_guard lock(reports().mutex);
  const bool has_own = own_reports && own_reports->run.delegates;
  return told(has_own ? own_reports->run : reports().run->run);
}

}  // namespace highwater
