// The nearest and the farthest pairs of an answer.
#pragma once

#include "pair_filter.hpp"
#include "text.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::cli {

struct far_pair {
  std::int32_t from, to;
  std::string json, shown;  // the distance
};

struct extreme_pairs {
  std::vector<far_pair> nearest{}, farthest{};
};

// What people call them, and the last of them all. Only sums are near and far.
struct extreme_words {
  const char *best = "best", *worst = "worst", *diameter = "worst";
};
inline extreme_words extreme_words_of(std::string_view algebra) {
  if (algebra == "min_plus") return {"nearest", "farthest", "diameter"};
  if (algebra == "max_plus") return {"longest", "shortest", "longest"};  // of a plan the longest is looked for
  if (algebra == "max_min") return {"widest", "narrowest", "narrowest"};
  if (algebra == "max_times") return {"likeliest", "unlikeliest", "unlikeliest"};
  return {};
}

// The pairs of the smallest and largest numbers, nearest (farthest) first; of equal ones the first in row order. Of an
// undirected graph each pair once.
template <class S>
extreme_pairs extremes_of(int top, bool symmetric, const pair_filter<S>& filter, const apsp_result<S>& result) {
  using T = value_of<S>;
  struct candidate {
    T distance;
    index_t at;
  };
  const auto before = [](const candidate& a, const candidate& b, bool less) {
    if (a.distance != b.distance) return (a.distance < b.distance) == less;
    return a.at < b.at;
  };
  const auto list = [&](bool less, std::vector<far_pair>& pairs) {
    const auto order = [&](const candidate& a, const candidate& b) { return before(a, b, less); };
    std::vector<candidate> best;  // a heap, its worst on top
    const index_t cols = result.distances.cols();
    for (index_t i = 0; i < result.distances.rows(); ++i)
      for (index_t j = 0; j < cols; ++j) {
        const candidate now{result.distances(i, j), i * cols + j};
        const bool counts = result.sources[i] != j && !(now.distance == S::zero()) &&
                            !(symmetric && j < result.sources[i]) && filter.takes(j, now.distance);
        if (!counts || (best.size() == static_cast<std::size_t>(top) && !order(now, best.front()))) continue;
        if (best.size() == static_cast<std::size_t>(top)) std::ranges::pop_heap(best, order), best.pop_back();
        best.push_back(now);
        std::ranges::push_heap(best, order);
      }
    std::ranges::sort_heap(best, order);
    for (const candidate& c : best)
      pairs.push_back({result.sources[c.at / cols], static_cast<std::int32_t>(c.at % cols), number_json(c.distance),
                       number_text(c.distance)});
  };
  const bool smaller_is_nearer = S::add(widen<S>(T(1)), widen<S>(T(2))) == widen<S>(T(1));
  extreme_pairs extremes;
  list(smaller_is_nearer, extremes.nearest);
  list(!smaller_is_nearer, extremes.farthest);
  return extremes;
}

}  // namespace kleene::cli
