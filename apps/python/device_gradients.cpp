// Gradients of products in device memory, for Python.
#include "kleene/operations/gradients/gemm.hpp"

#include "arrays.hpp"
#include "device.hpp"
#include "module.hpp"
#include "product_gradient.hpp"
#include "xla_call.hpp"

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
void launch_gradients(const context& ctx, const shares& share, const row_gradients<T>& of_a,
                      const batch_view<T, memory::device>& to_b) {
  launch_row_gradients<T>(ctx, share.left, of_a);
  launch_row_gradients<T>(ctx, share.right,
                          {of_a.g.transposed(), of_a.other.transposed(), of_a.own.transposed(),
                           of_a.witness.transposed(), to_b.transposed()});
}

template <class T>
void add_gradients(const device_context& ctx, const shares& share, const nb::tuple& arrays) {
  const auto g = device_view_of<3, const T>(arrays[0]), a = device_view_of<3, const T>(arrays[2]),
             b = device_view_of<3, const T>(arrays[3]);
  const auto witness = device_view_of<3, const std::int32_t>(arrays[1]);
  const auto to_a = device_view_of<3, T>(arrays[4]), to_b = device_view_of<3, T>(arrays[5]);
  const nb::gil_scoped_release unlocked;
  launch_gradients<T>(ctx.get(), share, {g, a, b, witness, to_a}, to_b);
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

// As on the host (gradients.cpp).
template <class T>
void set_gradients_on_device(const xla_call& call) {
  device_work work(call);
  const context& ctx = work.get();
  const std::string mul = call.text("mul");
  call.for_each_batch([&](const std::vector<xla_array>& x, index_t count) {
    const auto in = [&](int i) { return x.at(i).template batch<const T, memory::device>(count); };
    const auto g = in(0), a = in(1), b = in(2);
    const auto to_a = x.at(4).template batch<T, memory::device>(count),
               to_b = x.at(5).template batch<T, memory::device>(count);
    if (mul == "log_plus") return gemm_gradients(ctx, log_plus<T>{}, a, b, in(3), g, to_a, to_b);
    clear(ctx, to_a.data(), to_a.size() * sizeof(T));
    clear(ctx, to_b.data(), to_b.size() * sizeof(T));
    const auto witness = x[3].template batch<const std::int32_t, memory::device>(count);
    launch_gradients<T>(ctx, shares_of(mul), {g, a, b, witness, to_a}, to_b);
  });
}

}  // namespace

xla_ffi::error* matmul_gradient_on_device(xla_ffi::frame* frame) {
  return answer(frame, [](const xla_call& call) {
    call.by_float([&]<class T>(std::type_identity<T>) { set_gradients_on_device<T>(call); });
  });
}

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
