// What the terminal can show. Nothing here writes escape codes: a plot is plain lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kleene::cli {

struct terminal {
  int columns = 80;
  bool utf8 = false;  // whether it shows more than ASCII
};

// COLUMNS, else the width of the terminal that answers go to, else 80; UTF-8 if LC_ALL, LC_CTYPE or LANG, the first
// that is set, says so.
terminal answer_terminal();

// A name as it may stand in a plot: no control characters, and '?' for what the terminal does not show; cut to so many
// columns.
std::string plotted(std::string_view name, std::size_t most, const terminal& to);
// The same with blanks in front.
std::string plotted_right(std::string_view name, std::size_t width, const terminal& to);

// The pieces with `between` in between, in lines that fit; those after the first are indented by two.
std::string in_lines(const std::vector<std::string>& pieces, std::string_view between, const terminal& to);

}  // namespace kleene::cli
