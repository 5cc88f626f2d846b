// Packed bits: what is checked, and which machine runs it.
#include "kleene/operations/bits.hpp"

#include "kleene/kernels/cpu/bits/components.inl.hpp"
#include "kleene/kernels/cpu/bits/convert.inl.hpp"
#include "kleene/kernels/cpu/bits/counts.inl.hpp"
#include "kleene/kernels/cpu/bits/product.inl.hpp"
#include "kleene/kernels/cuda/bits/launch.hpp"

#include <limits>
#include <optional>

namespace kleene::detail {

namespace {

template <class V>
std::string extents_of(const V& v) {
  return std::to_string(v.rows()) + "x" + std::to_string(v.cols());
}

template <class T>
batch_view<const bit_word> words_as_batch(const bit_view<T>& v) {
  return {v.data(), {1, v.rows(), v.words()}, {0, v.stride(), 1}};
}
template <class T>
void require_apart(const char* input, const bit_view<T>& x, const char* output, const bit_view<bit>& y) {
  require_disjoint(input, words_as_batch(x), output, words_as_batch(y));
}

template <class V>
void require_extents(const char* name, const V& v, index rows, index cols) {
  if (v.rows() != rows || v.cols() != cols)
    throw shape_error(std::string(name) + " is " + extents_of(v) + " where " + std::to_string(rows) + "x" +
                      std::to_string(cols) + " is needed");
}

bool on_cuda(const context& ctx) { return ctx.kind() == device_kind::cuda; }

// The extents of a product agree; its n.
index require_inner(const bit_view<const bit>& a, const bit_view<const bit>& b, bool transposed_b) {
  const index inner = transposed_b ? b.cols() : b.rows();
  if (a.cols() != inner)
    throw shape_error("A is " + extents_of(a) + ", B is " + extents_of(b) + (transposed_b ? " (transposed)" : "") +
                      ": inner extents " + std::to_string(a.cols()) + " and " + std::to_string(inner) + " differ");
  if (a.cols() > std::numeric_limits<std::int32_t>::max())
    throw shape_error("k = " + std::to_string(a.cols()) + " is too large for counts of 31 bits");
  return transposed_b ? b.rows() : b.cols();
}

// Memory for rows x cols bits where the context works, as long as `memory` lives.
template <class Memory>
bit_view<bit> bits_in(const Memory& memory, index rows, index cols) {
  return {static_cast<bit_word*>(memory.get()), rows, cols};
}
auto room_for(const context& ctx, index rows, index cols) {
  return ctx.temporary(checked_bytes(double(rows) * double(words_for(cols)), sizeof(bit_word)));
}

void transpose_bits(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to) {
  if (on_cuda(ctx)) kernels::cuda::launch_bit_transpose(ctx, from, to);
  else kernels::cpu::launch_bit_transpose(from, to, ctx.threads());
}

void copy_words(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to) {
  if (on_cuda(ctx)) return kernels::cuda::copy_bits(ctx, from, to);
  for (index i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), from.words(), to.row(i));
}

void multiply_bits(const context& ctx, bit_sum sum, const bit_view<const bit>& a, const bit_view<const bit>& b,
                   const bit_view<bit>& c, const bit_gemm_options& options) {
  const bool parity = sum == bit_sum::parity;
  if (on_cuda(ctx))
    return kernels::cuda::launch_bit_product(ctx, {.a = a,
                                                   .b = b,
                                                   .c = c,
                                                   .parity = parity,
                                                   .accumulate = options.accumulate,
                                                   .transposed_b = options.transposed_b});
  const auto product = [&](const bit_view<const bit>& natural) {
    const kernels::cpu::bit_product p{a, natural, c, parity, options.accumulate, ctx.threads(), ctx.isa()};
    void* workspace = ctx.workspace(kernels::cpu::bit_product_workspace(p));
    if (explain_enabled()) explain(kernels::cpu::describe_bit_product(p));
    kernels::cpu::launch_bit_product(p, workspace);
  };
  if (!options.transposed_b) return product(b);
  const auto memory = room_for(ctx, b.cols(), b.rows());
  const bit_view<bit> natural = bits_in(memory, b.cols(), b.rows());
  kernels::cpu::launch_bit_transpose(b, natural, ctx.threads());
  product(natural);
}

}  // namespace

void run_bit_gemm(const context& ctx, bit_sum sum, const bit_view<const bit>& a, const bit_view<const bit>& b,
                  const bit_view<bit>& c, const bit_gemm_options& options) {
  const index n = require_inner(a, b, options.transposed_b);
  require_extents("C", c, a.rows(), n);
  require_apart("A", a, "C", c);
  require_apart("B", b, "C", c);
  if (!c.empty()) multiply_bits(ctx, sum, a, b, c, options);
}

void run_bit_counts(const context& ctx, const bit_view<const bit>& a, const bit_view<const bit>& b,
                    const batch_view<std::int32_t>& c, const bit_count_options& options) {
  const index n = require_inner(a, b, options.transposed_b);
  require_shape("C", c, 1, a.rows(), n);
  require_distinct_elements("C", c);
  require_disjoint("A", words_as_batch(a), "C", c);
  require_disjoint("B", words_as_batch(b), "C", c);
  if (c.empty()) return;
  const matrix_view<std::int32_t> counts{c.data(), {c.rows(), c.cols()}, {c.stride(1), c.stride(2)}};
  if (on_cuda(ctx))
    return kernels::cuda::launch_bit_product(
        ctx, {.a = a, .b = b, .c = {}, .counts = counts, .transposed_b = options.transposed_b});
  if (options.transposed_b) return kernels::cpu::launch_bit_counts(a, b, counts, ctx.threads(), ctx.isa());
  const auto memory = room_for(ctx, b.cols(), b.rows());
  const bit_view<bit> bt = bits_in(memory, b.cols(), b.rows());
  kernels::cpu::launch_bit_transpose(b, bt, ctx.threads());
  kernels::cpu::launch_bit_counts(a, bt, counts, ctx.threads(), ctx.isa());
}

void run_bit_transpose(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to) {
  require_extents("the transpose", to, from.cols(), from.rows());
  require_apart("the matrix", from, "the transpose", to);
  if (!from.empty()) transpose_bits(ctx, from, to);
}

namespace {

// Calls `run` with the elements' type.
template <class Run>
void with_type(unpacked type, const Run& run) {
  switch (type) {
    case unpacked::bytes:
      return run(std::uint8_t{});
    case unpacked::bools:
      return run(bool{});
    case unpacked::floats:
      return run(float{});
  }
}
template <class T, class Data>
batch_view<T> typed_batch(const unpacked_matrix<Data>& m) {
  return {static_cast<T*>(m.data), {1, m.rows, m.cols}, {0, m.row_stride, m.col_stride}};
}
template <class T>
matrix_view<T> as_matrix_of(const batch_view<T>& v) {
  return {v.data(), {v.rows(), v.cols()}, {v.stride(1), v.stride(2)}};
}

}  // namespace

void run_bit_pack(const context& ctx, const unpacked_matrix<const void>& from, const bit_view<bit>& to) {
  with_type(from.type, [&]<class T>(T) {
    const auto source = typed_batch<const T>(from);
    require_extents("the packed matrix", to, source.rows(), source.cols());
    require_data("the matrix", source);
    require_disjoint("the matrix", source, "the packed matrix", words_as_batch(to));
    if (to.empty()) return;
    if (on_cuda(ctx)) kernels::cuda::launch_bit_pack<T>(ctx, as_matrix_of(source), to);
    else kernels::cpu::launch_bit_pack<T>(as_matrix_of(source), to, ctx.threads());
  });
}

void run_bit_unpack(const context& ctx, const bit_view<const bit>& from, const unpacked_matrix<void>& to) {
  with_type(to.type, [&]<class T>(T) {
    const auto target = typed_batch<T>(to);
    require_extents("the matrix", target, from.rows(), from.cols());
    require_distinct_elements("the matrix", target);
    require_disjoint("the packed matrix", words_as_batch(from), "the matrix", target);
    if (target.empty()) return;
    if (on_cuda(ctx)) kernels::cuda::launch_bit_unpack<T>(ctx, from, as_matrix_of(target));
    else kernels::cpu::launch_bit_unpack<T>(from, as_matrix_of(target), ctx.threads());
  });
}

namespace {

// CUDA: graphs of more vertices are condensed first. H200, ms without and with, of random graphs without cycles and
// with them: 8192: 3.2 and 3.9, 4.5 and 0.35; 16,384: 7.3 and 8.0, 10.0 and 0.63; 32,768: 20.4 and 21.7, 25.8 and 1.06.
constexpr index condensed_above = 8192;
// So few vertices without a class are closed sooner than another round of the search takes (1.5 ms).
constexpr index left_to_closure = 4096;

// Vertices of a step of the closure, outermost first: large on a device, whose product wants a deep k; a block is
// closed by the same method with the next size, the last one by a kernel.
struct closure_blocks {
  index size[2];

  // Words of a block's rows of that level, or columns, where up to n vertices are closed; 0: there is but one block.
  index strip(index n, int level) const {
    const index all = level == 0 ? n : std::min(n, size[0]);
    return all > size[level] ? size[level] * words_for(all) : 0;
  }
};

// What the largest product needs where up to n vertices are closed. On the CPU they may be in topological order: then a
// block takes everything before it into its rows.
std::size_t closure_workspace(const context& ctx, index n, const closure_blocks& blocks) {
  const index block = n > blocks.size[0] ? blocks.size[0] : blocks.size[1];
  if (n <= block) return 0;
  const auto product = [&](index m, index k) {
    const bit_view<const bit> a(nullptr, m, k), b(nullptr, k, n);
    const bit_view<bit> c(nullptr, m, n);
    if (on_cuda(ctx)) return kernels::cuda::bit_product_workspace(ctx, {.a = a, .b = b, .c = c});
    return kernels::cpu::bit_product_workspace({a, b, c, false, false, ctx.threads(), ctx.isa()});
  };
  return on_cuda(ctx) ? product(n, block) : std::max(product(n, block), product(block, n));
}

using temporary_memory = decltype(room_for(std::declval<const context&>(), 0, 0));

// All that closing up to n vertices takes besides their matrix, on a device the code of its kernels as well: whoever
// has it will not run out of memory with the matrix half-written. A strip holds a block's rows or its columns: a block
// is whole words.
struct closure_room {
  temporary_memory strips[2][2];  // of each size of blocks two

  closure_room(const context& ctx, index n, const closure_blocks& blocks) {
    if (on_cuda(ctx)) kernels::cuda::load_bit_closure(ctx);
    for (int level = 0; level < 2; ++level)
      if (const index words = blocks.strip(n, level); words > 0)
        for (temporary_memory& strip : strips[level]) strip = room_for(ctx, 1, words * bits_per_word);
    ctx.workspace(closure_workspace(ctx, n, blocks));
  }
};

// For each block of vertices in turn, with its diagonal block D closed: R = D (its rows of A), L = its columns of A,
// and A = A or L R. R holds D in its own columns and L in its own rows, so that one product updates everything.
void close_by_blocks(const context& ctx, const bit_view<bit>& a, const closure_blocks& blocks, const closure_room& room,
                     int level) {
  const index n = a.rows();
  const bool innermost = level == 2;
  if (innermost || n <= blocks.size[1]) {
    if (on_cuda(ctx)) kernels::cuda::close_bits(ctx, a);
    else kernels::cpu::close_bits(a, ctx.isa());
    return;
  }
  const index block = blocks.size[level];
  if (n <= block) return close_by_blocks(ctx, a, blocks, room, level + 1);
  const auto& [row_memory, column_memory] = room.strips[level];
  const bit_gemm_options into{.accumulate = true};
  for (index k = 0; k < n; k += block) {
    const index size = std::min(block, n - k);
    const bit_view<bit> diagonal = a.block(k, k, size, size);
    close_by_blocks(ctx, diagonal, blocks, room, level + 1);
    const bit_view<bit> rows = bits_in(row_memory, size, n), columns = bits_in(column_memory, n, size);
    multiply_bits(ctx, bit_sum::any, diagonal, a.block(k, 0, size, n), rows, {});
    copy_words(ctx, a.block(0, k, n, size), columns);
    multiply_bits(ctx, bit_sum::any, columns, rows, a, into);
  }
}

// On the CPU, of a lower triangular matrix: with C, the rows above a block, and its diagonal block D closed, the
// block's rows X left of D become D X C. X C follows arcs one by one, or is a product where it would take too many.
void close_triangle(const context& ctx, const bit_view<bit>& a, const closure_blocks& blocks,
                    const closure_room& room) {
  const index n = a.rows(), block = blocks.size[0];
  const auto& [left_memory, row_memory] = room.strips[0];
  for (index k = 0; k < n; k += block) {
    const index size = std::min(block, n - k);
    const bit_view<bit> diagonal = a.block(k, k, size, size), x = a.block(k, 0, size, k), closed = a.block(0, 0, k, k);
    close_by_blocks(ctx, diagonal, blocks, room, 1);
    if (k == 0) continue;
    const bit_view<bit> left = bits_in(left_memory, size, k), rows = bits_in(row_memory, size, k);
    // An arc costs a pass over a row in memory, a row of the product about k / 50 passes (one core of a Zen 5, k =
    // 32,768).
    if (kernels::cpu::follow_rows(x, closed, left, k / 100, ctx.threads(), ctx.isa()))
      multiply_bits(ctx, bit_sum::any, left, closed, x, {.accumulate = true});
    multiply_bits(ctx, bit_sum::any, diagonal, x, rows, {});
    copy_words(ctx, rows, x);
  }
}

void combine_rows(const context& ctx, const bit_view<const bit>& from, const std::int32_t* class_of,
                  const bit_view<bit>& to) {
  if (on_cuda(ctx)) kernels::cuda::combine_rows(ctx, from, class_of, to);
  else kernels::cpu::combine_rows(from, class_of, to, ctx.threads(), ctx.isa());
}
void spread_rows(const context& ctx, const bit_view<const bit>& from, const std::int32_t* class_of,
                 const bit_view<bit>& to) {
  if (on_cuda(ctx)) kernels::cuda::spread_rows(ctx, from, class_of, to);
  else kernels::cpu::spread_rows(from, class_of, to, ctx.threads());
}

// Classes of vertices that reach each other, and all that closing the graph by them takes. A is only read so far.
struct condensation {
  temporary_memory between;  // room for A
  matrix<std::int32_t> class_of;
  temporary_memory class_of_on_device{};  // CUDA
  index classes = 0;
  std::optional<closure_room> room{};
};

// Bytes that a condensation may take, the workspace included, where no vertices share a class.
double condensation_bytes(const context& ctx, index n, const closure_blocks& blocks) {
  const auto words = [](index count) { return static_cast<double>(count) * sizeof(bit_word); };
  const std::size_t search = on_cuda(ctx) ? kernels::cuda::class_workspace(n) : kernels::cpu::component_workspace(n);
  return static_cast<double>(n) * words(words_for(n)) + static_cast<double>(n) * sizeof(std::int32_t) +
         2 * words(blocks.strip(n, 0)) + 2 * words(blocks.strip(n, 1)) +
         static_cast<double>(std::max(search, closure_workspace(ctx, n, blocks)));
}

// Nothing where it would take as long as it saves, unless it is to be `always`.
std::optional<condensation> condense(const context& ctx, const bit_view<bit>& a, const closure_blocks& blocks,
                                     bool always) {
  const index n = a.rows();
  condensation found{.between = room_for(ctx, n, n), .class_of = matrix<std::int32_t>(1, n, uninitialised{})};
  std::int32_t* const class_of = found.class_of.data();
  found.classes =
      on_cuda(ctx)
          ? kernels::cuda::find_classes(ctx, a, bits_in(found.between, n, n), {class_of, static_cast<std::size_t>(n)},
                                        always ? 1 : left_to_closure, ctx.workspace(kernels::cuda::class_workspace(n)))
          : kernels::cpu::find_components(a, class_of, ctx.workspace(kernels::cpu::component_workspace(n)));
  if (explain_enabled())
    explain("closure or_and bits " + std::to_string(n) + ": " + std::to_string(found.classes) + " classes of vertices");
  if (on_cuda(ctx)) {
    if (!always && (n - found.classes) * 32 < n) return std::nullopt;
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
  const index n = a.rows(), classes = found.classes;
  const auto* class_of =
      on_cuda(ctx) ? static_cast<const std::int32_t*>(found.class_of_on_device.get()) : found.class_of.data();
  const bit_view<bit> rows = bits_in(found.between, classes, n), small = bits_in(found.between, classes, classes);
  const bit_view<bit> turned(a.data(), n, classes, a.stride());
  combine_rows(ctx, a, class_of, rows);
  transpose_bits(ctx, rows, turned);
  combine_rows(ctx, turned, class_of, small);
  if (on_cuda(ctx)) close_by_blocks(ctx, small, blocks, *found.room, 0);
  else close_triangle(ctx, small, blocks, *found.room);
  spread_rows(ctx, small, class_of, turned);
  transpose_bits(ctx, turned, rows);
  spread_rows(ctx, rows, class_of, a);
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
  if (a.rows() != a.cols()) throw shape_error("a closure needs a square matrix; A is " + extents_of(a));
  if (options.block < 0 || options.block % bits_per_word != 0)
    throw argument_error("a block of the closure is a multiple of 64 vertices, not " + std::to_string(options.block));
  if (a.empty()) return;
  const index n = a.rows();
  // CPU: the innermost block fits the first-level cache. CUDA: one thread block holds it in registers.
  const index inner = on_cuda(ctx) ? kernels::cuda::closed_bits : 512;
  const index outer = options.block > 0 ? options.block : on_cuda(ctx) ? 4096 : 512;
  const closure_blocks blocks{{outer, std::min(inner, outer)}};
  std::optional<condensation> found;
  with_memory("a closure of bits", condensation_bytes(ctx, n, blocks), [&] {
    if (options.condense.value_or(false)) found = condense(ctx, a, blocks, true);
    else if (!options.condense && n > (on_cuda(ctx) ? condensed_above : inner))
      found = condense_where_it_fits(ctx, a, blocks);
  });
  if (found) return close_condensed(ctx, a, blocks, *found);
  close_by_blocks(ctx, a, blocks, closure_room(ctx, n, blocks), 0);
}

}  // namespace kleene::detail
