// Tiles of a copy with another order of axes on a device (kernels/cuda/permute/plan.hpp).
#include "kernels/permute_axes.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/kernels/cuda/permute/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace kleene::kernels::cuda {

namespace {

// A run of so many bytes on both sides is copied as it is, in tiles of about so many units.
constexpr index_t run_bytes = 256, direct_units = 2048, direct_side = 256;
// Rows of a tile are cut after so many steps, since tables hold 16 bits of them.
constexpr index_t most_block = 4096;

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

// Blocks that make no whole vectors cost more than a last one that is not full: a cut axis
// takes all that there is room for. 1000 of f32 by 50: 0.37 of the rate of a copy.
void round_blocks(const permute_axes& all, tile_choice& tile, const permute_sides& sides) {
  for (const auto& [a, side] :
       {std::pair{tile.cut_in, index_t{sides.in}}, std::pair{tile.cut_out, index_t{sides.out}}}) {
    if (a < 0 || tile.block[a] == all[a].extent || tile.block[a] > side || 2 * tile.block[a] < side) continue;
    tile.block[a] = side;
  }
}

// A tile of few units, as of a matrix with two columns, takes more of the axis that is cut already, or else of another.
void grow(const permute_axes& all, tile_choice& tile, const permute_sides& sides) {
  const index_t wanted = index_t{sides.in} * sides.out, side = sides.least();
  for (int turn = 0; turn < 2 && 2 * size_of(tile) <= wanted; ++turn) {
    int axis = turn == 0 ? tile.cut_out : tile.cut_in;
    if (axis < 0)
      for (const int a : order_of(all, &permute_axis::to))
        if (axis < 0 && tile.block[a] < all[a].extent) axis = a;
    if (axis < 0) return;
    const index_t before = tile.block[axis], extent = all[axis].extent;
    const index_t room = std::min(before * (wanted / size_of(tile)), most_block);
    tile.block[axis] = extent <= room ? extent : room < side ? room : room / side * side;
    if (axis == tile.cut_in || axis == tile.cut_out) continue;
    (tile.cut_out < 0 ? tile.cut_out : tile.cut_in) = axis;
  }
}

tile_choice direct_tile(const permute_axes& all) {
  tile_choice tile{std::vector<index_t>(all.size(), 1)};
  tile.cut_out = take_axes(all, order_of(all, &permute_axis::to), direct_units, tile.block);
  return tile;
}

// Tiles, one after the other, what is near in the copy first.
void order_loops(permute_plan& plan, const permute_axes& all, const tile_choice& tile) {
  for (const int a : order_of(all, &permute_axis::to)) {
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

// A long axis of a tile is two, so that tables stay short: the near part has so many steps. All of it where no divisor
// is near `side` and a whole number of vectors.
index_t near_part(index_t block, index_t side, index_t vector) {
  if (block <= side + side / 2) return block;
  for (index_t part = side; 4 * part >= side; --part)
    if (block % part == 0 && part % vector == 0) return part;
  return block;
}

// The axes of a tile in that order, long ones in two parts; of each the stride on a side.
std::vector<permute_tile_axis> parts_of(const permute_axes& all, const tile_choice& tile, const std::vector<int>& order,
                                        index_t permute_axis::* stride, index_t side, index_t vector) {
  std::vector<permute_tile_axis> parts;
  for (const int a : order) {
    const index_t block = tile.block[a], near = near_part(block, side, vector);
    const int cut = all[a].extent % block == 0 ? 0 : a == tile.cut_out ? 2 : 1;
    parts.push_back({all[a].*stride, 0, static_cast<int>(near), cut, cut > 0 ? 1 : 0});
    if (near < block)
      parts.push_back({all[a].*stride * near, 0, static_cast<int>(block / near), cut, cut > 0 ? int(near) : 0});
  }
  return parts;
}

// So many that few of them have nothing to do, and yet neighbours read what lies together.
int lanes_log2_of(int vectors) {
  int enough = 0;
  while ((1 << enough) < vectors && (1 << enough) < permute_threads) ++enough;
  for (int log2 = enough; log2 >= 4; --log2)
    if (10 * vectors >= 8 * round_up(vectors, 1 << log2)) return log2;
  return enough;
}

// A side's axes by their stride there, long ones in parts of about `part`; inner: about `side` units.
permute_side side_of(const permute_plan& plan, const permute_axes& all, const tile_choice& tile,
                     index_t permute_axis::* stride, const void* memory, index_t side, index_t part,
                     bool by_vectors = true) {
  std::vector<int> order;
  for (const int a : order_of(all, stride))
    if (tile.block[a] > 1) order.push_back(a);
  permute_side s;
  s.vector = by_vectors ? vector_of(plan, all, tile, order, stride, memory) : 1;
  for (const permute_tile_axis& x : parts_of(all, tile, order, stride, part, 16 / plan.unit)) {
    s.axis[s.axes] = x;
    const bool is_short = s.inner == 1 || (2 * s.inner <= side && s.inner * x.steps <= 2 * side);
    const bool is_near = s.inner_axes == s.axes && (is_short || s.inner % s.vector != 0);
    if (is_near) ++s.inner_axes, s.inner *= x.steps;
    else s.outer *= x.steps;
    ++s.axes;
  }
  s.lanes_log2 = lanes_log2_of(s.inner / s.vector);
  return s;
}

// Rows of the tile, as it is read, are padded so that columns of it lie in different banks. Of units of 1 and 2 bytes
// they begin at multiples of 16 bytes, 4 banks apart: of bytes a lane has 16 rows, and four lanes read four words of
// the same row together, and eight such rows.
int pitch_of(int inner, int unit) {
  const int vector = 16 / unit;
  if (unit <= 2) return (ceil_div(inner, vector) | 1) * vector;
  return inner | 1;
}

// The numbers of the parts of a tile's axes, in the order of a side: 2 a for all or the near part of axis a, 2 a + 1
// for its far part.
std::vector<int> numbers_of(const permute_axes& all, const tile_choice& tile, index_t permute_axis::* stride,
                            index_t side, index_t vector) {
  std::vector<int> numbers;
  for (const int a : order_of(all, stride)) {
    if (tile.block[a] == 1) continue;
    numbers.push_back(2 * a);
    if (near_part(tile.block[a], side, vector) < tile.block[a]) numbers.push_back(2 * a + 1);
  }
  return numbers;
}

// Where each part lies in the tile: as it is read, but that rows of 1 and 2 bytes that neighbouring lanes write are
// neighbours.
void place_in_tile(permute_plan& plan, const permute_axes& all, const tile_choice& tile, index_t side) {
  const index_t vector = 16 / plan.unit;
  const std::vector<int> in = numbers_of(all, tile, &permute_axis::from, side, vector);
  const std::vector<int> out = numbers_of(all, tile, &permute_axis::to, side, vector);
  std::vector<int> order(in.size());
  std::iota(order.begin(), order.end(), 0);
  if (plan.unit <= 2) {
    const auto is_of_lanes = [&](int part) {
      int run = 1;
      for (int j = 0; j < plan.out.inner_axes; run *= plan.out.axis[j++].steps)
        if (out[static_cast<std::size_t>(j)] == in[static_cast<std::size_t>(part)]) return run >= vector;
      return false;
    };
    std::stable_partition(order.begin() + plan.in.inner_axes, order.end(), is_of_lanes);
  }
  std::vector<int> shared(2 * all.size(), 0);
  int step = 1;
  for (std::size_t j = 0; j < order.size(); ++j) {
    if (j > 0 && static_cast<int>(j) == plan.in.inner_axes) step = pitch_of(plan.in.inner, plan.unit);
    permute_tile_axis& x = plan.in.axis[order[j]];
    shared[static_cast<std::size_t>(in[static_cast<std::size_t>(order[j])])] = x.shared = step;
    step *= x.steps;
  }
  plan.tile_units = plan.in.outer * pitch_of(plan.in.inner, plan.unit);
  for (std::size_t j = 0; j < out.size(); ++j) plan.out.axis[j].shared = shared[static_cast<std::size_t>(out[j])];
}

// Bytes that lie in one word of the tile become neighbours among the outer indices of the copy's side, where no cut
// goes through a word, and all that else steps through the tile goes from word to word. Four such words follow each
// other there, for the lanes that read at the same time.
void take_words(permute_plan& plan) {
  if (plan.unit != 1 || plan.in.vector == 1 || plan.out.vector == 1) return;
  permute_tile_axis* const outer = plan.out.axis + plan.out.inner_axes;
  permute_tile_axis* const end = plan.out.axis + plan.out.axes;
  permute_tile_axis* front = outer;
  int bytes = 1;
  while (bytes % 16 != 0) {
    const auto next = std::find_if(front, end, [&](const permute_tile_axis& x) { return x.shared == bytes; });
    if (next == end) break;
    bytes *= next->steps;
    std::rotate(front, next, next + 1);
    ++front;
  }
  if (bytes % 4 != 0) return;
  plan.by_words = std::all_of(plan.out.axis, outer, [](const permute_tile_axis& x) { return x.shared % 4 == 0; }) &&
                  std::all_of(front, end, [](const permute_tile_axis& x) { return x.shared % 4 == 0; });
}

void cut_into_runs(permute_plan& plan, const permute_axes& all) {
  const tile_choice tile = direct_tile(all);
  order_loops(plan, all, tile);
  plan.out = side_of(plan, all, tile, &permute_axis::to, plan.to, direct_side, direct_side);
  std::vector<int> order;
  for (const int a : order_of(all, &permute_axis::to))
    if (tile.block[a] > 1) order.push_back(a);
  plan.in = plan.out;
  const auto parts = parts_of(all, tile, order, &permute_axis::from, direct_side, 16 / plan.unit);
  std::copy(parts.begin(), parts.end(), plan.in.axis);
  const int vector = vector_of(plan, all, tile, order, &permute_axis::from, plan.from);
  plan.in.vector = plan.out.vector = std::min(plan.out.vector, vector);
}

void cut_into_tiles(permute_plan& plan, const permute_axes& all, const permute_sides& sides, bool vectors_in,
                    bool vectors_out) {
  tile_choice tile = choose_tile(all, sides.in, sides.out);
  round_blocks(all, tile, sides);
  grow(all, tile, sides);
  order_loops(plan, all, tile);
  const index_t part =
      plan.unit <= 2 ? 16 / plan.unit : sides.least();  // of small ones what one lane writes, and another
  plan.out = side_of(plan, all, tile, &permute_axis::to, plan.to, sides.out, part, vectors_out);
  plan.in = side_of(plan, all, tile, &permute_axis::from, plan.from, sides.in, part, vectors_in);
  place_in_tile(plan, all, tile, part);
  take_words(plan);
}

// The first plan whose tables and tile fit shared memory: where a vector takes several axes (164 x 280 of bytes), so
// that an inner index of all of them would be too long, a side goes without vectors.
permute_plan cut_to_fit(const permute_plan& uncut, const permute_axes& all, std::size_t shared_bytes,
                        permute_sides sides) {
  const std::size_t room = permute_room(shared_bytes);
  for (;; sides = {std::max(sides.in / 2, 1), std::max(sides.out / 2, 1)})
    for (const auto& [in, out] : {std::pair{true, true}, {true, false}, {false, true}, {false, false}}) {
      permute_plan plan = uncut;
      cut_into_tiles(plan, all, sides, in, out);
      if (plan.shared_bytes() <= room || (sides.in == 1 && sides.out == 1)) return plan;
    }
}

}  // namespace

permute_plan plan_permute(const permute_arguments& p, std::size_t shared_bytes, const permute_sides& sides) {
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
  const permute_axis& last = all.back();
  plan.is_direct = last.from == 1 && last.to == 1 && last.extent * plan.unit >= run_bytes;
  if (!plan.is_direct) return cut_to_fit(plan, all, shared_bytes, sides);
  cut_into_runs(plan, all);
  return plan;
}

permute_plan plan_permute(const permute_arguments& p, std::size_t shared_bytes) {
  const int aligned = alignment_of(p);
  int unit = std::min(unit_of(p.element), aligned);
  permute_axes all = joined_axes(p, unit);
  widen_units(all, unit, aligned);
  return plan_permute(p, shared_bytes, permute_sides_of(unit, shared_bytes));
}

std::string describe_permute(const permute_plan& plan) {
  const std::string what = "permute on a device, " + std::to_string(plan.bytes / plan.unit) + " units of " +
                           std::to_string(plan.unit) + " bytes: ";
  if (plan.is_run) return what + "one run";
  const auto side = [](const permute_side& s) {
    return std::to_string(s.inner) + " x " + std::to_string(s.outer) + " by " + std::to_string(s.vector);
  };
  return what + std::to_string(plan.tiles) + (plan.is_direct ? " runs of " : " tiles of ") + side(plan.in) +
         (plan.is_direct ? "" : " in, " + side(plan.out) + (plan.by_words ? " out, by words" : " out"));
}

}  // namespace kleene::kernels::cuda
