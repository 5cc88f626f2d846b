// Gradients of products in device memory, for Python.
#include "kleene/operations/gradients/gemm.hpp"

#include "arrays.hpp"
#include "device.hpp"
#include "module.hpp"
#include "product_gradient.hpp"

#include <nanobind/stl/string.h>

namespace kleene::python {

namespace {

struct shares {
  gradient_share left, right;
};

shares shares_of(const std::string& mul) {
  using enum gradient_share;
  if (mul == "plus") return {plus, plus};
  if (mul == "times") return {times, times};
  if (mul == "min") return {min_left, min_right};
  if (mul == "max") return {max_left, max_right};
  throw argument_error("no gradient of '" + mul + "'");
}

// A product's rows as they are, and its columns as the rows of the transposed one.
template <class T>
void add_gradients(const device_context& ctx, const shares& share, const nb::tuple& arrays) {
  const auto g = device_view_of<3, const T>(arrays[0]), a = device_view_of<3, const T>(arrays[2]),
             b = device_view_of<3, const T>(arrays[3]);
  const auto witness = device_view_of<3, const std::int32_t>(arrays[1]);
  const auto to_a = device_view_of<3, T>(arrays[4]), to_b = device_view_of<3, T>(arrays[5]);
  const nb::gil_scoped_release unlocked;
  launch_row_gradients<T>(ctx.get(), share.left, {g, a, b, witness, to_a});
  launch_row_gradients<T>(ctx.get(), share.right,
                          {g.transposed(), b.transposed(), a.transposed(), witness.transposed(), to_b.transposed()});
}

// Over log_plus.
template <class T>
void set_log_sum_gradients(const device_context& ctx, const nb::tuple& arrays) {
  const auto g = device_view_of<3, const T>(arrays[0]), a = device_view_of<3, const T>(arrays[1]),
             b = device_view_of<3, const T>(arrays[2]), c = device_view_of<3, const T>(arrays[3]);
  const auto to_a = device_view_of<3, T>(arrays[4]), to_b = device_view_of<3, T>(arrays[5]);
  const nb::gil_scoped_release unlocked;
  gemm_gradients(ctx.get(), log_plus<T>{}, a, b, c, g, to_a, to_b);
}

}  // namespace

void add_device_gradients(nb::module_& m) {
  // arrays: g, witness, a, b and, added to, the gradients of a and b; elements of `bits` bits.
  m.def("add_product_gradient_on_device",
        [](const device_context& ctx, const std::string& mul, int bits, const nb::tuple& arrays) {
          if (bits == 32) add_gradients<float>(ctx, shares_of(mul), arrays);
          else add_gradients<double>(ctx, shares_of(mul), arrays);
        });
  // arrays: g, a, b, c; the gradients of a and b.
  m.def("log_sum_gradient_on_device", [](const device_context& ctx, int bits, const nb::tuple& arrays) {
    if (bits == 32) set_log_sum_gradients<float>(ctx, arrays);
    else set_log_sum_gradients<double>(ctx, arrays);
  });
}

}  // namespace kleene::python
