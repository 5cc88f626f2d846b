// Texts by words of 8 bytes: fields and names are short, and a loop over bytes ends where no processor expects it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kleene::io::detail {

static_assert(std::endian::native == std::endian::little, "the first byte of a text is the lowest one of its word");

// How many bytes of the byte order mark of UTF-8 the text starts with: 3 or 0. Windows writes one, and it says nothing.
inline std::size_t byte_order_mark(std::string_view text) { return text.starts_with("\xef\xbb\xbf") ? 3 : 0; }

// A field without the blanks of UTF-8 at its ends that nobody sees: the byte order mark (in a file that was put behind
// another), no-break spaces, those of width zero.
inline std::string_view without_unseen(std::string_view field) {
  const auto is_beyond_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  if (field.empty() || (!is_beyond_ascii(field.front()) && !is_beyond_ascii(field.back()))) return field;
  constexpr std::string_view unseen[] = {"\xef\xbb\xbf", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x8b", " ", "\t"};
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view one : unseen) {
      if (field.starts_with(one)) field.remove_prefix(one.size()), again = true;
      if (field.ends_with(one)) field.remove_suffix(one.size()), again = true;
    }
  }
  return field;
}

// The letters of ASCII as small ones.
inline std::string lower_case(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

inline constexpr const char* utf16_words = "the file is UTF-16: save it as UTF-8";
// Whether a text that starts so is in UTF-16: with its byte order mark, or with two letters of ASCII in it.
inline bool is_utf16(std::string_view start) {
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) return true;
  const auto is_letter = [](char c) { return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\n' || c == '\r'; };
  const auto has = [&](std::size_t zero) {
    return start[zero] == '\0' && start[zero + 2] == '\0' && is_letter(start[1 - zero]) && is_letter(start[3 - zero]);
  };
  return start.size() >= 4 && (has(0) || has(1));
}

// Whether a file that starts so is a text.
inline bool is_text(std::string_view start) {
  for (const char c : start.substr(0, 1 << 12))
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') return false;
  return true;
}

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
// The last bytes of a text, 8 if it has them: texts of one length that differ nowhere before differ here.
inline std::uint64_t last_word(const char* text, std::size_t size) {
  if (size >= 8) return load<std::uint64_t>(text + size - 8);
  if (size >= 4) return std::uint64_t{load<std::uint32_t>(text + size - 4)} << 32 | load<std::uint32_t>(text);
  if (size == 0) return 0;
  const auto byte = [text](std::size_t at) { return std::uint64_t{static_cast<unsigned char>(text[at])}; };
  return byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16;
}

// The high bits of the bytes below `limit` (at most 0x80), right up to the lowest of them and perhaps wrong above it.
constexpr std::uint64_t every_byte = 0x0101010101010101u;
constexpr std::uint64_t bytes_below(std::uint64_t word, std::uint64_t limit) {
  return (word - limit * every_byte) & ~word & (0x80 * every_byte);
}
// The same of the bytes that are this one.
constexpr std::uint64_t bytes_that_are(std::uint64_t word, char c) {
  return bytes_below(word ^ static_cast<unsigned char>(c) * every_byte, 1);
}

// Whether f(word) says true of a word of the text; one may overlap the one before.
template <class F>
bool any_word(std::string_view text, const F& f) {
  for (std::size_t at = 0; at + 8 < text.size(); at += 8)
    if (f(load<std::uint64_t>(text.data() + at))) return true;
  return f(last_word(text.data(), text.size()));
}

// Whether a text has one of the control characters of ASCII.
inline bool has_control(std::string_view text) {
  if (text.size() < 4) {
    for (const char c : text)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
    return false;
  }
  return any_word(text, [](std::uint64_t word) { return (bytes_below(word, 0x20) | bytes_that_are(word, 0x7f)) != 0; });
}

}  // namespace kleene::io::detail
