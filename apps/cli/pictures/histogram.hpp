// Pairs of vertices by the distance between them.
#pragma once

#include "kleene/data/matrix.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace kleene::cli {

// Bar k counts the values in [first + k width, first + (k + 1) width), the last one its end, too; where `single` the
// value first + k width alone.
struct histogram_bars {
  double first = 0, width = 1;
  index_t count = 0;
  bool single = false;

  double at(double k) const { return first + k * width; }
  index_t bar_of(double value) const {
    const double k = single ? std::round((value - first) / width) : std::floor((value - first) / width);
    return static_cast<index_t>(std::clamp(k, 0.0, static_cast<double>(count - 1)));
  }
};
// Whole numbers that are few get a bar each; others bars of a round width, at most `most` of them.
histogram_bars bars_between(double least, double longest, bool whole, index_t most);

struct histogram {
  histogram_bars bars;
  std::vector<index_t> pairs{};              // of each bar
  index_t reachable = 0, unreachable = 0;    // pairs with a finite value, and others
  double median = 0, longest = 0;            // of the finite values
  std::string title{}, subtitle{}, facts{};  // top to bottom
  std::string unit{}, quantity = "distance", most_word = "longest";
};

std::string draw_svg(const histogram& h);
std::string draw_plot(const histogram& h, const terminal& to);

// How many bars go into a picture, and into a terminal.
inline constexpr index_t most_svg_bars = 40, most_plot_bars = 20;

// Pairs of a vertex with itself are left out. Needs memory for a copy of the finite distances.
template <class T>
histogram make_histogram(const matrix_view<T>& distances, T unreachable, const std::vector<std::int32_t>& row_vertices,
                         index_t most) {
  histogram h;
  std::vector<T> finite;
  bool whole = true;
  for (index_t i = 0; i < distances.rows(); ++i)
    for (index_t j = 0; j < distances.cols(); ++j) {
      if (j == row_vertices[i]) continue;
      const T d = distances(i, j);
      const auto value = static_cast<double>(d);
      if (d == unreachable || !std::isfinite(value)) {
        ++h.unreachable;
        continue;
      }
      finite.push_back(d);
      whole = whole && value == std::floor(value);
    }
  h.reachable = static_cast<index_t>(finite.size());
  if (finite.empty()) return h;
  const auto [least, longest] = std::ranges::minmax_element(finite);
  h.longest = static_cast<double>(*longest);
  h.bars = bars_between(static_cast<double>(*least), h.longest, whole, most);
  h.pairs.resize(h.bars.count);
  for (const T d : finite) ++h.pairs[h.bars.bar_of(static_cast<double>(d))];
  const auto middle = finite.begin() + static_cast<std::ptrdiff_t>(finite.size() / 2);
  std::nth_element(finite.begin(), middle, finite.end());
  h.median = static_cast<double>(*middle);
  if (finite.size() % 2 == 0)
    h.median += (static_cast<double>(*std::max_element(finite.begin(), middle)) - h.median) / 2;
  return h;
}

}  // namespace kleene::cli
