// Owners of dense host memory: matrix<T> (rank 2) and batch<T> (rank 3: batch, row, column), row-major, contiguous,
// 64-byte aligned. Copies are deep, moves are cheap. An extent of 0 is legal. Allocation failure throws kleene::error
// (memory) with the number of bytes.
#pragma once

#include "kleene/data/view.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace kleene {

namespace detail {
// Bytes of `count` elements; throws error(memory) when that exceeds the address space.
inline std::size_t checked_bytes(double count, std::size_t element) {
  if (const double bytes = count * static_cast<double>(element); bytes > most_counted)
    throw error(fault_code::memory, "cannot allocate " + bytes_text(bytes));
  return static_cast<std::size_t>(count) * element;
}

// Bytes of an owner's elements: shape_error for extents that are negative, or 0 beside others that cannot be counted.
template <std::size_t Rank>
std::size_t bytes_of(const std::array<index_t, Rank>& extents, std::size_t element) {
  double count = 1;
  for (index_t extent : extents) count *= static_cast<double>(std::max<index_t>(extent, 0));
  const std::size_t bytes = checked_bytes(count, element);
  require_countable(extents, "a matrix");
  return bytes;
}

struct aligned_delete {
  void operator()(void* p) const noexcept { ::operator delete(p, std::align_val_t{64}); }
};
inline void* aligned_allocate(std::size_t bytes) {
  // The C library rounds sizes up to the alignment: those near 2^64 would become small.
  const bool possible = bytes <= ~std::size_t{0} / 2;
  void* p = possible ? ::operator new(std::max<std::size_t>(bytes, 1), std::align_val_t{64}, std::nothrow) : nullptr;
  if (!p) throw error(fault_code::memory, "cannot allocate " + std::to_string(bytes) + " bytes");
  return p;
}
}  // namespace detail

// Tag: leave elements uninitialised (they are about to be overwritten).
struct uninitialised {};

template <class T, int Rank>
class array {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved about as bytes");

 public:
  using value_type = T;
  using shape = std::array<index_t, Rank>;

  array() = default;
  array(const shape& extents, uninitialised) : extents_(extents) {
    data_.reset(static_cast<T*>(detail::aligned_allocate(detail::bytes_of(extents, sizeof(T)))));
  }
  array(const shape& extents, T fill) : array(extents, uninitialised{}) { std::fill_n(data(), size(), fill); }
  explicit array(const shape& extents) : array(extents, T{}) {}

  array(index_t rows, index_t cols)
  requires(Rank == 2)
      : array(shape{rows, cols}) {}
  array(index_t rows, index_t cols, T fill)
  requires(Rank == 2)
      : array(shape{rows, cols}, fill) {}
  array(index_t rows, index_t cols, uninitialised u)
  requires(Rank == 2)
      : array(shape{rows, cols}, u) {}
  // matrix<float>{{1, 2}, {3, 4}}: rows of equal length.
  array(std::initializer_list<std::initializer_list<T>> rows)
  requires(Rank == 2)
      : array(static_cast<index_t>(rows.size()), rows.size() ? static_cast<index_t>(rows.begin()->size()) : 0,
              uninitialised{}) {
    T* out = data();
    for (const auto& row : rows) {
      if (static_cast<index_t>(row.size()) != cols()) throw shape_error("the rows of a matrix differ in length");
      out = std::copy(row.begin(), row.end(), out);
    }
  }
  array(index_t count, index_t rows, index_t cols)
  requires(Rank == 3)
      : array(shape{count, rows, cols}) {}
  array(index_t count, index_t rows, index_t cols, T fill)
  requires(Rank == 3)
      : array(shape{count, rows, cols}, fill) {}

  array(array&& other) noexcept : data_(std::move(other.data_)), extents_(std::exchange(other.extents_, shape{})) {}
  array& operator=(array&& other) noexcept {
    data_ = std::move(other.data_);
    extents_ = std::exchange(other.extents_, shape{});
    return *this;
  }
  array(const array& other) : array(other.extents_, uninitialised{}) { std::copy_n(other.data(), size(), data()); }
  array& operator=(const array& other) { return *this = array(other); }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  const shape& extents() const { return extents_; }
  index_t extent(int r) const { return extents_[r]; }
  index_t rows() const { return extents_[Rank - 2]; }
  index_t cols() const { return extents_[Rank - 1]; }
  index_t size() const { return view().size(); }
  bool empty() const { return size() == 0; }

  kleene::view<T, Rank> view() { return {data(), extents_}; }
  kleene::view<const T, Rank> view() const { return {data(), extents_}; }
  operator kleene::view<T, Rank>() { return view(); }
  operator kleene::view<const T, Rank>() const { return view(); }

  T& operator()(index_t i, index_t j)
  requires(Rank == 2)
  {
    return data()[i * extents_[1] + j];
  }
  const T& operator()(index_t i, index_t j) const
  requires(Rank == 2)
  {
    return data()[i * extents_[1] + j];
  }
  T& operator()(index_t b, index_t i, index_t j)
  requires(Rank == 3)
  {
    return data()[(b * extents_[1] + i) * extents_[2] + j];
  }
  const T& operator()(index_t b, index_t i, index_t j) const
  requires(Rank == 3)
  {
    return data()[(b * extents_[1] + i) * extents_[2] + j];
  }

  // Matrix b of a batch, as a view.
  kleene::view<T, 2> operator[](index_t b) &
      requires(Rank == 3) { return view()[b]; } kleene::view<const T, 2> operator[](index_t b) const&
      requires(Rank == 3)
  {
    return view()[b];
  }
  void operator[](index_t) const&& = delete;  // a view of a temporary outlives it

 private:
  struct release {
    void operator()(T* p) const noexcept { detail::aligned_delete{}(p); }
  };
  std::unique_ptr<T[], release> data_;
  shape extents_{};
};

template <class T>
using matrix = array<T, 2>;
template <class T>
using batch = array<T, 3>;

template <class T, int Rank>
view<T, Rank> as_view(array<T, Rank>& a) {
  return a.view();
}
template <class T, int Rank>
view<const T, Rank> as_view(const array<T, Rank>& a) {
  return a.view();
}
template <class T, int Rank>
view<const T, Rank> as_view(array<T, Rank>&& a) = delete;  // a view of a temporary outlives it

}  // namespace kleene
