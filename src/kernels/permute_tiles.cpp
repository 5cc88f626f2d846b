// Tiles of a copy with another order of axes on a device (kernels/cuda/permute/plan.hpp).
#include "kernels/permute_axes.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/kernels/cuda/permute/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

namespace kleene::kernels::cuda {

namespace {

// A run of so many bytes on both sides is copied as it is, in tiles of about so many units.
constexpr index_t run_bytes = 256, direct_units = 2048;
// Rows of a tile are cut after so many steps, since tables hold 16 bits of them.
constexpr index_t most_block = 4096;
// Shared memory of a multiprocessor that its blocks may fill.
constexpr std::size_t shared_of_multiprocessor = 200 * 1024;

// The largest power of two up to 16 that divides an address.
int alignment_of(const void* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  return static_cast<int>(std::min<std::uintptr_t>(address & -address, 16));
}
int alignment_of(const permute_arguments& p) {
  const auto one = [](const void* q) { return q ? alignment_of(q) : 16; };
  return std::min(one(p.from), one(p.to));
}

index_t size_of(const tile_choice& tile) {
  return std::accumulate(tile.block.begin(), tile.block.end(), index_t{1}, std::multiplies<>());
}

// A tile of few units, as of a matrix with two columns, takes more of the axis that is cut already, or else of another.
void grow(const permute_axes& all, tile_choice& tile, index_t wanted) {
  for (int turn = 0; turn < 2 && 2 * size_of(tile) <= wanted; ++turn) {
    int axis = turn == 0 ? tile.cut_out : tile.cut_in;
    if (axis < 0)
      for (const int a : order_of(all, &permute_axis::to))
        if (axis < 0 && tile.block[a] < all[a].extent) axis = a;
    if (axis < 0) return;
    const index_t before = tile.block[axis], room = before * (wanted / size_of(tile));
    tile.block[axis] = block_of(all[axis].extent, std::min(room, most_block));
    if (axis == tile.cut_in || axis == tile.cut_out) continue;
    (tile.cut_out < 0 ? tile.cut_out : tile.cut_in) = axis;
  }
}

tile_choice direct_tile(const permute_axes& all) {
  tile_choice tile{std::vector<index_t>(all.size(), 1)};
  tile.cut_out = take_axes(all, order_of(all, &permute_axis::to), direct_units, tile.block);
  return tile;
}

// Tiles, one after the other.
void order_loops(permute_plan& plan, const permute_axes& all, tile_choice& tile, bool by_reach) {
  std::vector<int> order = order_of(all, &permute_axis::to);
  const auto reach = [&](int a) { return std::max(std::abs(all[a].from), std::abs(all[a].to)); };
  if (by_reach) std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return reach(x) < reach(y); });
  for (const int a : order) {
    const index_t block = tile.block[a], extent = all[a].extent;
    if (block == extent) continue;
    const index_t steps = ceil_div(extent, block);
    if (extent % block != 0) plan.cut[a == tile.cut_out ? 1 : 0] = {plan.loops, extent, static_cast<int>(block)};
    plan.loop[plan.loops++] = {steps, all[a].from * block, all[a].to * block, plan.tiles};
    plan.tiles *= steps;
  }
}

// How many of the axes in front lie together and make up vectors of so many units, which no cut goes through; 0: none.
int axes_of_vector(const permute_axes& all, const tile_choice& tile, const std::vector<int>& order,
                   index_t permute_axis::* stride, int vector) {
  index_t run = 1;
  for (std::size_t j = 0; j < order.size(); ++j) {
    const int a = order[j];
    const index_t tail = all[a].extent % tile.block[a];
    if (all[a].*stride != run || run * tail % vector != 0) return 0;
    run *= tile.block[a];
    if (run % vector == 0) return static_cast<int>(j) + 1;
  }
  return 0;
}

int vector_of(const permute_plan& plan, const permute_axes& all, const tile_choice& tile, const std::vector<int>& order,
              index_t permute_axis::* stride, const void* memory) {
  const int vector = 16 / plan.unit;
  const int inside = axes_of_vector(all, tile, order, stride, vector);
  if (inside == 0 || (memory && alignment_of(memory) < 16)) return 1;
  for (std::size_t a = 0; a < all.size(); ++a) {
    const bool is_inside =
        std::find(order.begin(), order.begin() + inside, static_cast<int>(a)) != order.begin() + inside;
    const index_t step = is_inside ? all[a].*stride * tile.block[a] : all[a].*stride;
    if (step % vector != 0 && all[a].extent > (is_inside ? tile.block[a] : 1)) return 1;
  }
  return vector;
}

// A side's axes by their stride there; inner: about `side` units.
permute_side side_of(const permute_plan& plan, const permute_axes& all, const tile_choice& tile,
                     index_t permute_axis::* stride, const void* memory, index_t side) {
  std::vector<int> order;
  for (const int a : order_of(all, stride))
    if (tile.block[a] > 1) order.push_back(a);
  permute_side s;
  s.vector = vector_of(plan, all, tile, order, stride, memory);
  const int inside = s.vector > 1 ? axes_of_vector(all, tile, order, stride, s.vector) : 0;
  for (const int a : order) {
    permute_tile_axis& x = s.axis[s.axes];
    x.steps = static_cast<int>(tile.block[a]), x.global = all[a].*stride;
    x.cut = all[a].extent % tile.block[a] == 0 ? 0 : a == tile.cut_out ? 2 : 1;
    if (s.axes < inside || (s.inner_axes == s.axes && 2 * s.inner <= side)) ++s.inner_axes, s.inner *= x.steps;
    else s.outer *= x.steps;
    ++s.axes;
  }
  while ((1 << s.lanes_log2) * s.vector < s.inner && (1 << s.lanes_log2) < permute_threads) ++s.lanes_log2;
  return s;
}

// Rows of the tile, as it is read, are padded so that columns of it lie in different banks.
int pitch_of(int inner, int unit) {
  if (unit == 1) return (inner + 3) / 8 * 8 + 4;
  if (unit == 2) return (inner + 1) / 4 * 4 + 2;
  return inner | 1;
}

void place_in_tile(permute_plan& plan, const permute_axes& all, const tile_choice& tile) {
  std::vector<int> stride(all.size(), 0);
  int step = 1, at = 0;
  for (const int a : order_of(all, &permute_axis::from)) {
    if (tile.block[a] == 1) continue;
    if (at == plan.in.inner_axes && at > 0) step = pitch_of(plan.in.inner, plan.unit);
    plan.in.axis[at].shared = stride[a] = step;
    step *= plan.in.axis[at++].steps;
  }
  plan.tile_units = plan.in.outer * pitch_of(plan.in.inner, plan.unit);
  at = 0;
  for (const int a : order_of(all, &permute_axis::to))
    if (tile.block[a] > 1) plan.out.axis[at++].shared = stride[a];
}

void cut_into_tiles(permute_plan& plan, const permute_axes& all, const permute_policy& policy) {
  const permute_axis& last = all.back();
  plan.is_direct = last.from == 1 && last.to == 1 && last.extent * plan.unit >= run_bytes;
  tile_choice tile = plan.is_direct ? direct_tile(all) : choose_tile(all, policy.side);
  if (!plan.is_direct) grow(all, tile, index_t{policy.side} * policy.side);
  order_loops(plan, all, tile, policy.by_reach && !plan.is_direct);
  const index_t inner = plan.is_direct ? tile.block[all.size() - 1] : policy.side;
  plan.out = side_of(plan, all, tile, &permute_axis::to, plan.to, inner);
  if (plan.is_direct) {
    plan.in = plan.out;
    const std::vector<int> order = order_of(all, &permute_axis::to);
    int at = 0;
    for (const int a : order)
      if (tile.block[a] > 1) plan.in.axis[at++].global = all[a].from;
    std::vector<int> in_tile;
    for (const int a : order)
      if (tile.block[a] > 1) in_tile.push_back(a);
    plan.in.vector = plan.out.vector =
        std::min(plan.out.vector, vector_of(plan, all, tile, in_tile, &permute_axis::from, plan.from));
    return;
  }
  plan.in = side_of(plan, all, tile, &permute_axis::from, plan.from, policy.side);
  place_in_tile(plan, all, tile);
}

}  // namespace

permute_plan plan_permute(const permute_arguments& p, const permute_policy& policy) {
  permute_plan plan;
  plan.from = static_cast<const char*>(p.from), plan.to = static_cast<char*>(p.to);
  const int aligned = alignment_of(p);
  plan.unit = std::min(unit_of(p.element), aligned);
  permute_axes all = joined_axes(p, plan.unit);
  widen_units(all, plan.unit, aligned);
  index_t units = 1;
  for (const permute_axis& a : all) units *= a.extent;
  plan.bytes = units * plan.unit;
  plan.is_run = all.empty() || (all.size() == 1 && all[0].from == 1 && all[0].to == 1);
  if (plan.is_run) return plan;
  cut_into_tiles(plan, all, policy);
  plan.blocks = std::clamp(static_cast<int>(shared_of_multiprocessor / (plan.shared_bytes() + 1024)), 1, policy.blocks);
  return plan;
}

permute_plan plan_permute(const permute_arguments& p) {
  const int aligned = alignment_of(p);
  int unit = std::min(unit_of(p.element), aligned);
  permute_axes all = joined_axes(p, unit);
  widen_units(all, unit, aligned);
  return plan_permute(p, permute_policy_for(unit));
}

std::string describe_permute(const permute_plan& plan) {
  const std::string what = "permute on a device, " + std::to_string(plan.bytes / plan.unit) + " units of " +
                           std::to_string(plan.unit) + " bytes: ";
  if (plan.is_run) return what + "one run";
  const auto side = [](const permute_side& s) {
    return std::to_string(s.inner) + " x " + std::to_string(s.outer) + " by " + std::to_string(s.vector);
  };
  return what + std::to_string(plan.tiles) + (plan.is_direct ? " runs of " : " tiles of ") + side(plan.in) +
         (plan.is_direct ? "" : " in, " + side(plan.out) + " out");
}

}  // namespace kleene::kernels::cuda
