#include "blob/signature.h"

#include <algorithm>
#include <map>

#include "base/checked.h"
#include "base/json_value.h"
#include "base/utf8.h"

namespace highwater {
namespace {

// No tensor is as large; sums and products of such numbers stay far from the ends of int64_t.
constexpr int64_t kMost = int64_t{1} << 31;

class SignatureReader {
 public:
  explicit SignatureReader(const JsonValue& root) : root_(root) {}

  Result<Signature> read() {
    HW_CHECK(read_lengths());
    const JsonValue::List* inputs = root_["inputs"].list();
    if (!inputs) return fail("it has no list of inputs");
    for (const JsonValue& entry : *inputs) {
      Status read = read_input(entry);
      if (!read) return read.take_error().within(text("input ", result_.inputs.size()));
    }
    return std::move(result_);
  }

 private:
  Status read_lengths() {
    const JsonValue::Object* lengths = root_["lengths"].object();
    if (!lengths) return fail("it has no lengths");
    for (const auto& [name, range] : *lengths) {
      HW_CHECK(check_name(name));
      const JsonValue::List* ends = range.list();
      if (!ends || ends->size() != 2) return fail("length ", name, " has no range");
      const auto least = (*ends)[0].integer();
      // A length without a bound has that of its tensor.
      const auto most = (*ends)[1].is_null() ? kMost : (*ends)[1].integer();
      if (!least || !most || *least < 0 || *most < *least) {
        return fail("length ", name, " has no range");
      }
      lengths_.emplace(name, result_.lengths.size());
      result_.lengths.push_back({name, *least, std::min(*most, kMost)});
    }
    return {};
  }

  Status read_input(const JsonValue& entry) {
    Signature::Input input;
    if (const std::string* name = entry["name"].string()) input.name = *name;
    HW_CHECK(check_name(input.name));
    if (const JsonValue::List* dims = entry["dims"].list()) {
      for (const JsonValue& dim : *dims) {
        HW_TRY(const Signature::Size size, read_size(dim));
        input.sizes.push_back(size);
      }
    } else {
      HW_TRY(const Signature::Size size, read_size(entry["number"]));
      input.sizes.push_back(size);
      input.is_integer = true;
    }
    result_.inputs.push_back(std::move(input));
    return {};
  }

  static Status check_name(std::string_view name) {
    if (is_plain_text(name)) return {};
    return fail("the name '", escaped(name), "' has a control character");
  }

  Result<Signature::Size> read_size(const JsonValue& value) const {
    if (const auto fixed = value.integer()) return Signature::Size::fixed(*fixed);
    const std::string* of = value["of"].string();
    if (!of) return Signature::Size();
    const auto number = [&](std::string_view name, int64_t otherwise) {
      return value[name].is_null() ? otherwise : value[name].integer().value_or(kMost + 1);
    };
    const Signature::Size size{find(*of), number("times", 1), number("plus", 0)};
    if (!size.is_live()) return fail("there is no length ", *of);
    if (size.times < 1 || size.times > kMost || size.plus < -kMost || size.plus > kMost) {
      return fail("a size of ", size.times, " times ", *of, " plus ", size.plus);
    }
    return size;
  }

  size_t find(const std::string& name) const {
    const auto found = lengths_.find(name);
    return found == lengths_.end() ? Signature::Size::kUnknown : found->second;
  }

  const JsonValue& root_;
  Signature result_;
  std::map<std::string, size_t> lengths_;  // by name
};

}  // namespace

int64_t Signature::least(const Size& size) const {
  if (size.is_fixed()) return size.plus;
  return size.is_live() ? size.times * lengths[size.length].least + size.plus : 0;
}

std::string Signature::describe(size_t input) const {
  const bool named = input < inputs.size() && !inputs[input].name.empty();
  return named ? text("input ", input, " (", inputs[input].name, ")") : text("input ", input);
}

Result<Signature> read_signature(std::string_view json) {
  HW_TRY(const JsonValue root, read_json(json));
  return SignatureReader(root).read();
}

}  // namespace highwater
