#include "io/edge_list_doubts.hpp"

#include "io/edge_list_sample.hpp"
#include "io/words.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace kleene::io::detail {

namespace {

// A name whose bytes are no characters of UTF-8, those of an older code.
bool is_in_other_code(std::string_view name) {
  if (!any_word(name, [](std::uint64_t word) { return (word & 0x80 * every_byte) != 0; })) return false;
  while (!name.empty()) {
    const std::size_t bytes = utf8_character(name);
    if (bytes == 0) return true;
    name.remove_prefix(bytes);
  }
  return false;
}

}  // namespace

std::string doubt_of_late_word(const std::vector<arcs_of_block*>& blocks, const row_place& place) {
  index_t above = 0;
  for (const arcs_of_block* arcs : blocks) {
    if (arcs->has_word && is_real(arcs->word) && above + arcs->rows_above_word > 0)
      throw error(fault_code::bad_input,
                  fmt::format("{}: {} is no number of a vertex, and those above it are: are they names (--vertices "
                              "names)?",
                              place(arcs->word_row), shown(arcs->word)));
    if (arcs->has_word && above + arcs->rows_above_word > 0)
      return fmt::format(
          "{}: the vertex {} is {}, and those above it are: all are read as names (--vertices names says that they "
          "are, "
          "--vertices 1-based refuses such a line)",
          place(arcs->word_row), shown(arcs->word),
          is_number(arcs->word) ? "no whole number from 0 without a sign or zeros in front" : "no whole number");
    if (arcs->has_word) return {};
    above += std::ssize(arcs->from);
  }
  return {};
}

void ask_about_thousands(const std::vector<arcs_of_block*>& blocks, const edge_columns& columns,
                         const row_place& place) {
  index_t weights = 0, points = 0, grouped = 0, row = 0;
  for (const arcs_of_block* arcs : blocks) {
    weights += std::ssize(arcs->integers) + std::ssize(arcs->reals);
    points += arcs->points, grouped += arcs->grouped;
    if (row == 0) row = arcs->grouped_row;
  }
  if (grouped == 0 || grouped != points || points == weights) return;
  // A whole number from 1000 on has no mark between its thousands.
  const auto is_small = [](auto weight) { return weight < 1000 && weight > -1000; };
  for (const arcs_of_block* arcs : blocks)
    if (!std::ranges::all_of(arcs->integers, is_small) || !std::ranges::all_of(arcs->reals, is_small)) return;
  throw error(fault_code::bad_input,
              fmt::format("{}: all weights with a point have three digits behind it, and others have none: if it "
                          "stands between thousands, leave it out; if it is a decimal point, say which columns are "
                          "read (--columns {},{},{})",
                          place(row), columns.from + 1, columns.to + 1, columns.weight + 1));
}

std::string doubt_of_names(const std::vector<std::string>& names, std::string_view file, int threads) {
  struct first_odd {
    const std::string *in_other_code = nullptr, *missing = nullptr;
  };
  constexpr std::size_t some = 1 << 14;
  std::vector<first_odd> parts((names.size() + some - 1) / some);
  in_parallel(parts.size(), threads, [&](std::size_t p) {
    for (std::size_t v = some * p; v < std::min(some * (p + 1), names.size()); ++v) {
      if (!parts[p].in_other_code && is_in_other_code(names[v])) parts[p].in_other_code = &names[v];
      if (!parts[p].missing && is_missing(names[v])) parts[p].missing = &names[v];
    }
  });
  first_odd odd;
  for (const first_odd& part : parts) {
    if (!odd.in_other_code) odd.in_other_code = part.in_other_code;
    if (!odd.missing) odd.missing = part.missing;
  }
  if (odd.in_other_code)
    return fmt::format("{}: the name {} is not in UTF-8: save the file as UTF-8", file, shown(*odd.in_other_code));
  if (odd.missing)
    return fmt::format("{}: a vertex is called {}: does it stand for a missing value?", file, shown(*odd.missing));
  return {};
}

}  // namespace kleene::io::detail
