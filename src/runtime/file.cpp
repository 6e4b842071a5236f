#include "highwater/file.h"

#include "blob/pte.h"

namespace highwater {

Result<std::vector<MethodSummary>> summarize(const std::string& path) {
  HW_TRY(const Pte pte, open_pte(path));
  std::vector<MethodSummary> summaries;
  for (const PteMethod& method : pte.methods) {
    MethodSummary summary{method.name, {}, method.cpu_ops, method.constant_integers()};
    for (const PteMethod::DelegateCall& call : method.calls) {
      summary.delegates.push_back(method.delegates[call.delegate].name);
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace highwater
