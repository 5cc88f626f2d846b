// Packed Boolean and GF(2) matrices: operations/bits.hpp and operations/gf2.hpp on arrays of 64-bit words.
#include "kleene/operations/bits.hpp"
#include "kleene/operations/gf2.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace kleene::python {

namespace {

// Rows of words as `cols` columns of bits.
template <class Array>
auto bits_of(const char* name, const Array& words, index_t cols) {
  const auto v = view_of<2, bit_word>(name, words);
  if (v.cols() != words_for(cols) || (v.rows() > 0 && v.cols() > 1 && v.stride(1) != 1))
    refuse_array(name, std::to_string(v.cols()) + " words a row", "those of its columns, next to each other");
  using B = std::conditional_t<std::is_same_v<Array, input_array>, const bit, bit>;
  return bit_view<B>(v.data(), v.rows(), cols, v.rows() > 1 ? v.stride(0) : words_for(cols));
}

template <class Work>
auto run_on(int threads, const Work& work) {
  return run({threads, nb::none()}, [&](const context& ctx, attention&) { return work(ctx); });
}

void pack_bits(const input_array& from, const output_array& to, index_t cols, int threads) {
  const auto bits = bits_of("the packed matrix", to, cols);
  const auto m = view_of<2, bool>("the matrix", from);
  run_on(threads, [&](const context& ctx) { pack(ctx, m, bits); });
}

void unpack_bits(const input_array& from, index_t cols, const output_array& to, int threads) {
  const auto bits = bits_of("the packed matrix", from, cols);
  const auto m = view_of<2, bool>("the matrix", to);
  run_on(threads, [&](const context& ctx) { unpack(ctx, bits, m); });
}

void multiply_bits(bool parity, const input_array& a, index_t k, const input_array& b, index_t n, const output_array& c,
                   bool accumulate, bool transposed_b, int threads) {
  const auto va = bits_of("a", a, k), vb = bits_of("b", b, transposed_b ? k : n);
  const auto vc = bits_of("the product", c, n);
  const bit_gemm_options options{.accumulate = accumulate, .transposed_b = transposed_b};
  run_on(threads, [&](const context& ctx) {
    if (parity) gemm(ctx, xor_and<bit>{}, va, vb, vc, options);
    else gemm(ctx, or_and<bit>{}, va, vb, vc, options);
  });
}

void count_bits(const input_array& a, index_t k, const input_array& b, index_t n, const output_array& c, int threads) {
  const auto va = bits_of("a", a, k), vb = bits_of("b", b, n);
  const auto vc = view_of<2, std::int32_t>("the counts", c);
  run_on(threads, [&](const context& ctx) { count_products(ctx, va, vb, vc); });
}

void transpose_bits(const input_array& a, index_t cols, const output_array& to, index_t rows, int threads) {
  const auto from = bits_of("a", a, cols);
  const auto target = bits_of("the transpose", to, rows);
  run_on(threads, [&](const context& ctx) { transpose(ctx, from, target); });
}

void close_bits(const output_array& a, index_t cols, int threads) {
  const auto bits = bits_of("a", a, cols);
  run_on(threads, [&](const context& ctx) { closure(ctx, or_and<bit>{}, bits); });
}

index_t rank_of_bits(const input_array& a, index_t cols, int threads) {
  const auto bits = bits_of("a", a, cols);
  return run_on(threads, [&](const context& ctx) { return rank(ctx, xor_and<bit>{}, bits); });
}

std::vector<index_t> reduce_bits(const output_array& a, index_t cols, int threads) {
  const auto bits = bits_of("a", a, cols);
  return run_on(threads, [&](const context& ctx) { return row_reduce(ctx, xor_and<bit>{}, bits); });
}

// (whether there is one, the rank of A).
std::pair<bool, index_t> solve_bits(const input_array& a, index_t cols, const input_array& b, const output_array& x,
                                    index_t sides, int threads) {
  const auto va = bits_of("a", a, cols), vb = bits_of("b", b, sides);
  const auto vx = bits_of("x", x, sides);
  const gf2_info info = run_on(threads, [&](const context& ctx) { return solve(ctx, xor_and<bit>{}, va, vb, vx); });
  return {info.exists, info.rank};
}
std::pair<bool, index_t> invert_bits(const input_array& a, index_t cols, const output_array& x, int threads) {
  const auto va = bits_of("a", a, cols);
  const auto vx = bits_of("the inverse", x, cols);
  const gf2_info info = run_on(threads, [&](const context& ctx) { return inverse(ctx, xor_and<bit>{}, va, vx); });
  return {info.exists, info.rank};
}

// A basis of the null space, a row each, into the first rows of `to`, which has as many as A has columns.
index_t null_space_of_bits(const input_array& a, index_t cols, const output_array& to, int threads) {
  const auto va = bits_of("a", a, cols);
  const auto target = bits_of("the null space", to, cols);
  return run_on(threads, [&](const context& ctx) {
    const bit_matrix basis = null_space(ctx, xor_and<bit>{}, va);
    for (index_t i = 0; i < basis.rows(); ++i) std::copy_n(basis.view().row(i), target.words(), target.row(i));
    return basis.rows();
  });
}

}  // namespace

void add_bits(nb::module_& m) {
  m.def("pack_bits", &pack_bits);
  m.def("unpack_bits", &unpack_bits);
  m.def("multiply_bits", &multiply_bits);
  m.def("count_bits", &count_bits);
  m.def("transpose_bits", &transpose_bits);
  m.def("close_bits", &close_bits);
  m.def("rank_of_bits", &rank_of_bits);
  m.def("reduce_bits", &reduce_bits);
  m.def("solve_bits", &solve_bits);
  m.def("invert_bits", &invert_bits);
  m.def("null_space_of_bits", &null_space_of_bits);
}

}  // namespace kleene::python
