// Linear algebra over GF(2): the contract is in operations/gf2.hpp, the elimination in gf2_elimination.hpp.
#include "kleene/operations/gf2.hpp"

#include "operations/bit_checks.hpp"
#include "operations/gf2_elimination.hpp"
#include "operations/gf2_on_device.hpp"

#include <limits>

namespace kleene::detail {

namespace {

using kernels::bit_room;
using kernels::bits_in;
using kernels::bits_on;
using kernels::room_for_bits;

void require_countable_extents(const char* name, const bit_view<const bit>& v) {
  constexpr index_t most = std::numeric_limits<std::int32_t>::max();
  if (v.rows() > most || v.cols() > most)
    throw shape_error(std::string(name) + " is " + extents_of(v) + ", and extents are below 2^31");
}

bool eliminates_at_once(const context& ctx) { return bits_on(ctx).gf2_exchanges != nullptr; }

void clear_behind_last_column(const bit_view<bit>& v) {
  for (index_t i = 0; i < v.rows() && v.cols() > 0; ++i) v.row(i)[v.words() - 1] &= last_word_mask(v.cols());
}
void copy_clean(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to) {
  bits_on(ctx).copy(ctx, from, to);
  clear_behind_last_column(to);
}

// work(), named as a call on A. copies: bytes that it takes beside an elimination of as many columns.
template <class Work>
auto run_named(const context& ctx, const char* name, const bit_view<const bit>& a, index_t cols, double copies,
               const Work& work) {
  const double bytes = copies + gf2_elimination::bytes(a.rows(), cols);
  return run_as_call(ctx, {name, "xor_and", "bits", {a.rows(), a.cols(), -1}},
                     [&] { return with_memory(name, bytes, work); });
}
double bytes_of(index_t rows, index_t cols) {
  return static_cast<double>(rows) * static_cast<double>(words_for(cols)) * sizeof(bit_word);
}

bool all_zero(const bit_view<const bit>& v) {
  for (index_t i = 0; i < v.rows(); ++i)
    for (index_t w = 0; w < v.words(); ++w)
      if (v.row(i)[w] != 0) return false;
  return true;
}

}  // namespace

index_t run_gf2_rank(const context& ctx, const bit_view<const bit>& a) {
  require_countable_extents("A", a);
  if (a.empty()) return 0;
  return run_named(ctx, "rank", a, a.cols(), bytes_of(a.rows(), a.cols()), [&] {
    if (eliminates_at_once(ctx)) return on_device::rank(ctx, a);
    const bit_room memory = room_for_bits(ctx, a.rows(), a.cols());
    const bit_view<bit> copied = bits_in(memory, a.rows(), a.cols());
    bits_on(ctx).copy(ctx, a, copied);
    gf2_elimination elimination(ctx, copied, a.cols());
    elimination.run(gf2_goal::rank);
    return elimination.rank();
  });
}

std::vector<index_t> run_gf2_row_reduce(const context& ctx, const bit_view<bit>& a) {
  require_countable_extents("A", a);
  if (a.empty()) return {};
  return run_named(ctx, "row_reduce", a, a.cols(), 0, [&] {
    if (eliminates_at_once(ctx)) return on_device::row_reduce(ctx, a);
    gf2_elimination elimination(ctx, a, a.cols());
    clear_behind_last_column(a);
    elimination.run(gf2_goal::echelon);
    elimination.clear_above(true);
    return elimination.take_pivots();
  });
}

// The elimination leaves the inverse of P A, with P the swaps of rows, which is A's with its columns swapped. Columns
// are rows of the transpose: so the transpose is inverted.
gf2_info run_gf2_inverse(const context& ctx, const bit_view<const bit>& a, const bit_view<bit>& x) {
  const index_t n = a.rows();
  if (a.cols() != n) throw shape_error("an inverse needs a square matrix; A is " + extents_of(a));
  require_countable_extents("A", a);
  require_extents("the inverse", x, n, n);
  require_apart("A", a, "the inverse", x);
  if (a.empty()) return {};
  return run_named(ctx, "inverse", a, n, bytes_of(n, n), [&] {
    if (eliminates_at_once(ctx)) return on_device::inverse(ctx, a, x);
    const bit_room memory = room_for_bits(ctx, n, n);
    const bit_view<bit> turned = bits_in(memory, n, n);
    gf2_elimination elimination(ctx, turned, n);
    bits_on(ctx).transpose(ctx, a, turned);
    elimination.run(gf2_goal::inverse);
    if (elimination.rank() < n) return gf2_info{.exists = false, .rank = elimination.rank()};
    bits_on(ctx).transpose(ctx, turned, x);
    for (index_t i = n - 1; i >= 0; --i)
      if (const index_t other = elimination.swaps()[static_cast<std::size_t>(i)]; other != i)
        std::swap_ranges(x.row(i), x.row(i) + x.words(), x.row(other));
    return gf2_info{.exists = true, .rank = n};
  });
}

// [A | B], with B from a whole word on.
gf2_info run_gf2_solve(const context& ctx, const bit_view<const bit>& a, const bit_view<const bit>& b,
                       const bit_view<bit>& x) {
  const index_t m = a.rows(), n = a.cols(), p = b.cols(), first = round_up(n, bits_per_word);
  if (b.rows() != m) throw shape_error("A is " + extents_of(a) + ", B is " + extents_of(b) + ": their rows differ");
  require_countable_extents("A", a);
  require_countable_extents("B", b);
  require_extents("X", x, n, p);
  require_apart("A", a, "X", x);
  require_apart("B", b, "X", x);
  return run_named(ctx, "solve", a, first + p, bytes_of(m, first + p), [&] {
    if (eliminates_at_once(ctx)) return on_device::solve(ctx, a, b, x);
    const bit_room memory = room_for_bits(ctx, m, first + p);
    const bit_view<bit> both = bits_in(memory, m, first + p), sides = both.block(0, first, m, p);
    copy_clean(ctx, a, both.block(0, 0, m, n));
    copy_clean(ctx, b, sides);
    gf2_elimination elimination(ctx, both, n);
    elimination.run(gf2_goal::echelon);
    const index_t rank = elimination.rank();
    if (!all_zero(sides.block(rank, 0, m - rank, p))) return gf2_info{.exists = false, .rank = rank};
    elimination.clear_above(false);
    bits_on(ctx).spread_pivots(ctx, sides.block(0, 0, rank, p), elimination.pivots(), 0, x);
    return gf2_info{.exists = true, .rank = rank};
  });
}

namespace {

// What comes from column v of the reduced form in the null space: its pivot's row, or behind those its own.
struct null_space_places {
  std::vector<std::int32_t> free;   // columns without a pivot
  std::vector<std::int32_t> place;  // of each column: i of pivots[i], or rank + i of free[i]

  null_space_places(const std::vector<index_t>& pivots, index_t n) : place(static_cast<std::size_t>(n)) {
    const auto rank = static_cast<std::int32_t>(pivots.size());
    for (std::int32_t v = 0, found = 0; v < n; ++v) {
      const bool has_pivot = found < rank && pivots[static_cast<std::size_t>(found)] == v;
      place[static_cast<std::size_t>(v)] = has_pivot ? found++ : rank + static_cast<std::int32_t>(free.size());
      if (!has_pivot) free.push_back(v);
    }
  }
};

}  // namespace

// With R the reduced form's columns without a pivot: the basis, transposed, has R's rows where there are pivots, and
// those of the identity elsewhere.
bit_matrix run_gf2_null_space(const context& ctx, const bit_view<const bit>& a) {
  if (eliminates_at_once(ctx)) return to_host(ctx, run_gf2_null_space_on_device(ctx, a));
  require_countable_extents("A", a);
  const index_t m = a.rows(), n = a.cols();
  return run_named(ctx, "null_space", a, n, bytes_of(m, n) + 3 * bytes_of(n, n), [&] {
    const kernels::bit_kernels& on = bits_on(ctx);
    const bit_room memory = room_for_bits(ctx, m, n);
    const bit_view<bit> reduced = bits_in(memory, m, n);
    on.copy(ctx, a, reduced);
    const std::vector<index_t> pivots = run_gf2_row_reduce(ctx, reduced);
    const null_space_places places(pivots, n);
    const auto rank = static_cast<index_t>(pivots.size()), count = n - rank;
    bit_matrix basis(count, n);
    if (basis.view().empty()) return basis;
    // [columns of R as rows] -> R on top of the identity -> its rows in their places
    const bit_room turned_memory = room_for_bits(ctx, n, std::max(rank, count));
    const bit_room stack_memory = room_for_bits(ctx, n, std::max(rank, count));
    const bit_view<bit> turned = bits_in(turned_memory, n, rank), picked = bits_in(stack_memory, count, rank);
    if (rank > 0) on.transpose(ctx, reduced.block(0, 0, rank, n), turned);
    if (rank > 0) on.spread_rows(ctx, turned, places.free.data(), picked);
    const bit_view<bit> stack = bits_in(turned_memory, n, count), placed = bits_in(stack_memory, n, count);
    if (rank > 0) on.transpose(ctx, picked, stack.block(0, 0, rank, count));
    for (index_t i = 0; i < count; ++i) {
      std::fill_n(stack.row(rank + i), stack.words(), 0);
      stack.set(rank + i, i, true);
    }
    on.spread_rows(ctx, stack, places.place.data(), placed);
    on.transpose(ctx, placed, basis.view());
    return basis;
  });
}

device_bit_matrix run_gf2_null_space_on_device(const context& ctx, const bit_view<const bit>& a) {
  require_countable_extents("A", a);
  return run_named(ctx, "null_space", a, a.cols(), bytes_of(a.rows(), a.cols()) + 3 * bytes_of(a.cols(), a.cols()),
                   [&] { return on_device::null_space(ctx, a); });
}

}  // namespace kleene::detail
