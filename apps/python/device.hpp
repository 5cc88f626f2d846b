// Memory of CUDA devices as Python hands it over: addresses, extents and strides, in place of arrays, which cost a
// microsecond each; and the context that a thread of Python keeps for each stream.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/tensor.hpp"
#include "kleene/data/view.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <optional>
#include <string>

namespace kleene::python {

namespace nb = nanobind;

// A context on a stream of the caller's. Its end waits for the stream, without the interpreter's lock.
class device_context {
 public:
  explicit device_context(context&& ctx) : ctx_(std::move(ctx)) {}
  device_context(device_context&&) = default;
  ~device_context();
  const context& get() const { return *ctx_; }

 private:
  std::optional<context> ctx_;
};

// What Python has of an array on a device, (address, extents..., strides...) in one tuple, as a view of elements T, the
// row's type, and of that rank. None is the null view.
template <int Rank, class T>
view<T, Rank, memory::device> device_view_of(nb::handle numbers) {
  if (numbers.is_none()) return {};
  const auto tuple = nb::cast<nb::tuple>(numbers);
  const auto at = [&](int i) { return nb::cast<index_t>(tuple[i]); };
  std::array<index_t, Rank> extents{}, strides{};
  for (int r = 0; r < Rank; ++r) extents[r] = at(1 + r), strides[r] = at(1 + Rank + r);
  return {reinterpret_cast<T*>(nb::cast<std::uintptr_t>(tuple[0])), extents, strides};
}

// The same of any rank.
template <class T>
tensor_view<T, memory::device> device_tensor_of(nb::handle numbers) {
  const auto tuple = nb::cast<nb::tuple>(numbers);
  const int rank = static_cast<int>(tuple.size() - 1) / 2;
  axis_values extents, strides;
  for (int r = 0; r < rank; ++r) {
    extents.push_back(nb::cast<index_t>(tuple[1 + r]));
    strides.push_back(nb::cast<index_t>(tuple[1 + rank + r]));
  }
  return {reinterpret_cast<T*>(nb::cast<std::uintptr_t>(tuple[0])), extents, strides};
}

}  // namespace kleene::python
