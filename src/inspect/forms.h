// The live dims and scalars of a program as functions of its symbols.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "inspect/survey.h"

namespace highwater {

// For each value, the formula of each dim, or of the scalar; "?" where there is none that gives all
// that the survey saw. Values that no call changes have none.
using Forms = std::vector<std::vector<std::string>>;
Forms find_forms(const Graph& graph, std::span<const Symbol> symbols, const Survey& survey);

}  // namespace highwater
