#include "text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

#include "text/pattern_syntax.h"

namespace highwater {
namespace {

// Lines end with LF. From one place, a run of as many spaces can still be matched, and a hopeless
// pattern is given up after a fraction of a second. The heap is in KiB; the stack is not used.
constexpr std::string_view kLimits = "(*LF)(*LIMIT_MATCH=5000000)(*LIMIT_HEAP=65536)";

// Starting points are ours: PCRE2 would look through the whole rest of the text for them.
constexpr uint32_t kOptions = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NO_AUTO_CAPTURE |
                              PCRE2_ANCHORED | PCRE2_NO_START_OPTIMIZE | PCRE2_NEVER_BACKSLASH_C;

// Patterns of real tokenizers take some hundredths of a microsecond a byte.
constexpr std::chrono::nanoseconds kMostTime = std::chrono::seconds(2),
                                   kMostTimePerByte = std::chrono::microseconds(10);

PCRE2_SPTR units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

std::string beginning(std::string_view pattern) {
  constexpr size_t kMost = 200;
  return pattern.size() > kMost ? text(pattern.substr(0, kMost), "…") : std::string(pattern);
}

std::string words_for(int error) {
  std::array<PCRE2_UCHAR, 256> words{};
  pcre2_get_error_message(error, words.data(), words.size());
  return reinterpret_cast<const char*>(words.data());
}

}  // namespace

void Pattern::Free::operator()(pcre2_real_code_8* code) const {
  pcre2_code_free(code);
}

void Matcher::Free::operator()(pcre2_real_match_data_8* data) const {
  pcre2_match_data_free(data);
}

Result<Pattern> Pattern::parse(std::string_view text) {
  Pattern pattern;
  pattern.shown_ = highwater::text("the pattern ", beginning(text));
  auto translated = to_pcre2(text);
  if (!translated) return translated.take_error().within(pattern.shown_);
  const std::string whole = highwater::text(kLimits, *translated);
  int error = 0;
  size_t offset = 0;
  pattern.code_.reset(
      pcre2_compile(units(whole), whole.size(), kOptions, &error, &offset, nullptr));
  if (!pattern.code_) return fail(pattern.shown_, ": ", words_for(error));
  // Several times as fast. Where a process may not make code, PCRE2 interprets the pattern.
  (void)pcre2_jit_compile(pattern.code_.get(), PCRE2_JIT_COMPLETE);
  return pattern;
}

Matcher::Matcher(const Pattern& pattern, size_t size)
    : pattern_(pattern),
      data_(pcre2_match_data_create(1, nullptr)),
      latest_(std::chrono::steady_clock::now() + kMostTime +
              kMostTimePerByte * static_cast<int64_t>(size)) {}

Result<std::optional<size_t>> Matcher::match(std::string_view text, size_t at) {
  HW_CHECK(check_time(text));
  const auto match = [&](uint32_t options) {
    return pcre2_match(pattern_.code_.get(), units(text), text.size(), at,
                       options | PCRE2_NO_UTF_CHECK, data_.get(), nullptr);
  };
  int found = match(0);
  // Compiled code has a small stack, where interpreted code has all of the heap that is allowed.
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = match(PCRE2_NO_JIT);
  if (found == PCRE2_ERROR_NOMATCH) return std::optional<size_t>();
  if (found < 0) {
    return fail(pattern_.shown_, " was given up at byte ", at, " of a text of ", text.size(),
                " bytes: ", words_for(found));
  }
  return std::optional(pcre2_get_ovector_pointer(data_.get())[1]);
}

// Each place may be within its limit, and all of them together take hours.
Status Matcher::check_time(std::string_view text) {
  constexpr size_t kPlacesBetween = 16;
  if (++places_ % kPlacesBetween != 0 || std::chrono::steady_clock::now() < latest_) return {};
  return fail(pattern_.shown_, " takes too long with a text of ", text.size(), " bytes");
}

}  // namespace highwater
