// Views: a pointer, extents and strides. They own nothing, copy nothing and allow any stride: rows, columns, every n-th
// element, reversed (negative), broadcast (0). Rank 1 is a vector, rank 2 a matrix, rank 3 a batch of matrices (batch,
// row, column). The memory space is part of the type; only host views exist where there is no CUDA.
//
// Built from: raw pointers and a leading dimension, std::span and std::vector (as vectors), mdspans (std, Kokkos,
// libcu++; any layout that has strides) and what has their shape (data_handle, extent, stride), and anything
// Eigen-shaped (data, rows, cols, innerStride, outerStride, IsRowMajor). Pointers and mdspans to device memory say so:
//
//   row_major<memory::device>(p, m, k, ld)     as_view<memory::device>(mdspan)
//
// data/mdspan.cuh knows libcu++'s device_mdspan and managed_mdspan for what they are. shape_error refuses negative
// extents, and extents and strides that no memory can have (more than 9e18 elements, or bytes from the first to the
// last): what is computed from those of a view never overflows. A view may have extents and no data; operations refuse
// it.
#pragma once

#include "kleene/data/error.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace kleene {

using index_t = std::int64_t;

enum class memory : int { host, device, managed };

namespace detail {

// What elements and bytes are counted up to, a little below the largest index (sums and products are doubles).
inline constexpr double most_counted = 9e18;

// How many elements a shape has, each extent of 0 counted as 1: so that no product of some of the extents is larger.
template <std::size_t Rank>
constexpr double elements_of(const std::array<index_t, Rank>& extents) {
  double elements = 1;
  for (index_t extent : extents) elements *= extent > 0 ? static_cast<double>(extent) : 1.0;
  return elements;
}

// "2 x 3 x 4". This and the refusals are functions of the library (src/data/view.cpp): a sentence is compiled once.
std::string extents_text(std::span<const index_t> extents);
[[noreturn]] void refuse_extent(const char* what, index_t extent);
[[noreturn]] void refuse_extents(const char* what, std::span<const index_t> extents);
[[noreturn]] void refuse_strides(std::span<const index_t> extents, std::span<const index_t> strides);
[[noreturn]] void refuse_block(index_t row, index_t col, index_t rows, index_t cols, std::span<const index_t> of);
[[noreturn]] void refuse_leading(index_t leading, index_t cols);
[[noreturn]] void refuse_span(std::size_t size, index_t rows, index_t cols);

// Whether an index can count the elements of a shape, extents of 0 counted as 1.
template <std::size_t Rank>
constexpr bool is_countable(const std::array<index_t, Rank>& extents) {
  return elements_of(extents) <= most_counted;
}

// shape_error where it cannot, or extents are negative.
template <std::size_t Rank>
constexpr void require_countable(const std::array<index_t, Rank>& extents, const char* what) {
  for (index_t extent : extents)
    if (extent < 0) refuse_extent(what, extent);
  if (!is_countable(extents)) refuse_extents(what, extents);
}

// Elements [first, first + count) of an extent, without the sum.
constexpr bool lies_within(index_t first, index_t count, index_t extent) {
  return first >= 0 && count >= 0 && first <= extent && count <= extent - first;
}

}  // namespace detail

template <class T, int Rank, memory Space = memory::host>
class view {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  static constexpr int rank = Rank;
  static constexpr memory space = Space;
  using shape = std::array<index_t, Rank>;

  // The null view: no data, extents of 0. Options use it for "absent".
  constexpr view() = default;

  constexpr view(T* data, const shape& extents, const shape& strides)
      : data_(data), extents_(extents), strides_(strides) {
    detail::require_countable(extents, "a view");
    double reach = 1;
    for (int r = 0; r < Rank; ++r) {
      const double stride = static_cast<double>(strides[r]);
      if (extents[r] > 1) reach += static_cast<double>(extents[r] - 1) * (stride < 0 ? -stride : stride);
    }
    if (reach * static_cast<double>(sizeof(T)) > detail::most_counted) detail::refuse_strides(extents, strides);
  }

  // Contiguous, last index fastest.
  constexpr view(T* data, const shape& extents) : view(data, extents, packed_strides(extents)) {}

  // A view of mutable elements is a view of constant ones.
  // (A template, since a constructor from view<T> itself, constrained or not, would stand in for the copy constructor.)
  template <class U>
  requires(std::is_const_v<T> && std::is_same_v<U, std::remove_const_t<T>>)
  constexpr view(const view<U, Rank, Space>& other) : view(other.data(), other.extents(), other.strides()) {}

  constexpr T* data() const { return data_; }
  constexpr const shape& extents() const { return extents_; }
  constexpr const shape& strides() const { return strides_; }
  constexpr index_t extent(int r) const { return extents_[r]; }
  constexpr index_t stride(int r) const { return strides_[r]; }
  constexpr index_t rows() const { return extents_[Rank - 2]; }
  constexpr index_t cols() const { return extents_[Rank - 1]; }
  constexpr index_t size() const {
    index_t n = 1;
    for (index_t extent : extents_) n *= extent;
    return n;
  }
  constexpr bool empty() const { return size() == 0; }
  constexpr bool is_null() const { return data_ == nullptr && empty(); }

  constexpr T& operator()(index_t i) const
  requires(Rank == 1)
  {
    return data_[i * strides_[0]];
  }
  constexpr T& operator[](index_t i) const
  requires(Rank == 1)
  {
    return data_[i * strides_[0]];
  }
  constexpr T& operator()(index_t i, index_t j) const
  requires(Rank == 2)
  {
    return data_[i * strides_[0] + j * strides_[1]];
  }
  constexpr T& operator()(index_t b, index_t i, index_t j) const
  requires(Rank == 3)
  {
    return data_[b * strides_[0] + i * strides_[1] + j * strides_[2]];
  }

  // Matrix b of a batch.
  constexpr view<T, 2, Space> operator[](index_t b) const
  requires(Rank == 3)
  {
    return {data_ + b * strides_[0], {extents_[1], extents_[2]}, {strides_[1], strides_[2]}};
  }

  // Rows [row, row + rows) and columns [col, col + cols). Within the extents, or shape_error.
  constexpr view block(index_t row, index_t col, index_t rows, index_t cols) const
  requires(Rank == 2)
  {
    if (!detail::lies_within(row, rows, extents_[0]) || !detail::lies_within(col, cols, extents_[1]))
      detail::refuse_block(row, col, rows, cols, extents_);
    T* first = rows > 0 && cols > 0 ? data_ + row * strides_[0] + col * strides_[1] : data_;
    return {first, {rows, cols}, strides_};
  }

  // Row i and column j as vectors. Within the extents, or shape_error.
  constexpr view<T, 1, Space> row(index_t i) const
  requires(Rank == 2)
  {
    const view one = block(i, 0, 1, extents_[1]);
    return {one.data(), {extents_[1]}, {strides_[1]}};
  }
  constexpr view<T, 1, Space> column(index_t j) const
  requires(Rank == 2)
  {
    const view one = block(0, j, extents_[0], 1);
    return {one.data(), {extents_[0]}, {strides_[0]}};
  }

  constexpr view transposed() const {
    view t = *this;
    std::swap(t.extents_[Rank - 2], t.extents_[Rank - 1]);
    std::swap(t.strides_[Rank - 2], t.strides_[Rank - 1]);
    return t;
  }

 private:
  static constexpr shape packed_strides(const shape& extents) {
    shape strides{};
    std::uint64_t step = 1;  // wraps where the constructor is about to refuse the extents
    for (int r = Rank - 1; r >= 0; --r) {
      strides[r] = static_cast<index_t>(step);
      step *= static_cast<std::uint64_t>(extents[r]);
    }
    return strides;
  }

  T* data_ = nullptr;
  shape extents_{};
  shape strides_{};
};

template <class T, memory Space = memory::host>
using vector_view = view<T, 1, Space>;
template <class T, memory Space = memory::host>
using matrix_view = view<T, 2, Space>;
template <class T, memory Space = memory::host>
using batch_view = view<T, 3, Space>;

// rows x cols with consecutive rows `leading` elements apart (row-major; the BLAS "ldc"). row_major<memory::device>(p,
// ...) where p is in device memory.
template <memory Space = memory::host, class T>
constexpr matrix_view<T, Space> row_major(T* data, index_t rows, index_t cols, index_t leading) {
  if (leading < cols && rows > 1) detail::refuse_leading(leading, cols);
  return {data, {rows, cols}, {leading, 1}};
}
template <memory Space = memory::host, class T>
constexpr matrix_view<T, Space> row_major(T* data, index_t rows, index_t cols) {
  return row_major<Space>(data, rows, cols, cols);
}
// rows x cols with consecutive columns `leading` elements apart (column-major, as Fortran and BLAS have it).
template <memory Space = memory::host, class T>
constexpr matrix_view<T, Space> column_major(T* data, index_t rows, index_t cols, index_t leading) {
  return row_major<Space>(data, cols, rows, leading).transposed();
}
template <memory Space = memory::host, class T>
constexpr matrix_view<T, Space> column_major(T* data, index_t rows, index_t cols) {
  return column_major<Space>(data, rows, cols, rows);
}
// A span as a row-major matrix; its size must be rows * cols.
template <memory Space = memory::host, class T>
constexpr matrix_view<T, Space> row_major(std::span<T> data, index_t rows, index_t cols) {
  const index_t size = static_cast<index_t>(data.size());
  if (rows < 0 || cols < 0 || (cols > 0 ? size / cols != rows || size % cols != 0 : size != 0))
    detail::refuse_span(data.size(), rows, cols);
  return row_major<Space>(data.data(), rows, cols);
}

// as_view: whatever can be read as a vector, a matrix or a batch. Operations call it on each of their arguments;
// overload it by argument-dependent lookup for types of your own.
template <class T, int Rank, memory Space>
constexpr view<T, Rank, Space> as_view(const view<T, Rank, Space>& v) {
  return v;
}

template <class M>
concept mdspan_shaped = requires(M& m) {
  { m.data_handle() } -> std::convertible_to<const void*>;
  { std::remove_cvref_t<M>::rank() } -> std::convertible_to<std::size_t>;
  { m.extent(0) } -> std::convertible_to<index_t>;
  { m.stride(0) } -> std::convertible_to<index_t>;
};

// Where an mdspan's elements are, by its accessor; data/mdspan.cuh specialises it for libcu++'s.
template <class Accessor>
inline constexpr memory memory_of_accessor = memory::host;

namespace detail {
struct no_accessor {};
template <class M>
struct mdspan_traits {
  using accessor = no_accessor;
};
// Accessors that compute what they return (scaled, conjugated) are no memory that can be read as it is.
template <class M>
requires requires { typename M::accessor_type; }
struct mdspan_traits<M> {
  using accessor = typename M::accessor_type;
  static_assert(std::is_same_v<typename M::reference, typename M::element_type&>,
                "an mdspan whose accessor computes its elements is no view of memory");
};
}  // namespace detail

// An mdspan as a view. Its elements are where its accessor says (host memory, for most); as_view<memory::device>(m):
// they are in device memory.
template <memory Space, mdspan_shaped M>
constexpr auto as_view(M&& m) {
  constexpr int rank = static_cast<int>(std::remove_cvref_t<M>::rank());
  static_assert(rank >= 1 && rank <= 3, "a vector has rank 1, a matrix rank 2, a batch rank 3");
  using T = std::remove_pointer_t<std::remove_cvref_t<decltype(m.data_handle())>>;
  std::array<index_t, rank> extents{}, strides{};
  for (int r = 0; r < rank; ++r) {
    extents[r] = static_cast<index_t>(m.extent(r));
    strides[r] = static_cast<index_t>(m.stride(r));
  }
  return view<T, rank, Space>(m.data_handle(), extents, strides);
}
template <mdspan_shaped M>
constexpr auto as_view(M&& m) {
  return as_view<memory_of_accessor<typename detail::mdspan_traits<std::remove_cvref_t<M>>::accessor>>(m);
}

template <class M>
concept eigen_shaped = requires(M& m) {
  m.data();
  { m.rows() } -> std::convertible_to<index_t>;
  { m.cols() } -> std::convertible_to<index_t>;
  { m.innerStride() } -> std::convertible_to<index_t>;
  { m.outerStride() } -> std::convertible_to<index_t>;
  { std::remove_cvref_t<M>::IsRowMajor } -> std::convertible_to<int>;
};
template <eigen_shaped M>
constexpr auto as_view(M&& m) {
  using T = std::remove_pointer_t<std::remove_cvref_t<decltype(m.data())>>;
  const index_t inner = m.innerStride(), outer = m.outerStride();
  constexpr bool by_row = std::remove_cvref_t<M>::IsRowMajor;
  return matrix_view<T>(m.data(), {m.rows(), m.cols()}, {by_row ? outer : inner, by_row ? inner : outer});
}

// What spans are made of, as a vector: std::vector (not of bool, whose elements have no addresses), std::array, arrays.
template <class V>
concept span_shaped = !mdspan_shaped<V> && !eigen_shaped<V> && requires(V& v) { std::span(v); };
template <span_shaped V>
constexpr auto as_view(V& v) {
  const std::span all(v);
  return vector_view<typename decltype(all)::element_type>(all.data(), {static_cast<index_t>(all.size())});
}

}  // namespace kleene
