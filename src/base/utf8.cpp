#include "base/utf8.h"

namespace highwater {

Utf8Step utf8_step(std::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {Utf8Step::Whole, 1, lead};
  if (lead < 0xc2 || lead > 0xf4) return {Utf8Step::Bad, 1};
  const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte's bounds keep out long spellings, surrogates, and what is over U+10FFFF.
  unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  char32_t character = lead & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if (i == bytes.size()) return {Utf8Step::CutShort, static_cast<uint8_t>(i)};
    if (byte(i) < low || byte(i) > high) return {Utf8Step::Bad, static_cast<uint8_t>(i)};
    character = character << 6 | (byte(i) & 0x3f);
    low = 0x80;
    high = 0xbf;
  }
  return {Utf8Step::Whole, static_cast<uint8_t>(length), character};
}

size_t utf8_whole(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    const Utf8Step step = utf8_step(bytes.substr(at));
    if (step.kind != Utf8Step::Whole) break;
    at += step.length;
  }
  return at;
}

void append_utf8(std::string& out, char32_t character) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (character < 0x80) return put(character);
  const int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
  put((0xff00u >> (more + 1) & 0xff) | character >> 6 * more);
  for (int i = more; i-- > 0;) put(0x80 | (character >> 6 * i & 0x3f));
}

void append_as_utf8(std::string& out, std::string_view bytes) {
  while (!bytes.empty()) {
    const Utf8Step step = utf8_step(bytes);
    if (step.kind == Utf8Step::Whole) {
      out += bytes.substr(0, step.length);
    } else {
      append_utf8(out, 0xfffd);
    }
    bytes.remove_prefix(step.length);
  }
}

bool is_plain_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const Utf8Step step = utf8_step(bytes);
    const bool is_control =
        step.character < 0x20 || (step.character >= 0x7f && step.character < 0xa0);
    if (step.kind != Utf8Step::Whole || is_control) return false;
    bytes.remove_prefix(step.length);
  }
  return true;
}

std::string escaped(std::string_view bytes) {
  constexpr size_t kMost = 80;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return bytes.size() > kMost ? out += "…" : out;
}

size_t utf8_unfinished(std::string_view bytes) {
  for (size_t length = 1; length <= 3 && length <= bytes.size(); ++length) {
    const std::string_view end = bytes.substr(bytes.size() - length);
    if ((static_cast<unsigned char>(end[0]) & 0xc0) == 0x80) continue;
    return utf8_step(end).kind == Utf8Step::CutShort ? length : 0;
  }
  return 0;
}

}  // namespace highwater
