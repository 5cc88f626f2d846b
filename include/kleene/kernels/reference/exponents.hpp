// A product of small whole numbers by exponents (contract/exponent_code.hpp), in plain loops: what the tensor cores do
// with it, `Terms` products a sum.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/contract/exponent_code.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"

#include <algorithm>
#include <vector>

namespace kleene::kernels::reference {

// One operand, line by line: the line's least value, and codes.
template <int Terms>
struct coded_lines {
  bool coded = false;  // nothing else holds otherwise
  int most = 0;        // the highest level
  std::vector<std::int32_t> least;
  std::vector<float> codes;
};
template <class S, int Terms, int Top>
coded_lines<Terms> code_lines(const value_of<S>* x, index_t lines, index_t depth, index_t line_stride, index_t stride) {
  coded_lines<Terms> all;
  all.coded = true;
  for (index_t i = 0; i < lines; ++i) {
    const auto at = [&](index_t k) { return whole_number_of<S>(x[i * line_stride + k * stride]); };
    std::int32_t least = most_whole_number, most = -most_whole_number;
    for (index_t k = 0; k < depth; ++k) {
      const whole_number v = at(k);
      if (v.kind == whole_number::other) return {};
      if (v.kind == whole_number::finite) least = std::min(least, v.value), most = std::max(most, v.value);
    }
    all.most = std::max(all.most, most - least);
    all.least.push_back(least);
    if (all.most > exponent_code<Terms>::most_level) return {};
    for (index_t k = 0; k < depth; ++k) {
      const whole_number v = at(k);
      const std::uint32_t code =
          v.kind == whole_number::finite ? code_of_level(exponent_code<Terms>::bits, Top, v.value - least) : 0;
      all.codes.push_back(std::bit_cast<float>(code << 16));
    }
  }
  return all;
}

// C = A B of one matrix, without options; false, and nothing written, where the operands cannot be coded.
template <int Terms, class G>
bool exponents(const G& g) {
  using S = typename G::algebra;
  using code = exponent_code<Terms>;
  const auto a = code_lines<S, Terms, code::top_a>(g.a, g.m, g.k, g.sa[1], g.sa[2]);
  const auto b = code_lines<S, Terms, code::top_b>(g.b, g.n, g.k, g.sb[2], g.sb[1]);
  if (!a.coded || !b.coded || !code::holds(a.most, b.most)) return false;
  for (index_t i = 0; i < g.m; ++i)
    for (index_t j = 0; j < g.n; ++j) {
      std::uint32_t best = 0;
      for (index_t first = 0; first < g.k; first += Terms) {
        float sum = 0;
        for (index_t k = first; k < std::min(g.k, first + Terms); ++k)
          sum += a.codes[i * g.k + k] * b.codes[j * g.k + k];
        best = std::max(best, std::bit_cast<std::uint32_t>(sum));
      }
      auto& c = g.c[i * g.sc[1] + j * g.sc[2]];
      if (best == 0) c = S::zero();
      else c = static_cast<value_of<S>>(level_sign<S> * (a.least[i] + b.least[j] + code::least(best)));
    }
  return true;
}

}  // namespace kleene::kernels::reference
