// Tiles of a copy with another order of axes.
#include "kernels/permute_axes.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/permute/plan.hpp"
#include "kleene/kernels/cpu/permute/tuning.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

namespace kleene::kernels::cpu {

namespace {

using axes = permute_axes;

// --- tables ----------------------------------------------------------------------------------------------------------

// An axis of a tile, with its strides in the source, in the copy, in the tile as it is written, and where it is read:
// in the source, or where it is gathered. In the copy and as it is written each axis has a stride of its own.
struct tile_axis {
  index_t extent, from, to, out, in;
};
using tile_axes = std::vector<tile_axis>;

// f(index . strides of one member, of another) for every index, the first axis fastest.
template <class F>
void for_each_index(const tile_axes& over, index_t tile_axis::* one, index_t tile_axis::* other, const F& f) {
  std::vector<index_t> at(over.size(), 0);
  index_t x = 0, y = 0;
  for (;;) {
    f(x, y);
    std::size_t a = 0;
    for (; a < over.size(); ++a) {
      x += over[a].*one, y += over[a].*other;
      if (++at[a] < over[a].extent) break;
      x -= over[a].extent * over[a].*one, y -= over[a].extent * over[a].*other;
      at[a] = 0;
    }
    if (a == over.size()) return;
  }
}

// How many axes in front lie together, one after the other.
std::size_t chain_of(const tile_axes& ordered, index_t tile_axis::* stride, index_t& run) {
  run = 1;
  std::size_t a = 0;
  for (; a < ordered.size() && ordered[a].*stride == run; ++a) run *= ordered[a].extent;
  return a;
}

// The factors of the axes in front whose product is `lanes`; empty where there are none.
tile_axes lanes_of(const tile_axes& chain, index_t lanes) {
  tile_axes factors;
  for (const tile_axis& a : chain) {
    if (lanes == 1) break;
    const index_t factor = a.extent % lanes == 0 ? lanes : lanes % a.extent == 0 ? a.extent : 0;
    if (factor == 0) return {};
    factors.push_back(a);
    factors.back().extent = factor;
    lanes /= factor;
  }
  return lanes == 1 ? factors : tile_axes{};
}

// Takes the lanes' factors out of an axis.
void divide(tile_axes& all, const tile_axes& factors) {
  for (const tile_axis& f : factors) {
    const auto a = std::find_if(all.begin(), all.end(), [&](const tile_axis& x) { return x.out == f.out; });
    *a = {a->extent / f.extent, a->from * f.extent, a->to * f.extent, a->out * f.extent, a->in * f.extent};
    if (a->extent == 1) all.erase(a);  // else it could be taken for the axis that it goes on as
  }
}

bool share_an_axis(const tile_axes& x, const tile_axes& y) {
  return std::any_of(x.begin(), x.end(), [&](const tile_axis& a) {
    return std::any_of(y.begin(), y.end(), [&](const tile_axis& b) { return a.out == b.out; });
  });
}

// The places of all blocks of lanes. Those that lie together in the source come first, so that its lines are read once:
// rows of the source that are a power of two apart have the same few places in the caches.
void tabulate_places(permute_tile& tile, tile_axes axes, const tile_axes& lanes_in, const tile_axes& lanes_out) {
  int lane = 0;
  for_each_index(lanes_out, &tile_axis::in, &tile_axis::out, [&](index_t in, index_t) { tile.lane_in[lane++] = in; });
  lane = 0;
  for_each_index(lanes_in, &tile_axis::in, &tile_axis::out,
                 [&](index_t, index_t out) { tile.lane_out[lane++] = static_cast<std::int32_t>(out); });
  divide(axes, lanes_out);
  divide(axes, lanes_in);
  std::size_t split = 0;
  for (index_t inner = 1; split < axes.size() && inner < 64; ++split) inner *= axes[split].extent;
  const auto tabulate = [](const tile_axes& over, std::vector<permute_tile::place>& places) {
    for_each_index(over, &tile_axis::in, &tile_axis::out,
                   [&](index_t in, index_t out) { places.push_back({in, static_cast<std::int32_t>(out)}); });
  };
  const auto middle = axes.begin() + static_cast<std::ptrdiff_t>(split);
  tabulate({axes.begin(), middle}, tile.inner);
  tabulate({middle, axes.end()}, tile.outer);
}

// The axes of a tile in order of a stride.
tile_axes ordered_axes(const axes& all, const std::vector<index_t>& block, index_t permute_axis::* stride) {
  tile_axes some;
  for (const int a : order_of(all, stride))
    if (block[a] > 1) some.push_back({block[a], all[a].from, all[a].to, 0, all[a].from});
  return some;
}

// Those of `front`, and then the others of `all`.
tile_axes complete(tile_axes front, const tile_axes& all) {
  const std::size_t count = front.size();
  for (const tile_axis& a : all)
    if (std::none_of(front.begin(), front.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](const tile_axis& f) { return f.to == a.to; }))
      front.push_back(a);
  return front;
}

// pitch: from row to row where the tile is gathered; 0: it is read where it lies.
permute_tile tabulate_tile(const axes& all, const std::vector<index_t>& block, int unit, index_t pitch) {
  permute_tile tile;
  tile_axes by_source = ordered_axes(all, block, &permute_axis::from);
  tile_axes by_copy = ordered_axes(all, block, &permute_axis::to);
  const std::size_t in_chain = chain_of(by_source, &tile_axis::from, tile.run_in);
  const std::size_t out_chain = chain_of(by_copy, &tile_axis::to, tile.run_out);
  // As the tile is written, runs that follow each other in the source follow each other.
  if (pitch > 0) {
    index_t row = pitch;
    for (std::size_t a = in_chain; a < by_source.size(); ++a)
      by_source[a].in = std::exchange(row, row * by_source[a].extent);
    for (tile_axis& a : by_copy)
      a.in = std::find_if(by_source.begin(), by_source.end(), [&](const tile_axis& s) { return s.to == a.to; })->in;
  }
  by_copy.resize(out_chain);
  tile_axes written = complete(by_copy, by_source);
  tile.units = 1;
  for (tile_axis& a : written) a.out = std::exchange(tile.units, tile.units * a.extent);
  for (tile_axis& a : by_source)
    a.out = std::find_if(written.begin(), written.end(), [&](const tile_axis& w) { return w.to == a.to; })->out;

  const auto in_middle = by_source.begin() + static_cast<std::ptrdiff_t>(in_chain);
  const auto out_middle = written.begin() + static_cast<std::ptrdiff_t>(out_chain);
  for_each_index({in_middle, by_source.end()}, &tile_axis::from, &tile_axis::to,
                 [&](index_t from, index_t) { tile.rows_in.push_back(from); });
  for_each_index({out_middle, written.end()}, &tile_axis::from, &tile_axis::to,
                 [&](index_t, index_t to) { tile.rows_out.push_back(to); });
  const int lanes = 16 / unit;
  tile_axes lanes_in = lanes_of({by_source.begin(), in_middle}, lanes);
  tile_axes lanes_out = lanes_of({written.begin(), out_middle}, lanes);
  if (lanes_in.empty() || lanes_out.empty() || share_an_axis(lanes_in, lanes_out)) lanes_in = lanes_out = {};
  else tile.lanes = lanes;
  tabulate_places(tile, complete({by_source.begin(), in_middle}, written), lanes_in, lanes_out);
  return tile;
}

// --- the plan --------------------------------------------------------------------------------------------------------

// From tile to tile along the source first: what costs most is to read (src/kernels/permute.cpp). Inside of these loops
// are those along axes that span few bytes of either side, so that a page's address is still in the TLB when its next
// tile comes.
void order_loops(permute_plan& plan, const tile_choice& tile) {
  std::vector<bool> used(plan.axes.size(), false);
  const auto add = [&](int a) {
    const permute_axis& axis = plan.axes[a];
    if (used[a] || tile.block[a] == axis.extent) return;
    used[a] = true;
    if (a == tile.cut_in) plan.cut_in = static_cast<int>(plan.loops.size());
    if (a == tile.cut_out) plan.cut_out = static_cast<int>(plan.loops.size());
    plan.loops.push_back({ceil_div(axis.extent, tile.block[a]), axis.from * tile.block[a], axis.to * tile.block[a]});
  };
  const auto add_short = [&](index_t permute_axis::* stride) {
    for (const int a : order_of(plan.axes, stride))
      if (std::abs(plan.axes[a].*stride) * plan.axes[a].extent * plan.unit <= inner_span_bytes(plan.unit)) add(a);
  };
  if (plan.streams) add_short(&permute_axis::from), add_short(&permute_axis::to);
  for (const int a : order_of(plan.axes, &permute_axis::from)) add(a);
}

// Blocks that make no whole vectors are moved a unit at a time, which costs more than a last one that is shorter; past
// the caches the same holds of blocks that make no whole lines, and are written in parts.
void round_blocks(const permute_plan& plan, tile_choice& tile) {
  for (const auto& [a, side] :
       {std::pair{tile.cut_in, side_in(plan.unit)}, std::pair{tile.cut_out, side_out(plan.unit)}}) {
    if (a < 0 || tile.block[a] > side || 2 * tile.block[a] < side || side > plan.axes[a].extent) continue;
    if (tile.block[a] * plan.unit % (plan.streams ? 64 : 16) != 0) tile.block[a] = side;
  }
}

// How many rows of a tile have to share a set of a cache whose ways have way_bytes, on average.
index_t rows_in_a_set(const permute_tile& tile, int unit) {
  std::vector<index_t> sets;
  for (const index_t row : tile.rows_in) sets.push_back((row * unit & (way_bytes - 1)) / 64);
  std::sort(sets.begin(), sets.end());
  const auto distinct = std::unique(sets.begin(), sets.end()) - sets.begin();
  return std::ssize(tile.rows_in) / std::max<index_t>(distinct, 1);
}

// Innermost loops along which tiles lie together in the source, up to a length of their rows: such tiles are gathered
// together. A loop that goes on is divided.
void group_tiles(permute_plan& plan, const tile_choice& tile, const permute_limits& limits) {
  if (rows_in_a_set(tabulate_tile(plan.axes, tile.block, plan.unit, 0), plan.unit) < limits.rows_a_set) return;
  index_t run = 1, whole = 1;
  for (const int a : order_of(plan.axes, &permute_axis::from)) {
    if (plan.axes[a].from != run) break;
    run *= tile.block[a];
    if (tile.block[a] < plan.axes[a].extent) break;
  }
  const auto has_tail = [&](std::size_t loop) {
    const auto is_cut = [&](int cut, int a) {
      return static_cast<int>(loop) == cut && plan.axes[a].extent % tile.block[a];
    };
    return is_cut(plan.cut_in, tile.cut_in) || is_cut(plan.cut_out, tile.cut_out);
  };
  const index_t most = most_gathered_row_bytes / plan.unit / run;
  for (std::size_t l = 0; l < plan.loops.size() && whole < most; ++l) {
    permute_axis& loop = plan.loops[l];
    if (loop.from != run * whole || has_tail(l)) break;
    index_t part = std::min(loop.extent, most / whole);
    while (loop.extent % part != 0) --part;
    whole *= part;
    if (part == loop.extent) continue;
    const permute_axis rest{loop.extent / part, loop.from * part, loop.to * part};
    loop.extent = part;
    plan.loops.insert(plan.loops.begin() + static_cast<std::ptrdiff_t>(l) + 1, rest);
    for (int* cut : {&plan.cut_in, &plan.cut_out})
      if (*cut > static_cast<int>(l)) ++*cut;
    break;
  }
  if (whole * run * plan.unit < limits.gathered_row_bytes) return;
  plan.group = whole;
  plan.pitch = run * whole + 64 / plan.unit;
}

void tabulate_tiles(permute_plan& plan, const tile_choice& tile) {
  const auto tail = [&](int a) { return a < 0 ? 0 : plan.axes[a].extent % tile.block[a]; };
  for (int variant = 0; variant < 4; ++variant) {
    std::vector<index_t> block = tile.block;
    const index_t tail_in = tail(tile.cut_in), tail_out = tail(tile.cut_out);
    if ((variant & 1 && tail_in == 0) || (variant & 2 && tail_out == 0)) {
      plan.tiles[variant] = plan.tiles[variant & ((tail_in ? 1 : 0) | (tail_out ? 2 : 0))];
      continue;
    }
    if (variant & 1) block[tile.cut_in] = tail_in;
    if (variant & 2) block[tile.cut_out] = tail_out;
    plan.tiles[variant] = tabulate_tile(plan.axes, block, plan.unit, plan.pitch);
  }
}

}  // namespace

permute_plan plan_permute(const permute_arguments& p) {
  const int unit = unit_of(p.element);
  return plan_permute(p, {stream_bytes, gathered_row_bytes(unit), gathered_rows_a_set});
}

permute_plan plan_permute(const permute_arguments& p, const permute_limits& limits) {
  permute_plan plan;
  plan.from = static_cast<const char*>(p.from);
  plan.to = static_cast<char*>(p.to);
  plan.unit = unit_of(p.element);
  plan.axes = joined_axes(p, plan.unit);
  widen_units(plan.axes, plan.unit, 16);
  index_t units = 1;
  for (const permute_axis& a : plan.axes) units *= a.extent;
  plan.threads = threads_for(double(units), elements_per_thread, p.threads);
  plan.streams = units * plan.unit >= limits.stream_bytes;

  tile_choice tile{std::vector<index_t>(plan.axes.size(), 1)};
  if (!plan.axes.empty()) {
    const permute_axis& last = plan.axes.back();
    plan.copies_runs = last.from == 1 && last.to == 1 && last.extent * plan.unit >= run_bytes;
    if (plan.copies_runs) {
      const int a = static_cast<int>(plan.axes.size()) - 1;
      tile.block[a] = block_of(last.extent, most_run_bytes / plan.unit);
      if (tile.block[a] < last.extent) tile.cut_out = a;
    } else {
      tile = choose_tile(plan.axes, side_in(plan.unit), side_out(plan.unit));
      round_blocks(plan, tile);
    }
  }
  order_loops(plan, tile);
  if (plan.streams && !plan.copies_runs && !plan.axes.empty()) group_tiles(plan, tile, limits);
  tabulate_tiles(plan, tile);
  return plan;
}

}  // namespace kleene::kernels::cpu
