#include "fuzz/changes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "graph/registry.h"

namespace highwater::fuzz {
namespace {

using Content = BlobContent;

constexpr uint64_t kMostChanges = 16;
constexpr int kDTypes = 8;  // of the delegate's schema

// Those that a file may call.
const std::vector<const OpEntry*>& callable_ops() {
  static const auto& ops = *new std::vector<const OpEntry*>([] {
    std::vector<const OpEntry*> all = op_table();
    std::erase_if(all, [](const OpEntry* op) { return op->schema.name().starts_with("hw."); });
    return all;
  }());
  return ops;
}

class Changer {
 public:
  Changer(Content& content, Script& script) : c_(content), s_(script) {}

  void change_once() {
    using Change = void (Changer::*)();
    constexpr Change kChanges[] = {
        &Changer::add_call,     &Changer::add_call,        &Changer::change_literal,
        &Changer::change_dims,  &Changer::change_dtype,    &Changer::change_constant,
        &Changer::rename_call,  &Changer::change_argument, &Changer::change_argument_count,
        &Changer::move_call,    &Changer::change_ends,     &Changer::change_kind,
        &Changer::change_items, &Changer::replace_literal, &Changer::add_output};
    (this->*s_.pick(kChanges))();
  }

 private:
  template <class T>
  std::vector<int32_t> of_kind() const {
    std::vector<int32_t> ids;
    for (size_t i = 0; i < c_.values.size(); ++i) {
      if (std::holds_alternative<T>(c_.values[i])) ids.push_back(static_cast<int32_t>(i));
    }
    return ids;
  }
  int32_t any_value() { return static_cast<int32_t>(s_.below(c_.values.size())); }
  // Mostly one of the last, so that calls build on each other.
  template <class T>
  int32_t any_of_kind() {
    const std::vector<int32_t> ids = of_kind<T>();
    if (ids.empty()) return any_value();
    const size_t recent = std::min<size_t>(ids.size(), 6);
    return s_.one_in(2) ? s_.pick(ids) : ids[ids.size() - 1 - s_.below(recent)];
  }
  Content::Tensor* any_tensor() {
    return std::get_if<Content::Tensor>(&c_.values[any_of_kind<Content::Tensor>()]);
  }
  int32_t add(Content::Value value) {
    c_.values.push_back(std::move(value));
    return static_cast<int32_t>(c_.values.size() - 1);
  }

  std::vector<int64_t> integers(size_t count) {
    std::vector<int64_t> list;
    while (list.size() < count) list.push_back(s_.integer());
    return list;
  }

  Content::Value literal(const Argument& argument) {
    constexpr const char* kWords[] = {"none", "tanh", "sum", "floor", "trunc", ""};
    switch (argument.kind) {
      case ArgumentKind::Float:
        return s_.number();
      case ArgumentKind::Scalar:
        if (s_.one_in(2)) return s_.number();
        return s_.integer();
      case ArgumentKind::Bool:
        return s_.one_in(2);
      case ArgumentKind::String:
        return std::string(s_.pick(kWords));
      case ArgumentKind::Unread:
        return Content::Missing{};
      default:
        return s_.integer();
    }
  }

  int32_t argument(const Argument& a) {
    if (s_.one_in(12)) return any_value();
    if (a.is_optional && s_.one_in(2)) return add(Content::Missing{});
    if (!a.is_list) {
      if (a.kind == ArgumentKind::Tensor) return any_of_kind<Content::Tensor>();
      if (a.kind == ArgumentKind::SymInt && s_.one_in(3)) return any_of_kind<Content::SymInt>();
      return add(literal(a));
    }
    const size_t count = a.list_size && !s_.one_in(8) ? a.list_size : s_.below(5);
    if (a.kind == ArgumentKind::Tensor || (a.kind == ArgumentKind::SymInt && s_.one_in(3))) {
      Content::Items items;
      while (items.ids.size() < count) {
        items.ids.push_back(a.kind == ArgumentKind::Tensor ? any_of_kind<Content::Tensor>()
                                                           : any_of_kind<Content::SymInt>());
      }
      return add(items);
    }
    return add(integers(count));
  }

  // With dims like those of a tensor that there is, or ones that have room for most results.
  int32_t result() {
    Content::Tensor tensor{5, {}, -1};
    if (const Content::Tensor* like = any_tensor()) tensor = {like->dtype, like->dims, -1};
    if (s_.one_in(3)) tensor.dtype = static_cast<int8_t>(s_.below(kDTypes));
    if (s_.one_in(2)) return add(tensor);
    constexpr uint32_t kRoom[] = {64, 1, 8, 256};
    tensor.dims.clear();
    for (uint64_t rank = s_.below(5); rank > 0; --rank) tensor.dims.push_back(s_.pick(kRoom));
    return add(tensor);
  }

  // A call with arguments of the kinds that the op wants, mostly.
  void add_call() {
    const Schema& schema = s_.pick(callable_ops())->schema;
    Content::Call call{std::string(schema.name()), 0, {}};
    for (const Argument& a : schema.arguments()) call.args.push_back(argument(a));
    switch (schema.result()) {
      case ResultKind::SymInt:
        call.args.push_back(add(Content::SymInt{}));
        break;
      case ResultKind::Tensors: {
        Content::Items items;
        const size_t count = schema.result_count() ? schema.result_count() : 1 + s_.below(3);
        while (items.ids.size() < count) items.ids.push_back(result());
        call.args.push_back(add(items));
        break;
      }
      case ResultKind::Tensor:
        call.args.push_back(result());
    }
    // At the end, where all that it reads is there; or anywhere.
    const size_t at = s_.one_in(8) ? s_.below(c_.calls.size() + 1) : c_.calls.size();
    c_.calls.insert(c_.calls.begin() + static_cast<ptrdiff_t>(at), std::move(call));
  }

  void change_literal() {
    Content::Value& value = c_.values[any_value()];
    if (auto* integer = std::get_if<int64_t>(&value)) {
      *integer = s_.integer();
    } else if (auto* number = std::get_if<double>(&value)) {
      *number = s_.number();
    } else if (auto* flag = std::get_if<bool>(&value)) {
      *flag = !*flag;
    } else if (auto* text = std::get_if<std::string>(&value)) {
      text->push_back(static_cast<char>(s_.below(256)));
    } else if (auto* list = std::get_if<std::vector<int64_t>>(&value)) {
      if (list->empty() || s_.one_in(3)) {
        *list = integers(s_.below(6));
      } else {
        s_.pick(*list) = s_.integer();
      }
    } else if (auto* numbers = std::get_if<std::vector<double>>(&value)) {
      for (double& each : *numbers) each = s_.number();
    }
  }

  void change_dims() {
    Content::Tensor* tensor = any_tensor();
    if (!tensor) return;
    std::vector<uint32_t>& dims = tensor->dims;
    switch (s_.below(4)) {
      case 0:
        dims.push_back(static_cast<uint32_t>(s_.below(4)));
        break;
      case 1:
        if (!dims.empty()) dims.erase(dims.begin() + static_cast<ptrdiff_t>(s_.below(dims.size())));
        break;
      default:
        if (!dims.empty()) s_.pick(dims) = static_cast<uint32_t>(s_.integer());
    }
  }

  void change_dtype() {
    if (Content::Tensor* tensor = any_tensor())
      tensor->dtype = static_cast<int8_t>(s_.below(kDTypes));
  }

  void change_constant() {
    Content::Tensor* tensor = any_tensor();
    if (!tensor) return;
    tensor->constant_id = static_cast<int32_t>(s_.below(c_.constants.size() + 1)) - 1;
  }

  void rename_call() {
    if (!c_.calls.empty()) s_.pick(c_.calls).name = s_.pick(callable_ops())->schema.name();
  }

  void change_argument() {
    if (c_.calls.empty()) return;
    std::vector<int32_t>& args = s_.pick(c_.calls).args;
    if (!args.empty()) s_.pick(args) = s_.one_in(2) ? any_of_kind<Content::Tensor>() : any_value();
  }

  void change_argument_count() {
    if (c_.calls.empty()) return;
    std::vector<int32_t>& args = s_.pick(c_.calls).args;
    const auto at = args.begin() + static_cast<ptrdiff_t>(s_.below(args.size() + 1));
    if (at == args.end() || s_.one_in(2)) {
      args.insert(at, any_value());
    } else {
      args.erase(at);
    }
  }

  void move_call() {
    if (c_.calls.empty()) return;
    const auto at = c_.calls.begin() + static_cast<ptrdiff_t>(s_.below(c_.calls.size()));
    const Content::Call call = *at;
    if (s_.one_in(2)) c_.calls.erase(at);
    const uint64_t to = s_.below(c_.calls.size() + 2);  // the last of them drops it
    if (to <= c_.calls.size()) c_.calls.insert(c_.calls.begin() + static_cast<ptrdiff_t>(to), call);
  }

  void change_ends() {
    std::vector<uint32_t>& ids = s_.one_in(2) ? c_.inputs : c_.outputs;
    const auto id = static_cast<uint32_t>(s_.one_in(4) ? any_of_kind<Content::SymInt>()
                                                       : any_of_kind<Content::Tensor>());
    if (ids.empty() || s_.one_in(2)) {
      ids.push_back(id);
    } else {
      s_.pick(ids) = id;
    }
  }

  void add_output() { c_.outputs.push_back(static_cast<uint32_t>(any_of_kind<Content::Tensor>())); }

  Content::Value anything() {
    switch (s_.below(7)) {
      case 0:
        return Content::Missing{};
      case 1:
        return s_.integer();
      case 2:
        return s_.number();
      case 3:
        return Content::SymInt{};
      case 4:
        return integers(s_.below(5));
      case 5:
        return Content::Items{{any_value(), any_value()}};
      default:
        return Content::Tensor{
            static_cast<int8_t>(s_.below(kDTypes)),
            {static_cast<uint32_t>(s_.below(40)), static_cast<uint32_t>(s_.below(40))}};
    }
  }

  void change_kind() { c_.values[any_value()] = anything(); }

  void change_items() {
    auto* items = std::get_if<Content::Items>(&c_.values[any_of_kind<Content::Items>()]);
    if (!items) return;
    if (items->ids.empty() || s_.one_in(2)) {
      items->ids.push_back(any_value());
    } else {
      s_.pick(items->ids) = any_value();
    }
  }

  // One argument alone changes, and not all that share its value.
  void replace_literal() {
    if (c_.calls.empty()) return;
    std::vector<int32_t>& args = s_.pick(c_.calls).args;
    if (args.empty()) return;
    int32_t& arg = s_.pick(args);
    arg = add(anything());
  }

  Content& c_;
  Script& s_;
};

}  // namespace

void change(BlobContent& content, Script& script) {
  Changer changer(content, script);
  for (uint64_t left = script.below(kMostChanges); left > 0 && !script.is_over(); --left) {
    if (content.values.empty()) return;
    changer.change_once();
  }
}

}  // namespace highwater::fuzz
