#include "inspect/forms.h"

#include <map>
#include <utility>

namespace highwater {
namespace {

class Fitter {
 public:
  Fitter(std::span<const Symbol> symbols, const Survey& survey) {
    for (const Symbol& s : symbols) names_.push_back(s.name);
    for (size_t p = 0; p < survey.points.size(); ++p) {
      if (survey.refused(p)) continue;
      taken_.push_back(p);
      points_.push_back(survey.points[p]);
    }
  }

  // The formula of what `number` says of the node's states. Layers repeat each other: each series
  // of numbers is looked at once.
  std::string form(const Survey::Node& node, const auto& number) {
    std::vector<int64_t> series;
    series.reserve(taken_.size());
    for (const size_t p : taken_) series.push_back(number(node.states[node.at[p]]));
    const auto known = known_.find(series);
    if (known != known_.end()) return known->second;
    std::string found = fit(names_, points_, series).value_or("?");
    known_.emplace(std::move(series), found);
    return found;
  }

 private:
  std::vector<std::string> names_;
  std::vector<size_t> taken_;
  std::vector<Point> points_;
  std::map<std::vector<int64_t>, std::string> known_;
};

}  // namespace

Forms find_forms(const Graph& graph, std::span<const Symbol> symbols, const Survey& survey) {
  Forms forms(graph.values.size());
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const ValueInfo& value = graph.values[id];
    for (const int64_t d : value.tensor.dims) forms[id].push_back(text(d));
  }
  for (const Symbol& s : symbols) {
    for (const Place& place : s.places) {
      const ValueId id = graph.inputs[place.input];
      if (place.kind == Place::Kind::Dim) forms[id][place.index] = s.name;
      if (place.kind == Place::Kind::Integer) forms[id] = {s.name};
    }
  }
  Fitter fitter(symbols, survey);
  for (const Survey::Node& node : survey.nodes) {
    for (size_t k = 0; k < node.tensors.size(); ++k) {
      std::vector<std::string>& form = forms[node.tensors[k]];
      for (size_t d = 0; d < form.size(); ++d) {
        form[d] = fitter.form(node, [&](const NodeState& s) { return s.dims[k][d]; });
      }
    }
    for (size_t k = 0; k < node.scalars.size(); ++k) {
      forms[node.scalars[k]] = {
          fitter.form(node, [&](const NodeState& s) { return s.scalars[k]; })};
    }
  }
  return forms;
}

}  // namespace highwater
