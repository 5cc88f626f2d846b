#include "solve_absorb.hpp"

#include <algorithm>
#include <numeric>

namespace kleene::detail {

namespace {

bool has_all(const std::vector<int>& labels, const std::vector<int>& of) {
  return std::all_of(of.begin(), of.end(),
                     [&](int x) { return std::find(labels.begin(), labels.end(), x) != labels.end(); });
}

}  // namespace

absorption absorb_tensors(const network& n) {
  absorption result;
  result.into.assign(n.tensors.size(), -1);
  result.order.resize(n.tensors.size());
  std::iota(result.order.begin(), result.order.end(), 0);
  const auto rank = [&](int t) { return n.tensors[static_cast<std::size_t>(t)].size(); };
  // Of two with the same indices the first stays, so that nothing goes round.
  const auto is_larger = [&](int x, int y) { return rank(x) != rank(y) ? rank(x) > rank(y) : x < y; };
  std::sort(result.order.begin(), result.order.end(), [&](int x, int y) { return is_larger(y, x); });
  std::vector<std::vector<int>> holders(n.extents.size());
  for (int t = 0; t < n.size(); ++t)
    for (const int label : n.tensors[static_cast<std::size_t>(t)])
      holders[static_cast<std::size_t>(label)].push_back(t);
  for (const int t : result.order) {
    const std::vector<int>& labels = n.tensors[static_cast<std::size_t>(t)];
    if (labels.empty()) {  // a scalar goes into any
      if (t != result.order.back()) result.into[static_cast<std::size_t>(t)] = result.order.back();
      continue;
    }
    const auto holders_of = [&](int label) -> const std::vector<int>& {
      return holders[static_cast<std::size_t>(label)];
    };
    const int rarest = *std::min_element(labels.begin(), labels.end(),
                                         [&](int x, int y) { return holders_of(x).size() < holders_of(y).size(); });
    for (const int u : holders_of(rarest))
      if (u != t && is_larger(u, t) && has_all(n.tensors[static_cast<std::size_t>(u)], labels)) {
        result.into[static_cast<std::size_t>(t)] = u;
        break;
      }
  }
  return result;
}

std::vector<std::pair<int, int>> pairs_of_rest(const std::vector<std::pair<int, int>>& pairs,
                                               const std::vector<int>& places, int left) {
  std::vector<int> number = places;  // of each tensor and result among those that stay
  number.reserve(places.size() + pairs.size());
  std::vector<std::pair<int, int>> rest;
  const auto join = [&](int a, int b) {
    if (a < 0 || b < 0) return std::max(a, b);
    rest.emplace_back(a, b);
    return left + static_cast<int>(rest.size()) - 1;
  };
  for (const auto& [a, b] : pairs)
    number.push_back(join(number[static_cast<std::size_t>(a)], number[static_cast<std::size_t>(b)]));
  int last = number.empty() ? -1 : number.back();
  const int known = static_cast<int>(std::count_if(places.begin(), places.end(), [](int place) { return place >= 0; }));
  for (int t = known; t < left; ++t) last = join(last, t);
  return rest;
}

}  // namespace kleene::detail
