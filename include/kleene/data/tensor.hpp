// Tensors: views and owners of rank 0 to 64, known when the program runs. A view is a pointer, extents and strides in
// elements, any of which may be negative, or 0 for broadcast inputs; it owns nothing and copies nothing.
//
//   tensor<float> t({2, 3, 4});                t(1, 2, 3) = 5;    // owned, row-major: the last index varies fastest
//   tensor_view<float> v(p, {2, 3, 4});                           // of memory that is somebody else's
//   tensor_view<float> w(p, {2, 3, 4}, {1, 2, 6});                // with strides: the first index varies fastest
//   as_tensor(x)                                                  // of what as_view takes, and of mdspans of any rank
//   v.permuted({2, 0, 1})   v.reshaped({6, 4})                    // the same elements, seen otherwise
//
// A rank of 0 is a single element; an extent of 0 is legal. shape_error refuses negative extents, ranks above 64, and
// extents and strides that no memory can have, as those of matrices are (data/view.hpp). Elements are found without a
// check: there are as many indices as axes, each within its extent.
#pragma once

#include "kleene/data/detail/axis_values.hpp"
#include "kleene/data/matrix.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <type_traits>

namespace kleene {

namespace detail {

// Strides of elements that lie one after the other, the last index fastest.
axis_values packed_strides(const axis_values& extents);
// shape_error where no memory can have such a tensor.
void require_tensor(const axis_values& extents, const axis_values& strides, std::size_t element);
// The strides with which the same elements have other extents; shape_error where there are none.
axis_values reshaped_strides(const axis_values& extents, const axis_values& strides, const axis_values& wanted);
// argument_error where `order` is no order of that many axes.
void require_order(std::span<const int> order, int rank);
// Bytes of an owner's elements; shape_error for extents that are negative or cannot be counted, error(memory).
std::size_t bytes_of_tensor(const axis_values& extents, std::size_t element);
// As aligned_allocate.
void* allocate_tensor(std::size_t bytes);

inline index_t size_of(const axis_values& extents) {
  index_t n = 1;
  for (const index_t extent : extents) n *= extent;
  return n;
}

}  // namespace detail

template <class T, memory Space = memory::host>
class tensor_view {
 public:
  using element_type = T;
  using value_type = std::remove_const_t<T>;
  static constexpr memory space = Space;

  // No elements and no data.
  tensor_view() : extents_{0}, strides_{1} {}
  tensor_view(T* data, const axis_values& extents, const axis_values& strides)
      : data_(data), extents_(extents), strides_(strides) {
    detail::require_tensor(extents, strides, sizeof(T));
  }
  // Contiguous, last index fastest.
  tensor_view(T* data, const axis_values& extents) : tensor_view(data, extents, detail::packed_strides(extents)) {}

  // A view of mutable elements is a view of constant ones.
  template <class U>
  requires(std::is_const_v<T> && std::is_same_v<U, std::remove_const_t<T>>)
  tensor_view(const tensor_view<U, Space>& other)
      : data_(other.data()), extents_(other.extents()), strides_(other.strides()) {}

  T* data() const { return data_; }
  int rank() const { return extents_.size(); }
  const axis_values& extents() const { return extents_; }
  const axis_values& strides() const { return strides_; }
  index_t extent(int r) const { return extents_[r]; }
  index_t stride(int r) const { return strides_[r]; }
  index_t size() const { return detail::size_of(extents_); }
  bool empty() const { return size() == 0; }

  template <std::convertible_to<index_t>... Index>
  T& operator()(Index... index) const {
    index_t at = 0;
    [[maybe_unused]] int r = 0;
    ((at += static_cast<index_t>(index) * strides_[r++]), ...);
    return data_[at];
  }
  T& operator[](std::span<const index_t> index) const {
    index_t at = 0;
    for (int r = 0; r < rank(); ++r) at += index[static_cast<std::size_t>(r)] * strides_[r];
    return data_[at];
  }

  // Axis r of the result is axis order[r] of this; argument_error where that is no order of its axes.
  tensor_view permuted(std::span<const int> order) const {
    detail::require_order(order, rank());
    tensor_view result = *this;
    for (int r = 0; r < rank(); ++r) {
      const int axis = order[static_cast<std::size_t>(r)];
      result.extents_[r] = extents_[axis], result.strides_[r] = strides_[axis];
    }
    return result;
  }
  tensor_view permuted(std::initializer_list<int> order) const {
    return permuted(std::span<const int>(order.begin(), order.size()));
  }

  // The same elements in the same order (the last index fastest) with other extents. shape_error where there are not as
  // many, or where strides do not allow it: copy them first.
  tensor_view reshaped(const axis_values& extents) const {
    return {data_, extents, detail::reshaped_strides(extents_, strides_, extents)};
  }

 private:
  T* data_ = nullptr;
  axis_values extents_, strides_;
};

// Owner of a dense tensor in host memory: row-major, contiguous, 64-byte aligned, of 4 MiB and more in large pages
// where Linux has some. Copies are deep, moves are cheap, and leave a tensor without elements. Allocation failure is
// error(memory) with the number of bytes.
template <class T>
class tensor {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved about as bytes");

 public:
  using value_type = T;

  tensor() = default;
  tensor(const axis_values& extents, uninitialised)
      : data_(static_cast<T*>(detail::allocate_tensor(detail::bytes_of_tensor(extents, sizeof(T))))),
        extents_(extents) {}
  tensor(const axis_values& extents, T fill) : tensor(extents, uninitialised{}) { std::fill_n(data(), size(), fill); }
  explicit tensor(const axis_values& extents) : tensor(extents, T{}) {}

  tensor(tensor&& other) noexcept : data_(std::move(other.data_)), extents_(other.extents_) { other.extents_ = {0}; }
  tensor& operator=(tensor&& other) noexcept {
    data_ = std::move(other.data_);
    extents_ = std::exchange(other.extents_, axis_values{0});
    return *this;
  }
  tensor(const tensor& other) : tensor(other.extents_, uninitialised{}) { std::copy_n(other.data(), size(), data()); }
  tensor& operator=(const tensor& other) { return *this = tensor(other); }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  int rank() const { return extents_.size(); }
  const axis_values& extents() const { return extents_; }
  index_t extent(int r) const { return extents_[r]; }
  index_t size() const { return detail::size_of(extents_); }
  bool empty() const { return size() == 0; }

  tensor_view<T> view() { return {data(), extents_}; }
  tensor_view<const T> view() const { return {data(), extents_}; }
  operator tensor_view<T>() { return view(); }
  operator tensor_view<const T>() const { return view(); }

  template <std::convertible_to<index_t>... Index>
  T& operator()(Index... index) {
    return data()[offset(index...)];
  }
  template <std::convertible_to<index_t>... Index>
  const T& operator()(Index... index) const {
    return data()[offset(index...)];
  }
  T& operator[](std::span<const index_t> index) { return view()[index]; }
  const T& operator[](std::span<const index_t> index) const { return view()[index]; }

 private:
  template <class... Index>
  index_t offset(Index... index) const {
    index_t at = 0;
    [[maybe_unused]] int r = 0;
    ((at = at * extents_[r++] + static_cast<index_t>(index)), ...);
    return at;
  }

  struct release {
    void operator()(T* p) const noexcept { detail::aligned_delete{}(p); }
  };
  std::unique_ptr<T[], release> data_;
  axis_values extents_{0};
};

// as_tensor: whatever can be read as a tensor. Matrices, batches and vectors have rank 2, 3 and 1; an mdspan its own.
template <class T, memory Space>
tensor_view<T, Space> as_tensor(const tensor_view<T, Space>& v) {
  return v;
}
template <class T>
tensor_view<T> as_tensor(tensor<T>& t) {
  return t.view();
}
template <class T>
tensor_view<const T> as_tensor(const tensor<T>& t) {
  return t.view();
}
template <class T>
tensor_view<const T> as_tensor(tensor<T>&& t) = delete;  // a view of a temporary outlives it

namespace detail {
template <class M>
concept has_tensor_view = !mdspan_shaped<M> && requires(M& m) { as_view(m); };
}  // namespace detail

template <detail::has_tensor_view M>
auto as_tensor(M&& m) {
  const auto v = as_view(m);
  using V = std::remove_cvref_t<decltype(v)>;
  return tensor_view<typename V::element_type, V::space>(v.data(), v.extents(), v.strides());
}
template <memory Space, mdspan_shaped M>
auto as_tensor(M&& m) {
  using T = std::remove_pointer_t<std::remove_cvref_t<decltype(m.data_handle())>>;
  axis_values extents, strides;
  for (int r = 0; r < static_cast<int>(std::remove_cvref_t<M>::rank()); ++r) {
    extents.push_back(static_cast<index_t>(m.extent(r)));
    strides.push_back(static_cast<index_t>(m.stride(r)));
  }
  return tensor_view<T, Space>(m.data_handle(), extents, strides);
}
template <mdspan_shaped M>
auto as_tensor(M&& m) {
  using accessor = typename detail::mdspan_traits<std::remove_cvref_t<M>>::accessor;
  return as_tensor<memory_of_accessor<accessor>>(m);
}

}  // namespace kleene
