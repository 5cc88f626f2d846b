// Owner of a dense tensor in device memory, and the copies to and from it: row-major, contiguous, 256-byte aligned. It
// is moved, never copied behind the caller's back.
//
//   device_tensor<float> a = to_device(ctx, t);     tensor<float> t = to_host(ctx, a);
//
// Where its memory comes from, and which copies are asynchronous, is as data/device_matrix.hpp has it.
#pragma once

#include "kleene/data/device_matrix.hpp"
#include "kleene/data/tensor.hpp"

#include <utility>

namespace kleene {

template <class T>
class device_tensor {
 public:
  using value_type = T;

  device_tensor() = default;
  // Uninitialised elements on the context's device. error(memory) with the number of bytes.
  device_tensor(const context& ctx, const axis_values& extents)
      : elements_(ctx, static_cast<index_t>(detail::bytes_of_tensor(extents, sizeof(T)) / sizeof(T))),
        extents_(extents) {}
  device_tensor(device_tensor&& other) noexcept
      : elements_(std::move(other.elements_)), extents_(std::exchange(other.extents_, axis_values{0})) {}
  device_tensor& operator=(device_tensor&& other) noexcept {
    elements_ = std::move(other.elements_), extents_ = std::exchange(other.extents_, axis_values{0});
    return *this;
  }

  T* data() { return elements_.data(); }
  const T* data() const { return elements_.data(); }
  int rank() const { return extents_.size(); }
  const axis_values& extents() const { return extents_; }
  index_t extent(int r) const { return extents_[r]; }
  index_t size() const { return detail::size_of(extents_); }
  bool empty() const { return size() == 0; }
  int device() const { return elements_.device(); }

  tensor_view<T, memory::device> view() { return {data(), extents_}; }
  tensor_view<const T, memory::device> view() const { return {data(), extents_}; }

 private:
  device_vector<T> elements_;
  axis_values extents_{0};
};

template <class T>
tensor_view<T, memory::device> as_tensor(device_tensor<T>& t) {
  return t.view();
}
template <class T>
tensor_view<const T, memory::device> as_tensor(const device_tensor<T>& t) {
  return t.view();
}
template <class T>
tensor_view<const T, memory::device> as_tensor(device_tensor<T>&& t) = delete;  // a view of a temporary outlives it

template <class T>
[[nodiscard]] device_tensor<T> to_device(const context& ctx, const tensor<T>& from) {
  device_tensor<T> to(ctx, from.extents());
  if (!from.empty())
    copy(ctx, view<const T, 1>(from.data(), {from.size()}), view<T, 1, memory::device>(to.data(), {to.size()}));
  return to;
}
template <class T>
[[nodiscard]] tensor<T> to_host(const context& ctx, const device_tensor<T>& from) {
  tensor<T> to(from.extents(), uninitialised{});
  if (!from.empty())
    copy(ctx, view<const T, 1, memory::device>(from.data(), {from.size()}), view<T, 1>(to.data(), {to.size()}));
  ctx.synchronise();
  return to;
}

}  // namespace kleene
