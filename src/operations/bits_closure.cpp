// The closure of packed bits (the contract is in operations/bits.hpp). Vertices that reach each other become one first,
// where that pays; what is left is closed by Warshall's algorithm by blocks, or in topological order where there is
// one.
#include "kleene/operations/bits.hpp"

#include "kernels/bit_kernels.hpp"

#include <optional>

namespace kleene::detail {

namespace {

using kernels::bit_kernels;
using kernels::bit_room;
using kernels::bits_in;
using kernels::bits_on;
using kernels::room_for_bits;

// So few vertices without a class are closed sooner than another round of the search takes (1.5 ms).
constexpr index_t left_to_closure = 4096;

// Vertices of a step of the closure, outermost first: large on a device, whose product wants a deep k; a block is
// closed by the same method with the next size, the last one by a kernel.
struct closure_blocks {
  index_t size[2];

  // Words of a block's rows of that level, or columns, where up to n vertices are closed; 0: there is but one block.
  index_t strip(index_t n, int level) const {
    const index_t all = level == 0 ? n : std::min(n, size[0]);
    return all > size[level] ? size[level] * words_for(all) : 0;
  }
};

void multiply(const context& ctx, const bit_view<const bit>& a, const bit_view<const bit>& b, const bit_view<bit>& c,
              bool accumulate = false) {
  bits_on(ctx).multiply(ctx, {.a = a, .b = b, .c = c, .accumulate = accumulate});
}

// What the largest product needs where up to n vertices are closed. In topological order a block takes everything
// before it into its rows.
std::size_t closure_workspace(const context& ctx, index_t n, const closure_blocks& blocks) {
  const index_t block = n > blocks.size[0] ? blocks.size[0] : blocks.size[1];
  if (n <= block) return 0;
  const auto product = [&](index_t m, index_t k) {
    const bit_view<const bit> a(nullptr, m, k), b(nullptr, k, n);
    return bits_on(ctx).product_workspace(ctx, {.a = a, .b = b, .c = bit_view<bit>(nullptr, m, n)});
  };
  return bits_on(ctx).orders_classes() ? std::max(product(n, block), product(block, n)) : product(n, block);
}

// All that closing up to n vertices takes besides their matrix, on a device the code of its kernels as well: whoever
// has it will not run out of memory with the matrix half-written. A strip holds a block's rows or its columns: a block
// is whole words.
struct closure_room {
  bit_room strips[2][2];  // of each size of blocks two

  closure_room(const context& ctx, index_t n, const closure_blocks& blocks) {
    bits_on(ctx).load_closure(ctx);
    for (int level = 0; level < 2; ++level)
      if (const index_t words = blocks.strip(n, level); words > 0)
        for (bit_room& strip : strips[level]) strip = room_for_bits(ctx, 1, words * bits_per_word);
    ctx.workspace(closure_workspace(ctx, n, blocks));
  }
};

// For each block of vertices in turn, with its diagonal block D closed: R = D (its rows of A), L = its columns of A,
// and A = A or L R. R holds D in its own columns and L in its own rows, so that one product updates everything.
void close_by_blocks(const context& ctx, const bit_view<bit>& a, const closure_blocks& blocks, const closure_room& room,
                     int level) {
  const index_t n = a.rows();
  const bool innermost = level == 2;
  if (innermost || n <= blocks.size[1]) return bits_on(ctx).close(ctx, a);
  const index_t block = blocks.size[level];
  if (n <= block) return close_by_blocks(ctx, a, blocks, room, level + 1);
  const auto& [row_memory, column_memory] = room.strips[level];
  for (index_t k = 0; k < n; k += block) {
    const index_t size = std::min(block, n - k);
    const bit_view<bit> diagonal = a.block(k, k, size, size);
    close_by_blocks(ctx, diagonal, blocks, room, level + 1);
    const bit_view<bit> rows = bits_in(row_memory, size, n), columns = bits_in(column_memory, n, size);
    multiply(ctx, diagonal, a.block(k, 0, size, n), rows);
    bits_on(ctx).copy(ctx, a.block(0, k, n, size), columns);
    multiply(ctx, columns, rows, a, true);
  }
}

// A lower triangular matrix: with C, the rows above a block, and its diagonal block D closed, the block's rows X left
// of D become D X C. X C follows arcs one by one, or is a product where it would take too many.
void close_triangle(const context& ctx, const bit_view<bit>& a, const closure_blocks& blocks,
                    const closure_room& room) {
  const index_t n = a.rows(), block = blocks.size[0];
  const auto& [left_memory, row_memory] = room.strips[0];
  for (index_t k = 0; k < n; k += block) {
    const index_t size = std::min(block, n - k);
    const bit_view<bit> diagonal = a.block(k, k, size, size), x = a.block(k, 0, size, k), closed = a.block(0, 0, k, k);
    close_by_blocks(ctx, diagonal, blocks, room, 1);
    if (k == 0) continue;
    const bit_view<bit> left = bits_in(left_memory, size, k), rows = bits_in(row_memory, size, k);
    // An arc costs a pass over a row in memory, a row of the product about k / 50 passes (one core of a Zen 5, k =
    // 32,768).
    if (bits_on(ctx).follow_rows(ctx, x, closed, left, k / 100)) multiply(ctx, left, closed, x, true);
    multiply(ctx, diagonal, x, rows);
    bits_on(ctx).copy(ctx, rows, x);
  }
}

// Classes of vertices that reach each other, and all that closing the graph by them takes. A is only read so far.
struct condensation {
  bit_room between;  // room for A
  matrix<std::int32_t> class_of;
  bit_room class_of_on_device{};  // null where the context reads the host's memory
  index_t classes = 0;
  std::optional<closure_room> room{};

  const std::int32_t* within_reach() const {
    return class_of_on_device ? static_cast<const std::int32_t*>(class_of_on_device.get()) : class_of.data();
  }
};

// Bytes that a condensation may take, the workspace included, where no vertices share a class.
double condensation_bytes(const context& ctx, index_t n, const closure_blocks& blocks) {
  const auto words = [](index_t count) { return static_cast<double>(count) * sizeof(bit_word); };
  return static_cast<double>(n) * words(words_for(n)) + static_cast<double>(n) * sizeof(std::int32_t) +
         2 * words(blocks.strip(n, 0)) + 2 * words(blocks.strip(n, 1)) +
         static_cast<double>(std::max(bits_on(ctx).class_workspace(n), closure_workspace(ctx, n, blocks)));
}

// Nothing where it would take as long as it saves, unless it is to be `always`. An order of the classes saves in any
// case.
std::optional<condensation> condense(const context& ctx, const bit_view<bit>& a, const closure_blocks& blocks,
                                     bool always) {
  const index_t n = a.rows();
  const bit_kernels& on = bits_on(ctx);
  condensation found{.between = room_for_bits(ctx, n, n), .class_of = matrix<std::int32_t>(1, n, uninitialised{})};
  found.classes =
      on.find_classes(ctx, a, bits_in(found.between, n, n), {found.class_of.data(), static_cast<std::size_t>(n)},
                      always ? 1 : left_to_closure, ctx.workspace(on.class_workspace(n)));
  if (explain_enabled())
    explain("closure or_and bits " + std::to_string(n) + ": " + std::to_string(found.classes) + " classes of vertices");
  if (!on.orders_classes() && !always && (n - found.classes) * 32 < n) return std::nullopt;
  if (!ctx.reaches(memory::host)) {
    found.class_of_on_device = ctx.temporary(static_cast<std::size_t>(n) * sizeof(std::int32_t));
    copy(ctx, std::as_const(found.class_of),
         view<std::int32_t, 2, memory::device>(static_cast<std::int32_t*>(found.class_of_on_device.get()), {1, n}));
  }
  found.room.emplace(ctx, found.classes, blocks);
  return found;
}

// Vertices of a class reach each other, so they have the same rows and columns in the closure, and so has its
// transpose: the rows of a class become one, then its columns, as rows of the transpose; back the same way. A's memory
// serves in between.
void close_condensed(const context& ctx, const bit_view<bit>& a, const closure_blocks& blocks,
                     const condensation& found) {
  const bit_kernels& on = bits_on(ctx);
  const index_t n = a.rows(), classes = found.classes;
  const std::int32_t* const class_of = found.within_reach();
  const bit_view<bit> rows = bits_in(found.between, classes, n), small = bits_in(found.between, classes, classes);
  const bit_view<bit> turned(a.data(), n, classes, a.stride());
  on.combine_rows(ctx, a, class_of, rows);
  on.transpose(ctx, rows, turned);
  on.combine_rows(ctx, turned, class_of, small);
  if (on.orders_classes()) close_triangle(ctx, small, blocks, *found.room);
  else close_by_blocks(ctx, small, blocks, *found.room, 0);
  on.spread_rows(ctx, small, class_of, turned);
  on.transpose(ctx, turned, rows);
  on.spread_rows(ctx, rows, class_of, a);
}

// As condense, but nothing too where the memory for it is not to be had.
std::optional<condensation> condense_where_it_fits(const context& ctx, const bit_view<bit>& a,
                                                   const closure_blocks& blocks) {
  // A fifth of it stays free: what the system calls available is an estimate, and using all of it may end the process.
  if (1.25 * condensation_bytes(ctx, a.rows(), blocks) >= static_cast<double>(ctx.available())) return std::nullopt;
  try {
    return condense(ctx, a, blocks, false);
  } catch (const error& e) {
    if (e.code() != fault_code::memory) throw;
    return std::nullopt;
  }
}

}  // namespace

void run_bit_closure(const context& ctx, const bit_view<bit>& a, const bit_closure_options& options) {
  if (a.rows() != a.cols())
    throw shape_error("a closure needs a square matrix; A is " + std::to_string(a.rows()) + "x" +
                      std::to_string(a.cols()));
  if (options.block < 0 || options.block % bits_per_word != 0)
    throw argument_error("a block of the closure is a multiple of 64 vertices, not " + std::to_string(options.block));
  if (a.empty()) return;
  const index_t n = a.rows();
  device_call call(ctx, {"closure", "or_and", "bits", {n, n, -1}});
  const bit_kernels& on = bits_on(ctx);
  const index_t outer = options.block > 0 ? options.block : on.outer_block;
  const closure_blocks blocks{{outer, std::min(on.innermost_block, outer)}};
  std::optional<condensation> found;
  with_memory("a closure of bits", condensation_bytes(ctx, n, blocks), [&] {
    if (options.condense.value_or(false)) found = condense(ctx, a, blocks, true);
    else if (!options.condense && n > on.condensed_above) found = condense_where_it_fits(ctx, a, blocks);
  });
  if (found) close_condensed(ctx, a, blocks, *found);
  else close_by_blocks(ctx, a, blocks, closure_room(ctx, n, blocks), 0);
  call.finish();
}

}  // namespace kleene::detail
