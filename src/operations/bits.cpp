// Packed bits: what is checked before a machine runs it. Their closure is in bits_closure.cpp.
#include "kleene/operations/bits.hpp"

#include "kernels/bit_kernels.hpp"
#include "operations/bit_checks.hpp"

#include <limits>

namespace kleene::detail {

namespace {

// The extents of a product agree; its n.
index_t require_inner(const bit_view<const bit>& a, const bit_view<const bit>& b, bool transposed_b) {
  const index_t inner = transposed_b ? b.cols() : b.rows();
  if (a.cols() != inner)
    throw shape_error("A is " + extents_of(a) + ", B is " + extents_of(b) + (transposed_b ? " (transposed)" : "") +
                      ": inner extents " + std::to_string(a.cols()) + " and " + std::to_string(inner) + " differ");
  if (a.cols() > std::numeric_limits<std::int32_t>::max())
    throw shape_error("k = " + std::to_string(a.cols()) + " is too large for counts of 31 bits");
  return transposed_b ? b.rows() : b.cols();
}

}  // namespace

void run_bit_gemm(const context& ctx, bit_sum sum, const bit_view<const bit>& a, const bit_view<const bit>& b,
                  const bit_view<bit>& c, const bit_gemm_options& options) {
  const index_t n = require_inner(a, b, options.transposed_b);
  require_extents("C", c, a.rows(), n);
  require_apart("A", a, "C", c);
  require_apart("B", b, "C", c);
  if (c.empty()) return;
  run_as_call(ctx, {"gemm", sum == bit_sum::parity ? "xor_and" : "or_and", "bits", {a.rows(), n, a.cols()}}, [&] {
    kernels::bits_on(ctx).multiply(ctx, {.a = a,
                                         .b = b,
                                         .c = c,
                                         .parity = sum == bit_sum::parity,
                                         .accumulate = options.accumulate,
                                         .transposed_b = options.transposed_b});
  });
}

void run_bit_counts(const context& ctx, const bit_view<const bit>& a, const bit_view<const bit>& b,
                    const batch_view<std::int32_t>& c, const bit_count_options& options) {
  const index_t n = require_inner(a, b, options.transposed_b);
  require_shape("C", c, 1, a.rows(), n);
  require_distinct_elements("C", c);
  require_disjoint("A", words_as_batch(a), "C", c);
  require_disjoint("B", words_as_batch(b), "C", c);
  if (c.empty()) return;
  const matrix_view<std::int32_t> counts{c.data(), {c.rows(), c.cols()}, {c.stride(1), c.stride(2)}};
  run_as_call(ctx, {"gemm", "counts of", "bits", {a.rows(), n, a.cols()}}, [&] {
    kernels::bits_on(ctx).multiply(ctx,
                                   {.a = a, .b = b, .c = {}, .counts = counts, .transposed_b = options.transposed_b});
  });
}

void run_bit_transpose(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to) {
  require_extents("the transpose", to, from.cols(), from.rows());
  require_apart("the matrix", from, "the transpose", to);
  if (from.empty()) return;
  run_as_call(ctx, {"transpose", "", "bits", {from.rows(), from.cols(), -1}},
              [&] { kernels::bits_on(ctx).transpose(ctx, from, to); });
}

namespace {

// Calls `run` with the context's conversion from and to the elements' type.
template <class Run>
void with_conversion(const context& ctx, unpacked type, const Run& run) {
  const kernels::bit_kernels& on = kernels::bits_on(ctx);
  switch (type) {
    case unpacked::bytes:
      return run(on.bytes);
    case unpacked::bools:
      return run(on.bools);
    case unpacked::floats:
      return run(on.floats);
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
  with_conversion(ctx, from.type, [&]<class T>(const kernels::bit_conversion<T>& conversion) {
    const auto source = typed_batch<const T>(from);
    require_extents("the packed matrix", to, source.rows(), source.cols());
    require_data("the matrix", source);
    require_disjoint("the matrix", source, "the packed matrix", words_as_batch(to));
    if (to.empty()) return;
    run_as_call(ctx, {"pack", "", "bits", {to.rows(), to.cols(), -1}},
                [&] { conversion.pack(ctx, as_matrix_of(source), to); });
  });
}

void run_bit_unpack(const context& ctx, const bit_view<const bit>& from, const unpacked_matrix<void>& to) {
  with_conversion(ctx, to.type, [&]<class T>(const kernels::bit_conversion<T>& conversion) {
    const auto target = typed_batch<T>(to);
    require_extents("the matrix", target, from.rows(), from.cols());
    require_distinct_elements("the matrix", target);
    require_disjoint("the packed matrix", words_as_batch(from), "the matrix", target);
    if (target.empty()) return;
    run_as_call(ctx, {"unpack", "", "bits", {from.rows(), from.cols(), -1}},
                [&] { conversion.unpack(ctx, from, as_matrix_of(target)); });
  });
}

}  // namespace kleene::detail
