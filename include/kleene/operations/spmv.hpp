// Sparse matrix times vector over any semiring: y[i] = the sum (+) over row i's entries of A(i, j) (x) x[j]; the
// algebra's zero where a row is empty. A segmented reduction (streaming/segments.hpp): rows of wildly different lengths
// are divided evenly among threads.
//
// A: rows by offsets (rows + 1, the first 0), columns in [0, length of x) and values, one for each entry; any integer
// types. All of it is trusted, as it may lie on a device; arrays_of checks the sizes and offsets of a csr_view
// (shape_error), and require_rows(view, true) its columns as well. x, y: iterators; y overlaps neither A nor x.
// Terms of a row are combined in their order, sums are kept in the algebra's accumulator and normalised when they are
// stored; a term that is NaN is no candidate where (+) is min or max. Values are taken as they come: neither the
// algebra's domain nor results that do not fit are looked for. Nothing waits on a CUDA context. error(device): a CUDA
// context without spmv.cuh.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/sparse.hpp"
#include "kleene/streaming/segments.hpp"

namespace kleene {

// A csr matrix wherever its arrays lie.
template <class Offsets, class Columns, class Values>
struct csr_arrays {
  index_t rows = 0;
  index_t entries = 0;  // offsets[rows]
  Offsets offsets{};
  Columns columns{};
  Values values{};
};
#if defined(__clang__) && __clang_major__ < 17  // which deduces nothing of an aggregate by itself
template <class Offsets, class Columns, class Values>
csr_arrays(index_t, index_t, Offsets, Columns, Values) -> csr_arrays<Offsets, Columns, Values>;
#endif
template <class T>
csr_arrays<const index_t*, const std::int32_t*, const T*> arrays_of(const csr_view<T>& a) {
  require_rows(a);
  return {a.rows, a.entries(), a.offsets.data(), a.columns.data(), a.values.data()};
}

namespace detail {

// The terms A(i, j) (x) x[j] of a matrix's entries, as a random access sequence. (Added to zero: that drops NaN
// where it is no candidate, even where it would be the first of its row.)
template <class S, class Columns, class Values, class X>
struct entry_terms {
  using value_type = accumulator_of<S>;
  using reference = value_type;
  using pointer = const value_type*;
  using difference_type = index_t;
  using iterator_category = std::random_access_iterator_tag;

  Columns columns;
  Values values;
  X x;
  index_t at = 0;

  KLEENE_FUNCTION value_type operator[](index_t i) const {
    return S::add(widen<S>(S::zero()), S::mul(widen<S>(values[at + i]), widen<S>(x[columns[at + i]])));
  }
  KLEENE_FUNCTION value_type operator*() const { return (*this)[0]; }
  KLEENE_FUNCTION entry_terms operator+(index_t n) const { return {columns, values, x, at + n}; }
  KLEENE_FUNCTION entry_terms& operator++() { return ++at, *this; }
  KLEENE_FUNCTION index_t operator-(const entry_terms& other) const { return at - other.at; }
  KLEENE_FUNCTION bool operator==(const entry_terms& other) const { return at == other.at; }
  KLEENE_FUNCTION bool operator!=(const entry_terms& other) const { return at != other.at; }
};

// The output: sums are normalised when they are stored.
template <class S, class Y>
struct normalised_sums {
  using value_type = value_of<S>;
  using difference_type = index_t;
  Y y;
  struct reference {
    Y y;
    index_t i;
    KLEENE_FUNCTION void operator=(const accumulator_of<S>& sum) const { y[i] = normalise<S>(sum); }
  };
  KLEENE_FUNCTION reference operator[](index_t i) const { return {y, i}; }
  KLEENE_FUNCTION normalised_sums operator+(index_t n) const { return {y + n}; }
};

template <class S>
struct semiring_add {
  template <class T>
  KLEENE_FUNCTION T operator()(const T& a, const T& b) const {
    return S::add(a, b);
  }
};

}  // namespace detail

namespace detail::cpu {

struct sparse_products {
  static constexpr const char* header = "operations/spmv";

  template <class S, class Offsets, class Columns, class Values, class X, class Y>
  static void spmv(const context& ctx, S, const csr_arrays<Offsets, Columns, Values>& a, X x, Y y) {
    const detail::entry_terms<S, Columns, Values, X> terms{a.columns, a.values, x};
    segmented::segmented_reduce(ctx, terms, terms + a.entries, a.offsets, a.rows, detail::normalised_sums<S, Y>{y},
                                widen<S>(S::zero()), detail::semiring_add<S>{});
  }
};

}  // namespace detail::cpu

template <class Grain = tuned, class S, class Offsets, class Columns, class Values, class X, class Y,
          class On = decltype(machines_of(detail::family<detail::cpu::sparse_products, Grain>()))>
void spmv(const context& ctx, S s, const csr_arrays<Offsets, Columns, Values>& a, X x, Y y) {
  detail::dispatch<On>(ctx, "spmv", [&](auto on) { on.spmv(ctx, s, a, x, y); });
}

}  // namespace kleene
