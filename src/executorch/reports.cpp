#include "executorch/reports.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "base/json.h"
#include "executorch/delegate.h"
#include "gpu/adapters.h"
#include "graph/registry.h"
#include "highwater/highwater.h"
#include "inspect/inspect.h"

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

const MethodAccount& last_load() {
  return own_reports && own_reports->load.delegates ? own_reports->load : reports().load->load;
}

const MethodAccount& last_run() {
  return own_reports && own_reports->run.delegates ? own_reports->run : reports().run->run;
}

const std::string& last_error() {
  static const std::string none;
  const auto& error =
      own_reports && own_reports->error ? own_reports->error : reports().error->error;
  return error ? *error : none;
}

void write_account(Json& json, const MethodAccount& account) {
  for_each_account([&](const char* name, auto member) { json.field(name, account.sum.*member); });
  json.field("delegates", account.delegates);
}

void write_adapter(Json& json, const gpu::AdapterDescription& a) {
  json.begin_object()
      .field("name", a.name)
      .field("driver", a.driver)
      .field("type", a.type)
      .field("backend", a.backend);
  json.key("features").begin_list();
  for (const std::string& feature : a.features) json.value(feature);
  json.end_list();
  json.key("limits")
      .begin_object()
      .field("max_buffer_size", a.limits.max_buffer_size)
      .field("max_storage_binding_size", a.limits.max_storage_binding_size)
      .field("max_storage_buffers", a.limits.max_storage_buffers)
      .field("max_invocations_per_workgroup", a.limits.max_invocations_per_workgroup)
      .field("max_workgroup_memory", a.limits.max_workgroup_memory)
      .end_object();
  json.end_object();
}

InspectOptions read_options(std::string_view lines) {
  InspectOptions options;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const auto value_of = [&](std::string_view name) {
      return line.starts_with(name) ? std::optional(std::string(line.substr(name.size())))
                                    : std::nullopt;
    };
    if (auto method = value_of("method=")) options.method = *std::move(method);
    if (auto at = value_of("at=")) options.at.push_back(*std::move(at));
    if (auto wgsl = value_of("wgsl=")) options.wgsl = *wgsl == "1";
  }
  return options;
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

}  // namespace highwater

using namespace highwater;

const char* highwater_register(void) {
  thread_local std::string message;
  Status status = register_delegate();
  if (status.ok()) return nullptr;
  message = status.error().message();
  return message.c_str();
}

const char* highwater_last_error(void) {
  thread_local std::string message;
  const std::lock_guard lock(reports().mutex);
  message = last_error();
  return message.c_str();
}

void highwater_forget_error(void) {
  const std::lock_guard lock(reports().mutex);
  own()->error = "";
}

const char* highwater_last_load(void) {
  thread_local std::string answer;
  const std::lock_guard lock(reports().mutex);
  Json json;
  json.begin_object();
  write_account(json, last_load());
  answer = json.end_object().text();
  return answer.c_str();
}

const char* highwater_last_run(void) {
  thread_local std::string answer;
  const std::lock_guard lock(reports().mutex);
  Json json;
  json.begin_object();
  write_account(json, last_run());
  json.key("kernels").begin_list();
  for (std::string_view kernel : last_run().kernels) json.value(kernel);
  json.end_list();
  answer = json.end_object().text();
  return answer.c_str();
}

const char* highwater_devices(void) {
  thread_local std::string answer;
  Json json;
  const auto adapters = gpu::list_adapters();
  if (!adapters) {
    json.begin_object().field("error", adapters.error().message()).end_object();
  } else {
    json.begin_list();
    for (const gpu::AdapterDescription& a : *adapters) write_adapter(json, a);
    json.end_list();
  }
  answer = json.text();
  return answer.c_str();
}

const char* highwater_supported_ops(void) {
  static const std::string answer = op_table_report();
  return answer.c_str();
}

const char* highwater_inspect(const char* path, const char* options) {
  thread_local std::string answer;
  auto report = inspect_file(path, read_options(options ? options : ""));
  if (report) {
    answer = *std::move(report);
  } else {
    Json json;
    json.begin_object().field("error", report.error().message()).end_object();
    answer = json.text();
  }
  return answer.c_str();
}
