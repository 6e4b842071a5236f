// The one error type. Nothing here throws: the browser build has no exceptions.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "highwater/text.h"

namespace highwater {

// What went wrong, in words a user can act on.
class Error {
 public:
  explicit Error(std::string message) : message_(as_utf8(std::move(message))) {}

  const std::string& message() const { return message_; }

  // Says where the error happened; each caller may add its own frame of reference.
  Error within(std::string_view place) && {
    message_.insert(0, text(place, ": "));
    return std::move(*this);
  }

 private:
  std::string message_;
};

inline Error error_of(std::initializer_list<Piece> pieces) {
  return Error(join(pieces));
}

// Builds an Error from pieces: fail("dim ", d, " is over its bound of ", bound).
template <class... Pieces>
[[nodiscard, gnu::always_inline]] inline Error fail(const Pieces&... pieces) {
  return error_of({Piece(pieces)...});
}

// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

  const Error& error() const { return *error_; }
  Error take_error() { return *std::move(error_); }

 private:
  std::optional<T> value_;
  std::optional<Error> error_;
};

// Success, or the reason why not.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  const Error& error() const { return *error_; }
  Error take_error() { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace highwater

#define HW_CONCAT_INNER(a, b) a##b
#define HW_CONCAT(a, b) HW_CONCAT_INNER(a, b)

// Returns the error of a failed Status or Result from the enclosing function.
#define HW_CHECK(expression)                                                           \
  do {                                                                                 \
    if (auto hw_status = (expression); !hw_status.ok()) return hw_status.take_error(); \
  } while (false)

// HW_TRY(auto x, f()): x is the value of f(), or the enclosing function returns its error.
#define HW_TRY(declaration, expression) \
  HW_TRY_NAMED(HW_CONCAT(hw_result_, __LINE__), declaration, expression)
#define HW_TRY_NAMED(name, declaration, expression) \
  auto name = (expression);                         \
  if (!name.ok()) return name.take_error();         \
  declaration = *std::move(name)
