// NumPy's arrays (and what speaks DLPack or the buffer protocol) as views: pointers, extents and strides, no copy.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/view.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <string>

namespace kleene::python {

namespace nb = nanobind;

using input_array = nb::ndarray<nb::ro>;  // read; may be broadcast (strides of 0)
using output_array = nb::ndarray<>;       // written

// "float32 array": what a refusal calls an array of another type than the algebra's row has.
std::string type_words(const nb::dlpack::dtype& type);
[[noreturn]] void refuse_array(const char* name, const std::string& found, const char* wanted);

template <class Array>
void require_host(const char* name, const Array& a) {
  if (a.device_type() != nb::device::cpu::value) refuse_array(name, "in the memory of a device", "host memory");
}

// An argument of one to three dimensions as a view of that rank; TypeError for elements of another type, and for
// memory that the processor cannot reach.
template <int Rank, class T, class Array>
auto view_of(const char* name, const Array& a) {
  using E = std::conditional_t<std::is_same_v<Array, input_array>, const T, T>;
  require_host(name, a);
  if (a.dtype() != nb::dtype<T>()) refuse_array(name, type_words(a.dtype()), type_name<T>);
  if (a.ndim() != Rank) refuse_array(name, std::to_string(a.ndim()) + " dimensions", std::to_string(Rank).c_str());
  std::array<index_t, Rank> extents{}, strides{};
  for (int r = 0; r < Rank; ++r) {
    extents[r] = static_cast<index_t>(a.shape(r));
    strides[r] = a.stride(r);
  }
  // Nothing is written through a view of constants.
  return view<E, Rank>(static_cast<E*>(const_cast<void*>(static_cast<const void*>(a.data()))), extents, strides);
}

// A contiguous vector as a span.
template <class T, class Array>
auto span_of(const char* name, const Array& a) {
  const auto v = view_of<1, T>(name, a);
  if (v.extent(0) > 1 && v.stride(0) != 1) refuse_array(name, "elements apart from each other", "contiguous ones");
  return std::span(v.data(), static_cast<std::size_t>(v.extent(0)));
}

}  // namespace kleene::python
