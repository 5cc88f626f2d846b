// The histogram in a terminal: a line for each bar.
#include "histogram.hpp"
#include "text.hpp"

namespace kleene::cli {

namespace {

// A bar of eighths of a column, where the terminal shows them.
std::string bar_text(double share, int width, const terminal& to) {
  if (!to.utf8) return std::string(static_cast<std::size_t>(std::max(1L, std::lround(share * width))), '#');
  const long eighths = std::max(1L, std::lround(share * width * 8));
  std::string out;
  for (long k = 0; k < eighths / 8; ++k) out += "\u2588";
  constexpr const char* parts[] = {"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
  return out + parts[eighths % 8];
}

}  // namespace

std::string draw_plot(const histogram& h, const terminal& to) {
  const std::string unit = h.unit.empty() ? "" : " " + plotted(h.unit, 12, to);
  if (h.pairs.empty()) return fmt::format("no pair has a path, {} have none\n", grouped(h.unreachable));
  const index_t most = std::ranges::max(h.pairs);
  std::vector<std::string> values, counts;
  std::size_t value_width = columns(h.quantity), count_width = 5;
  for (index_t k = 0; k < h.bars.count; ++k) {
    const auto bar = static_cast<double>(k);
    const std::string from = decimal_text(h.bars.at(bar));
    values.push_back(h.bars.single ? from : from + " to " + decimal_text(h.bars.at(bar + 1)));
    counts.push_back(grouped(h.pairs[k]));
    value_width = std::max(value_width, values.back().size());
    count_width = std::max(count_width, counts.back().size());
  }
  const int width = std::max(8, to.columns - static_cast<int>(value_width + count_width) - 4);
  std::string out = fmt::format("{:>{}}  {:>{}}\n", h.quantity, value_width, "pairs", count_width);
  for (index_t k = 0; k < h.bars.count; ++k) {
    const double share = static_cast<double>(h.pairs[k]) / static_cast<double>(most);
    out += fmt::format("{:>{}}  {:>{}}", values[k], value_width, counts[k], count_width);
    out += h.pairs[k] ? "  " + bar_text(share, width, to) + '\n' : "\n";
  }
  std::vector<std::string> facts = {fmt::format("median {}{},", decimal_text(h.median), unit),
                                    fmt::format("{} {}{}", h.most_word, decimal_text(h.longest), unit)};
  if (h.unreachable > 0)
    facts.back() += ';', facts.push_back(fmt::format("{} {} no path", grouped(h.unreachable),
                                                     h.unreachable == 1 ? "pair has" : "pairs have"));
  return out + in_lines(facts, " ", to);
}

}  // namespace kleene::cli
