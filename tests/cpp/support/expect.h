// What tests say about results: that they succeeded, or failed in words that name the trouble.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <ostream>
#include <string_view>

#include "highwater/dims.h"
#include "highwater/result.h"

namespace highwater {

inline void PrintTo(const Dims& dims, std::ostream* out) {
  *out << dims.text();
}

template <class Outcome>
testing::AssertionResult succeeds(const Outcome& outcome) {
  if (outcome.ok()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "failed: " << outcome.error().message();
}

// An error whose message holds each of `parts`.
template <class Outcome>
testing::AssertionResult fails_saying(const Outcome& outcome,
                                      std::initializer_list<std::string_view> parts) {
  if (outcome.ok()) return testing::AssertionFailure() << "succeeded";
  const std::string& message = outcome.error().message();
  for (std::string_view part : parts) {
    if (message.find(part) != std::string::npos) continue;
    return testing::AssertionFailure() << "'" << part << "' is not in: " << message;
  }
  return testing::AssertionSuccess();
}

// For what a test cannot go on without, such as a device. The whole program fails.
[[noreturn]] inline void give_up(const Error& error) {
  std::fprintf(stderr, "cannot go on: %s\n", error.message().c_str());
  std::exit(1);
}

}  // namespace highwater
