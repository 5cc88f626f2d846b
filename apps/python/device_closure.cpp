// A* in place over a row of the catalog in device memory, and the vertices of paths from predecessors there.
#include "kleene/operations/closure.hpp"
#include "kleene/operations/paths.hpp"

#include "arrays.hpp"
#include "device.hpp"
#include "module.hpp"
#include "rows.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

namespace kleene::python {

namespace {

struct device_closure {
  const device_context& context;
  nb::handle a, predecessors;
  std::span<const std::int32_t> sizes;
  bool is_batch;
  index_t block;
  bool check_domain;
};
// As of a closure in host memory: a vertex on a cycle without a value for each matrix, or -1, or nothing.
using device_closure_function = std::vector<std::int32_t> (*)(const device_closure&);

template <class S, class... P>
std::vector<std::int32_t> close_one(const device_closure& r, const P&... p) {
  const auto a = device_view_of<2, value_of<S>>(r.a);
  const nb::gil_scoped_release unlocked;
  const closure_options options{.block = r.block, .check_domain = r.check_domain};
  return {static_cast<std::int32_t>(kleene::closure(r.context.get(), S{}, a, p..., options).diverging)};
}

template <class S, class... P>
std::vector<std::int32_t> close_many(const device_closure& r, const P&... p) {
  const auto a = device_view_of<3, value_of<S>>(r.a);
  const nb::gil_scoped_release unlocked;
  const closure_batch_options options{.sizes = r.sizes, .block = r.block, .check_domain = r.check_domain};
  return kleene::closure(r.context.get(), S{}, a, p..., options).diverging;
}

template <class S>
std::vector<std::int32_t> close(const device_closure& r) {
  if (r.predecessors.is_none()) return r.is_batch ? close_many<S>(r) : close_one<S>(r);
  if constexpr (is_selective<S> && has_unit_star<S>) {
    if (r.is_batch) return close_many<S>(r, device_view_of<3, std::int32_t>(r.predecessors));
    return close_one<S>(r, device_view_of<2, std::int32_t>(r.predecessors));
  } else {
    throw argument_error(std::string(S::name) + " has no predecessors: no single path gives a result");
  }
}

const std::vector<device_closure_function>& device_closure_functions() {
  static const auto rows = function_rows<device_closure_function>([]<class S>(S) -> device_closure_function {
    if constexpr (closed_semiring<S>) return &close<S>;
    else return nullptr;
  });
  return rows;
}

std::vector<std::vector<std::int32_t>> trace(const device_context& ctx, nb::handle predecessors,
                                             const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs) {
  const auto p = device_view_of<2, std::int32_t>(predecessors);
  const path_list found = [&] {
    const nb::gil_scoped_release unlocked;
    return paths(ctx.get(), p, pairs);
  }();
  std::vector<std::vector<std::int32_t>> ways;
  for (index_t q = 0; q < found.count(); ++q) ways.emplace_back(found[q].begin(), found[q].end());
  return ways;
}

}  // namespace

void add_device_closure(nb::module_& m) {
  m.def(
      "closure_on_device",
      [](const device_context& ctx, int row, nb::handle a, nb::handle predecessors,
         const std::optional<input_array>& sizes, bool is_batch, index_t block, bool check_domain) {
        std::span<const std::int32_t> vertices;
        if (sizes) vertices = span_of<std::int32_t>("sizes", *sizes);
        return function_of(device_closure_functions(), row,
                           "closure")({ctx, a, predecessors, vertices, is_batch, block, check_domain});
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  m.def("paths_on_device", &trace);
}

}  // namespace kleene::python
