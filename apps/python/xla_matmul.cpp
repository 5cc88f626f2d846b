// Products that programs of XLA's call: a and b; the product and, where asked for, its witness.
#include "rows.hpp"
#include "stoppable_product.hpp"
#include "xla_call.hpp"

namespace kleene::python {

namespace {

using xla_function = void (*)(const xla_call&);

template <class S, memory Space>
void multiply_for_xla(const xla_call& call) {
  using T = value_of<S>;
  work_of<Space> work(call);
  call.for_each_batch([&](const std::vector<xla_array>& x, index_t count) {
    product<S, Space> p;
    p.a = x.at(0).batch<const T, Space>(count), p.b = x.at(1).batch<const T, Space>(count);
    p.c = x.at(2).batch<T, Space>(count);
    if (x.size() > 3) p.witness = x[3].batch<std::int32_t, Space>(count);
    multiply_at_once(work.get(), p);
  });
}

template <memory Space>
xla_ffi::error* multiply_for_xla(xla_ffi::frame* frame) {
  return answer(frame, [](const xla_call& call) {
    static const auto rows =
        function_rows<xla_function>([]<class S>(S) -> xla_function { return &multiply_for_xla<S, Space>; });
    function_of(rows, static_cast<int>(call.number("row")), "matmul")(call);
  });
}

}  // namespace

xla_ffi::error* matmul_on_host(xla_ffi::frame* frame) { return multiply_for_xla<memory::host>(frame); }
xla_ffi::error* matmul_on_device(xla_ffi::frame* frame) { return multiply_for_xla<memory::device>(frame); }

}  // namespace kleene::python
