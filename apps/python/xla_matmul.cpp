// Products that programs of XLA's call: a and b; the product and, where asked for, its witness.
#include "kleene/data/detail/to_text.hpp"

#include "rows.hpp"
#include "stoppable_product.hpp"
#include "xla_call.hpp"

namespace kleene::python {

namespace {

using xla_function = void (*)(const xla_call&);

// A value outside the domain, told by where it lies in the caller's a or b: the library calls them A and B, or x and A.
template <class S>
void refuse_first_outside(const product<S>& p) {
  if constexpr (has_domain<S>) {
    const auto look = [](const std::string& name, const auto& v) {
      for (index_t b = 0; b < v.extent(0); ++b)
        for (index_t i = 0; i < v.rows(); ++i)
          for (index_t j = 0; j < v.cols(); ++j) {
            if (S::in_domain(v(b, i, j))) continue;
            const std::string matrix = v.extent(0) > 1 ? std::to_string(b) + ", " : "";
            throw value_error(name + "[" + matrix + std::to_string(i) + ", " + std::to_string(j) + "] = " +
                              kleene::detail::to_text(v(b, i, j)) + " is outside the domain of " + name_of<S>());
          }
    };
    look("a", p.a);
    look("b", p.b);
  }
}

template <class S, memory Space>
void multiply_for_xla(const xla_call& call) {
  using T = value_of<S>;
  work_of<Space> work(call);
  call.for_each_batch([&](const std::vector<xla_array>& x, index_t count) {
    product<S, Space> p;
    p.a = x.at(0).batch<const T, Space>(count), p.b = x.at(1).batch<const T, Space>(count);
    p.c = x.at(2).batch<T, Space>(count);
    if (x.size() > 3) p.witness = x[3].batch<std::int32_t, Space>(count);
    try {
      multiply_at_once(work.get(), p);
    } catch (const value_error&) {
      if constexpr (Space == memory::host) refuse_first_outside<S>(p);
      throw;
    }
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
