// Products of single elements along one axis: where a row of them begins in each tensor, and how far apart neighbours
// lie. Functions of an index, so that a CPU can go through them, too.
#pragma once

#include "kleene/kernels/contract/gemm_writer.hpp"

#include <cstdint>

namespace kleene::kernels::cuda {

// Strides of the batch, or of the rows or columns, whichever is the outer axis; and of the other one.
struct pointwise_strides {
  index_t outer = 0, inner = 0;
};

// A batch whose k is 1 and whose m or n is 1, as two axes.
template <class G>
struct pointwise_axes {
  index_t outer = 1, inner = 1;
  pointwise_strides a, b, c, d, witness;

  pointwise_axes() = default;
  // along_batch: the batch is the inner axis.
  pointwise_axes(const G& g, bool along_batch) {
    const bool is_column = g.n == 1;
    const index_t other = is_column ? g.m : g.n;
    outer = along_batch ? other : g.batch, inner = along_batch ? g.batch : other;
    const auto strides = [&](index_t batch, index_t along_other) {
      return along_batch ? pointwise_strides{along_other, batch} : pointwise_strides{batch, along_other};
    };
    const int axis = is_column ? 1 : 2;
    a = strides(g.sa[0], is_column ? g.sa[1] : 0), b = strides(g.sb[0], is_column ? 0 : g.sb[2]);
    c = strides(g.sc[0], g.sc[axis]), d = strides(g.sd[0], g.sd[axis]);
    witness = strides(g.switness[0], g.switness[axis]);
  }
};

// One row. `at` is G with its tensors moved to an element, so that gemm's writer stores it.
template <class G>
struct pointwise_row {
  using S = typename G::algebra;
  using T = value_of<S>;

  const pointwise_axes<G>& axes;
  G begin;

  KLEENE_FUNCTION pointwise_row(const G& g, const pointwise_axes<G>& all, index_t o) : axes(all), begin(g) {
    begin.a += o * all.a.outer, begin.b += o * all.b.outer, begin.c += o * all.c.outer;
    if (g.d) begin.d += o * all.d.outer;
    if (g.witness) begin.witness += o * all.witness.outer;
  }

  KLEENE_FUNCTION T left(index_t i) const { return begin.a[i * axes.a.inner]; }
  KLEENE_FUNCTION T right(index_t i) const { return begin.b[i * axes.b.inner]; }
  // Whether a finite result did not fit.
  KLEENE_FUNCTION bool store(index_t i, const T& left, const T& right) const {
    G at = begin;
    at.c += i * axes.c.inner;
    if (begin.d) at.d += i * axes.d.inner;
    if (begin.witness) at.witness += i * axes.witness.inner;
    gemm_writer<G> writer{at};
    const auto zero = widen<S>(S::zero()), sum = S::add(zero, S::mul(widen<S>(left), widen<S>(right)));
    const bool improves = writer.store(0, 0, sum);
    if constexpr (is_selective<S>)
      if (begin.witness) writer.store_witness(0, 0, improves && !(sum == zero), 0);
    return writer.overflow;
  }
};

}  // namespace kleene::kernels::cuda
