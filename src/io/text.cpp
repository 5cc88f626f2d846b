#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace kleene::io {

std::size_t utf8_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t at = 1; at < bytes; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool none = first < 0xc2 || code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
                    code == 0xfffe || code == 0xffff;
  return none ? 0 : bytes;
}

std::string shown(std::string_view field) {
  constexpr std::size_t most = 40;
  std::string text = "'";
  std::size_t at = 0;
  while (at < field.size()) {
    const auto byte = static_cast<unsigned char>(field[at]);
    const std::size_t bytes = utf8_character(field.substr(at));
    const bool control =
        byte < 0x20 || byte == 0x7f || (bytes == 2 && byte == 0xc2 && static_cast<unsigned char>(field[at + 1]) < 0xa0);
    if (at + std::max<std::size_t>(bytes, 1) > most) break;
    if (bytes == 0 || control) text += fmt::format("\\x{:02x}", byte), ++at;
    else text += field.substr(at, bytes), at += bytes;
  }
  return text + (at < field.size() ? "...'" : "'");
}

scanner::scanner(input& in, real_type reals) : file_(in.path()), source_(&in), reals_(reals) {
  kleene::detail::with_memory(in.path().c_str(), longest_line, [&] { piece_.reset(new char[longest_line]); });
  next_ = end_ = piece_.get();
  fill();
}

void scanner::fill() {
  const auto rest = static_cast<std::size_t>(end_ - next_);
  std::memmove(piece_.get(), next_, rest);
  const std::size_t got = source_->read(piece_.get() + rest, longest_line - rest);
  next_ = piece_.get();
  end_ = next_ + rest + got;
  if (rest + got < longest_line) source_ = nullptr;
}

std::size_t scanner::take(char* to, std::size_t bytes) {
  const std::size_t here = std::min(bytes, static_cast<std::size_t>(end_ - next_));
  std::memcpy(to, next_, here);
  next_ += here;
  return here + (source_ && here < bytes ? source_->read(to + here, bytes - here) : 0);
}

const char* scanner::read_on() {
  fill();
  const char* const stop = line_stop();
  if (!stop && source_) {
    ++line_number_;
    fail(fmt::format("a line of more than {} bytes", longest_line - 1));
  }
  return stop;
}

void scanner::fail(const std::string& what) const {
  throw error(fault_code::bad_input, fmt::format("{}:{}: {}", file_, std::max<index_t>(line_number_, 1), what));
}

void scanner::require_lines(index_t count, index_t shortest, const char* many) const {
  if (count <= 1 << 16) return;
  constexpr auto unlimited = static_cast<std::uint64_t>(std::numeric_limits<index_t>::max() - 1);
  auto left = static_cast<std::uint64_t>(end_ - next_);
  if (source_) {
    const std::uint64_t most = source_->most_content(), had = source_->offset();
    if (most > had) left += std::min(most - had, unlimited - left);
  }
  if (count > (static_cast<index_t>(left) + 1) / shortest)  // the last line may lack its end
    fail(fmt::format("{} {} are promised, but the {}{} {} cannot hold them", count, many,
                     size_is_known() ? "" : "at most ", left, left == 1 ? "byte that follows" : "bytes that follow"));
}

bool scanner::size_is_known() const {
  return !source_ ||
         (source_->compression().empty() && source_->most_content() != std::numeric_limits<std::uint64_t>::max());
}

index_t scanner::believable(index_t count) const { return size_is_known() ? count : std::min<index_t>(count, 1 << 16); }

void scanner::refuse_number(const char* what, std::string_view field, std::errc problem, bool integer) const {
  if (field.empty()) fail(fmt::format("the {} is missing", what));
  if (problem == std::errc::result_out_of_range)
    fail(fmt::format("the {} {} is outside the range of {}", what, shown(field),
                     integer ? "64-bit integers" : "double precision"));
  fail(fmt::format("the {} {} is not {}", what, shown(field), integer ? "an integer" : "a number"));
}

std::string scanner::words_of_f32(const char* what, std::string_view field) {
  return fmt::format("the {} {} is outside the range of f32 (1.4e-45 to 3.4e38, and 0): ask for f64 (--dtype f64)",
                     what, shown(field));
}

void scanner::refuse_position(const char* what, index_t at, index_t last) const {
  if (last == 0) fail(fmt::format("{} {} in a matrix without any", what, at));
  fail(fmt::format("{} {} is outside 1 .. {}", what, at, last));
}

void scanner::refuse_rest() const {
  fail(fmt::format("unexpected {} at the end of the line", shown({at_, static_cast<std::size_t>(line_end_ - at_)})));
}

}  // namespace kleene::io
