#include "kernels/permute_axes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace kleene::kernels {

int unit_of(std::size_t element) { return static_cast<int>(std::min<std::size_t>(element & -element, 16)); }

permute_axes joined_axes(const permute_arguments& p, int unit) {
  const index_t units = static_cast<index_t>(p.element) / unit;
  permute_axes all;
  for (int r = 0; r < p.rank; ++r)
    if (p.extents[r] > 1) all.push_back({p.extents[r], p.from_strides[r] * units, p.to_strides[r] * units});
  if (units > 1) all.push_back({units, 1, 1});
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& x, const auto& y) { return std::abs(x.to) > std::abs(y.to); });
  permute_axes joined;
  for (const permute_axis& next : all) {
    if (!joined.empty()) {
      permute_axis& last = joined.back();
      if (last.from == next.extent * next.from && last.to == next.extent * next.to) {
        last = {last.extent * next.extent, next.from, next.to};
        continue;
      }
    }
    joined.push_back(next);
  }
  return joined;
}

void widen_units(permute_axes& all, int& unit, int most) {
  const auto is_even = [&](const permute_axis& a) {
    return &a == &all.back() ? a.extent % 2 == 0 : a.from % 2 == 0 && a.to % 2 == 0;
  };
  while (unit < most && !all.empty() && all.back().from == 1 && all.back().to == 1 &&
         std::all_of(all.begin(), all.end(), is_even)) {
    unit *= 2;
    for (permute_axis& a : all)
      if (&a == &all.back()) a.extent /= 2;
      else a.from /= 2, a.to /= 2;
    if (all.back().extent == 1) all.pop_back();
  }
}

std::vector<int> order_of(const permute_axes& all, index_t permute_axis::* stride) {
  std::vector<int> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int a) { return static_cast<std::uint64_t>(std::abs(all[a].*stride)) - 1; };  // 0: the largest
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return key(x) < key(y); });
  return order;
}

index_t block_of(index_t extent, index_t room) {
  if (extent <= room + room / 2) return extent;
  for (index_t d = room; d > room / 2; --d)
    if (extent % d == 0) return d;
  return room < 16 ? room : room / 16 * 16;
}

int take_axes(const permute_axes& all, const std::vector<int>& order, index_t side, std::vector<index_t>& block) {
  index_t have = 1;
  for (const int a : order) {
    if (have >= side) break;
    if (block[a] == 1) block[a] = block_of(all[a].extent, std::max<index_t>(side / have, 1));
    have *= block[a];
    if (block[a] < all[a].extent) return a;
  }
  return -1;
}

tile_choice choose_tile(const permute_axes& all, index_t side_in, index_t side_out) {
  const std::vector<int> by_copy = order_of(all, &permute_axis::to), by_source = order_of(all, &permute_axis::from);
  tile_choice tile{std::vector<index_t>(all.size(), 1)};
  tile.cut_out = take_axes(all, by_copy, side_out, tile.block);
  tile.cut_in = take_axes(all, by_source, side_in, tile.block);
  if (tile.cut_in == tile.cut_out) tile.cut_in = -1;
  index_t size = std::accumulate(tile.block.begin(), tile.block.end(), index_t{1}, std::multiplies<>());
  for (const int a : by_copy)
    if (tile.block[a] == 1 && size * all[a].extent <= side_in * side_out) size *= tile.block[a] = all[a].extent;
  return tile;
}

}  // namespace kleene::kernels
