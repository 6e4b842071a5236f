#include "graph/signature_check.h"

#include <algorithm>

#include "base/checked.h"

namespace highwater {

void SignatureCheck::begin() {
  std::fill(told_.begin(), told_.end(), Told{});
}

Status SignatureCheck::check_tensor(size_t input, const Dims& dims) {
  if (input >= signature_.inputs.size()) return {};
  const std::vector<Signature::Size>& sizes = signature_.inputs[input].sizes;
  for (size_t d = 0; d < std::min(dims.rank(), sizes.size()); ++d) {
    Status status = check(input, sizes[d], dims[d]);
    if (!status) {
      return status.take_error().within(
          text(signature_.describe(input), ": dim ", d, " of ", dims));
    }
  }
  return {};
}

Status SignatureCheck::check_integer(size_t input, int64_t number) {
  if (input >= signature_.inputs.size()) return {};
  for (const Signature::Size& size : signature_.inputs[input].sizes) {
    Status status = check(input, size, number);
    if (!status) return status.take_error().within(signature_.describe(input));
  }
  return {};
}

Status SignatureCheck::check(size_t input, const Signature::Size& size, int64_t number) {
  if (size.is_live()) return check_length(input, size, number);
  if (!size.is_fixed() || number == size.plus) return {};
  return fail("it is ", number, ", but was exported as ", size.plus, ", which is not live");
}

Status SignatureCheck::check_length(size_t input, const Signature::Size& size, int64_t number) {
  const Signature::Length& length = signature_.lengths[size.length];
  const auto multiple = checked_sub(number, size.plus);
  const int64_t here = multiple.value_or(0) / size.times;
  if (!multiple || *multiple % size.times != 0 || here < length.least || here > length.most) {
    return fail("it is ", number, ", but was exported as ", what(size), " from ", length.least,
                " to ", length.most);
  }
  Told& told = told_[size.length];
  if (!told.is_told) told = {here, input, true};
  if (told.number == here) return {};
  return fail("it is ", number, ", but was exported as ", what(size), ", and ",
              signature_.describe(told.input), " says that ", length.name, " is ", told.number);
}

// "n", "2 * n", "n + 1": n being the name of the length.
std::string SignatureCheck::what(const Signature::Size& size) const {
  const std::string& name = signature_.lengths[size.length].name;
  std::string out = size.times == 1 ? name : text(size.times, " * ", name);
  if (size.plus != 0) append(out, text(size.plus > 0 ? " + " : " - ", std::abs(size.plus)));
  return out;
}

}  // namespace highwater
