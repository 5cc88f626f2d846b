#include "text.hpp"

#include "kleene/data/error.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace kleene::cli {

namespace {

struct scale_unit {
  double size;
  const char* name;
};

// 4.56, 123, 1,023
std::string three_digits(double value) {
  return value < 999.5 ? fmt::format("{:.3g}", value) : grouped(std::llround(value));
}

// In the largest unit of which there is one, once it is rounded.
template <std::size_t N>
std::string scaled(double value, const scale_unit (&units)[N]) {
  for (const scale_unit& u : units)
    if (value >= 0.9995 * u.size) return fmt::format("{} {}", three_digits(value / u.size), u.name);
  return fmt::format("{} {}", three_digits(value / units[N - 1].size), units[N - 1].name);
}

}  // namespace

std::string grouped(index_t n) {
  std::string digits = std::to_string(n);
  for (int at = static_cast<int>(digits.size()) - 3; at > (n < 0); at -= 3) digits.insert(at, ",");
  return digits;
}

std::string counted(index_t n, const char* one, const char* many) { return grouped(n) + " " + (n == 1 ? one : many); }

std::string seconds_text(double seconds) {
  if (seconds >= 59.95) {
    const index_t whole = std::llround(seconds);
    return fmt::format("{} min {} s", grouped(whole / 60), whole % 60);
  }
  constexpr scale_unit units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  return scaled(seconds, units);
}

std::string bytes_text(double bytes) {
  constexpr scale_unit units[] = {
      {1099511627776.0, "TiB"}, {1073741824, "GiB"}, {1048576, "MiB"}, {1024, "KiB"}, {1, "bytes"}};
  return scaled(bytes, units);
}

std::string rate_text(double operations, double seconds) {
  constexpr scale_unit units[] = {{1e12, "Tops"}, {1e9, "Gops"}, {1e6, "Mops"}, {1e3, "kops"}, {1, "ops"}};
  return scaled(seconds > 0 ? operations / seconds : 0, units);
}

std::string file_stem(std::string_view path) {
  path.remove_prefix(path.find_last_of('/') + 1);
  for (const std::string_view packed : io::compression_suffixes)
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  if (const std::size_t dot = path.find_last_of('.'); dot != path.npos && dot > 0) path = path.substr(0, dot);
  return std::string(path);
}

std::string decimal_text(double value) {
  if (value == 0) return "0";  // -0.0, too
  const double size = std::abs(value);
  if (!(size >= 1 && size < 1e15)) return fmt::format("{:.6g}", value);
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string number_json(const std::string& decimal) {
  const bool finite = decimal.find_first_not_of("+-.0123456789e") == decimal.npos;
  return finite && !decimal.empty() ? decimal : "null";
}

std::string as_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = io::utf8_character(text);
    if (bytes == 0) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else out += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (char c : as_utf8(text)) {
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else out += c;
  }
  return out + '"';
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string shortened(std::string_view text, std::size_t most) {
  if (columns(text) <= most) return std::string(text);
  std::size_t end = 0;
  for (std::size_t shown = 1; shown < most; ++shown)
    end += std::max<std::size_t>(io::utf8_character(text.substr(end)), 1);
  return std::string(text.substr(0, end)) + "\u2026";
}

json_object& json_object::raw(std::string_view key, std::string_view value) {
  body_ += fmt::format("{}{}: {}", body_.empty() ? "" : ", ", json_string(key), value);
  return *this;
}

void write_stdout(std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw error(fault_code::bad_input, std::string("cannot write to standard output: ") + std::strerror(errno));
}

namespace {
bool stdout_is_a_result = false;
}

void answer_on_stderr() { stdout_is_a_result = true; }
bool answers_go_to_stderr() { return stdout_is_a_result; }

void write_answer(std::string_view text) {
  if (!stdout_is_a_result) return write_stdout(text);
  std::fwrite(text.data(), 1, text.size(), stderr);  // whoever closed it wants no answer
}

}  // namespace kleene::cli
