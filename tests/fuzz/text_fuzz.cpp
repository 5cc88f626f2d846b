// The line scanner: fields, numbers of every kind, promises.
#include "kleene/io/text.hpp"

#include "kleene/io/input.hpp"

#include "fuzz/file.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

using namespace kleene;
using namespace kleene::fuzz;

namespace {

// Where the scanner reads a number, the C library reads the same one.
void compare_number(std::string_view field) {
  double value = 0;
  const std::errc problem = io::scanner::parse(field, value);
  if (problem == std::errc::invalid_argument) return;
  const std::string text(field);
  char* end = nullptr;
  const double c = std::strtod(text.c_str(), &end);
  require(end == text.c_str() + text.size(), "a number that the C library does not read");
  if (problem == std::errc{}) require(c == value, "not the number that the C library reads");
  else require(std::isinf(c) || std::abs(c) < 3e-308, "a number that is in range after all");
}

void walk(std::string_view text, io::real_type reals, int kind) {
  io::scanner in(text, "f", reals);
  std::size_t lines = 0;
  while (kind & 1 ? in.next_line() : in.next_filled_line()) {
    require(in.line().find('\n') == std::string_view::npos, "a line with an end in it");
    switch (kind >> 1 & 3) {
      case 0:
        for (std::string_view word; !(word = in.word()).empty();) compare_number(word);
        break;
      case 1: {
        const double value = in.number<double>("value");
        require(value == value, "NaN");
        const auto narrow = static_cast<float>(value);
        if (reals == io::real_type::f32)
          require((narrow == 0) == (value == 0) && std::isinf(narrow) == std::isinf(value),
                  "a value that f32 cannot hold");
        break;
      }
      case 2:
        in.number<std::int64_t>("value");
        break;
      case 3: {
        const std::int32_t v = in.position("vertex", 1000);
        require(v >= 0 && v < 1000, "a position outside");
        in.require_lines(v, 1 + v % 7);
      }
    }
    in.end_of_line();
    ++lines;
  }
  require(lines <= text.size(), "more lines than bytes");
}

// A file longer than the pieces that it is read by has the same lines as the text in memory.
void compare_pieces(const std::string& line) {
  static memory_file file;
  std::string text = "\n";  // no beginning of a compressed file
  while (text.size() < 2 * io::scanner::longest_line + 100) text += line;
  file.hold(text);
  io::input content(file.path("f"));
  io::scanner pieces(content), whole(text, "f");
  while (whole.next_line()) {
    require(pieces.next_line() && pieces.line() == whole.line(), "another line in a file than in memory");
    require(pieces.word() == whole.word(), "another word in a file than in memory");
  }
  require(!pieces.next_line(), "a file has more lines than its text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const io::real_type reals = data[0] & 8 ? io::real_type::f32 : io::real_type::f64;
  // Rarely, and not in each descendant of an input that does: it takes as long as a thousand others.
  const unsigned sum = std::accumulate(data, data + size, 0u);
  if (data[0] == 0xfe && size > 8 && data[1] != 0x1f && sum % 256 == 0)
    compare_pieces(std::string(text_of(data + 1, size - 1)) + "\n");
  reads([&] { walk(text_of(data + 1, size - 1), reals, data[0]); });
  return 0;
}
