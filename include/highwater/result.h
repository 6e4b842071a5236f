// The one error type. Nothing here throws: the browser build has no exceptions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "highwater/text.h"

// In WebAssembly, functions give and take it as the one pointer that it is, and not through memory.
#if defined(__wasm__)
#define HIGHWATER_ONE_POINTER [[clang::trivial_abi]]
#else
#define HIGHWATER_ONE_POINTER
#endif

namespace highwater {

// What went wrong, in words a user can act on. A pointer to them, because there are thousands of
// places that hand an error on, and a page downloads all of them.
class HIGHWATER_ONE_POINTER Error {
 public:
  explicit Error(std::string message) : message_(new std::string(as_utf8(std::move(message)))) {}
  Error(const Error& other)
      : message_(other.message_ ? new std::string(*other.message_) : nullptr) {}
  [[gnu::always_inline]] Error(Error&& other) noexcept
      : message_(std::exchange(other.message_, nullptr)) {}
  Error& operator=(Error&& other) noexcept {
    std::swap(message_, other.message_);
    return *this;
  }
  // Most often there is nothing to do, which the compiler can see.
  [[gnu::always_inline]] ~Error() {
    if (message_) forget();
  }

  const std::string& message() const { return *message_; }

  // Says where the error happened; each caller may add its own frame of reference.
  Error within(std::string_view place) && {
    message_->insert(0, text(place, ": "));
    return std::move(*this);
  }

 private:
  friend class Status;

  Error() = default;  // there is none
  void forget() { delete message_; }

  std::string* message_ = nullptr;
};

inline Error error_of(const void* const* pieces, const Append* appends) {
  return Error(join(pieces, appends));
}

// Builds an Error from pieces: fail("dim ", d, " is over its bound of ", bound).
template <class... Types>
[[nodiscard, gnu::always_inline]] inline Error fail(const Types&... pieces) {
  const void* const all[] = {&pieces...};
  return error_of(all, kAppends<std::conditional_t<std::is_array_v<Types>, Literal, Types>...>);
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
class [[nodiscard]] HIGHWATER_ONE_POINTER Status {
 public:
  Status() = default;
  [[gnu::always_inline]] Status(Error error) : error_(std::move(error)) {}
  Status(const Status&) = default;
  [[gnu::always_inline]] Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  [[gnu::always_inline]] ~Status() = default;

  bool ok() const { return !error_.message_; }
  explicit operator bool() const { return ok(); }

  const Error& error() const { return error_; }
  [[gnu::always_inline]] Error take_error() { return std::move(error_); }

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
