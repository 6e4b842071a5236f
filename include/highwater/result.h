// The one error type. Nothing here throws: the browser build has no exceptions.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "highwater/text.h"

namespace highwater {

// What went wrong, in words a user can act on. A pointer to them, because there are thousands of
// places that hand an error on, and a page downloads all of them.
class Error {
 public:
  explicit Error(std::string message)
      : message_(std::make_unique<std::string>(as_utf8(std::move(message)))) {}
  Error(const Error& other)
      : message_(other.message_ ? std::make_unique<std::string>(*other.message_) : nullptr) {}
  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;

  const std::string& message() const { return *message_; }

  // Says where the error happened; each caller may add its own frame of reference.
  Error within(std::string_view place) && {
    message_->insert(0, text(place, ": "));
    return std::move(*this);
  }

 private:
  friend class Status;

  Error() = default;  // there is none

  std::unique_ptr<std::string> message_;
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
  Result(T value) : value_(std::move(value)), ok_(true) {}
  Result(Error error) : error_(std::move(error)), ok_(false) {}
  Result(Result&& other) noexcept : ok_(other.ok_) {
    if (ok_) {
      std::construct_at(&value_, std::move(other.value_));
    } else {
      std::construct_at(&error_, std::move(other.error_));
    }
  }
  ~Result() {
    if (ok_) {
      std::destroy_at(&value_);
    } else {
      std::destroy_at(&error_);
    }
  }

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }

  T& operator*() & { return value_; }
  const T& operator*() const& { return value_; }
  T&& operator*() && { return std::move(value_); }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

  const Error& error() const { return error_; }
  Error take_error() { return std::move(error_); }

 private:
  union {
    T value_;
    Error error_;
  };
  bool ok_;
};

// Success, or the reason why not.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.message_; }
  explicit operator bool() const { return ok(); }

  const Error& error() const { return error_; }
  Error take_error() { return std::move(error_); }

 private:
  Error error_;
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
