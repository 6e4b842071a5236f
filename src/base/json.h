// Writing JSON: just enough for reports.
#pragma once

#include <string>
#include <string_view>

#include "highwater/text.h"

namespace highwater {

class Json {
 public:
  Json& begin_object() { return open('{'); }
  Json& end_object() { return close('}'); }
  Json& begin_list() { return open('['); }
  Json& end_list() { return close(']'); }

  Json& key(std::string_view name) {
    separate();
    quote(name);
    out_ += ": ";
    fresh_ = true;
    return *this;
  }
  Json& value(std::string_view string) {
    separate();
    quote(string);
    return *this;
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  Json& value(Number number) {
    separate();
    append(out_, number);
    return *this;
  }
  template <class T>
  Json& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  const std::string& text() const { return out_; }

 private:
  Json& open(char bracket) {
    separate();
    out_ += bracket;
    fresh_ = true;
    return *this;
  }
  Json& close(char bracket) {
    out_ += bracket;
    fresh_ = false;
    return *this;
  }
  void separate() {
    if (!fresh_) out_ += ", ";
    fresh_ = false;
  }
  void quote(std::string_view s) {
    out_ += '"';
    for (const char c : s) {
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        out_ += c < 0x10 ? "\\u000" : "\\u001";
        out_ += "0123456789abcdef"[c % 0x10];
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  std::string out_;
  bool fresh_ = true;
};

}  // namespace highwater
