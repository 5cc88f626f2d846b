// Sparse matrix times vector on CUDA devices, too: spmv.hpp for contexts of both machines.
#pragma once

#include "kleene/operations/spmv.hpp"
#include "kleene/streaming/cuda/segments.cuh"

#include <cstring>

namespace kleene {

namespace detail {

// Four neighbours of an array that are used once: 16 bytes at a time where they are aligned, past L1, which x needs.
template <class It>
__device__ __forceinline__ bool is_aligned([[maybe_unused]] It items) {
  if constexpr (std::is_pointer_v<It>) return sizeof(*items) == 4 && reinterpret_cast<std::uintptr_t>(items) % 16 == 0;
  else return false;
}
template <class It>
__device__ __forceinline__ void load_four(std::iter_value_t<It> (&to)[4], It from) {
  if constexpr (std::is_pointer_v<It> && sizeof(to) == 16) {
    uint4 bits;
    asm("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
        : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
        : "l"(from));
    std::memcpy(to, &bits, 16);
  }
}

// entry_terms as a two-phase load: load() fetches, combine() computes (streaming/cuda/segment_terms.cuh).
template <class S, class Columns, class Values, class X>
struct entry_parts : entry_terms<S, Columns, Values, X> {
  using base = entry_terms<S, Columns, Values, X>;
  struct parts {
    std::iter_value_t<Values> value;
    std::iter_value_t<X> x;
  };
  __host__ __device__ entry_parts operator+(index_t n) const {
    return {{this->columns, this->values, this->x, this->at + n}};
  }
  __device__ __forceinline__ parts load(index_t i) const {
    return {this->values[this->at + i], this->x[this->columns[this->at + i]]};
  }
  __device__ __forceinline__ bool quads_are_aligned() const {
    return detail::is_aligned(this->columns + this->at) && detail::is_aligned(this->values + this->at);
  }
  __device__ __forceinline__ void load_quad(parts (&to)[4], index_t i) const {
    std::iter_value_t<Columns> column[4];
    std::iter_value_t<Values> value[4];
    load_four(column, this->columns + (this->at + i));
    load_four(value, this->values + (this->at + i));
#pragma unroll
    for (int k = 0; k < 4; ++k) to[k] = {value[k], this->x[column[k]]};
  }
  __device__ __forceinline__ accumulator_of<S> combine(const parts& p) const {
    return S::add(widen<S>(S::zero()), S::mul(widen<S>(p.value), widen<S>(p.x)));
  }
};

}  // namespace detail

namespace detail::cuda {

template <class Grain>
struct sparse_products {
  template <class S, class Offsets, class Columns, class Values, class X, class Y>
  static void spmv(const context& ctx, S, const csr_arrays<Offsets, Columns, Values>& a, X x, Y y) {
    const detail::entry_parts<S, Columns, Values, X> terms{{a.columns, a.values, x}};
    using G = streaming::chosen_grain<Grain, streaming::spmv_grain>;
    segmented<G>::segmented_reduce(ctx, terms, terms + a.entries, a.offsets, a.rows, detail::normalised_sums<S, Y>{y},
                                   widen<S>(S::zero()), detail::semiring_add<S>{});
  }
};

}  // namespace detail::cuda

namespace detail {

template <class Grain>
machines<cpu::sparse_products, cuda::sparse_products<Grain>> machines_of(family<cpu::sparse_products, Grain>);

}  // namespace detail
}  // namespace kleene
