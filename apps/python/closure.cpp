// A* in place over a row of the catalog, of one matrix or of a batch: operations/closure.hpp.
#include "kleene/operations/closure.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "rows.hpp"
#include "stoppable_product.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace kleene::python {

namespace {

struct closure_request {
  const output_array& a;
  const std::optional<output_array>& predecessors;
  const std::optional<input_array>& sizes;
  index_t block;
  bool check_domain;
  call_options call;
};
// A vertex on a cycle without a value for each matrix, or -1 (of a batch where all exist: nothing).
using closure_function = std::vector<std::int32_t> (*)(const closure_request&);

template <class S, class... P>
std::vector<std::int32_t> close_one(const closure_request& r, const P&... p) {
  const auto a = view_of<2, value_of<S>>("a", r.a);
  return run(r.call, [&](const context& ctx, attention&) -> std::vector<std::int32_t> {
    const closure_info info =
        kleene::closure(ctx, S{}, a, p..., closure_options{.block = r.block, .check_domain = r.check_domain});
    return {static_cast<std::int32_t>(info.diverging)};
  });
}

// Batches report no progress themselves: as many matrices at a time as take about a tenth of a second.
template <class S, class... P>
std::vector<std::int32_t> close_many(const closure_request& r, const P&... p) {
  const auto a = view_of<3, value_of<S>>("a", r.a);
  std::span<const std::int32_t> sizes;
  if (r.sizes) sizes = span_of<std::int32_t>("sizes", *r.sizes);
  const index_t count = a.extent(0);
  if (r.sizes && static_cast<index_t>(sizes.size()) != count)
    throw shape_error(std::to_string(sizes.size()) + " sizes for " + std::to_string(count) + " matrices");
  const auto some = [](const auto& v, index_t first, index_t step) {
    return std::remove_cvref_t<decltype(v)>(v.data() + first * v.stride(0), {step, v.rows(), v.cols()}, v.strides());
  };
  const double pairs = std::max(1.0, double(a.rows()) * double(a.rows()) * double(a.rows()));
  return run(r.call, [&](const context& ctx, attention& look) {
    std::vector<std::int32_t> diverging;
    double allowed = short_product<S>;
    for (index_t first = 0, part; first < count; first += part) {
      part = std::clamp<index_t>(static_cast<index_t>(allowed / pairs), 1, count - first);
      closure_batch_options options{.block = r.block, .check_domain = r.check_domain, .first = first};
      if (!sizes.empty()) options.sizes = sizes.subspan(first, part);
      const closure_batch_info info = kleene::closure(ctx, S{}, some(a, first, part), some(p, first, part)..., options);
      if (!info.exists) {
        diverging.resize(count, -1);
        std::ranges::copy(info.diverging, diverging.begin() + first);
      }
      allowed = pairs_of_a_block<S>(pairs * double(part), info.seconds);
      look(double(first + part), double(count));
    }
    return diverging;
  });
}

template <class S>
std::vector<std::int32_t> close(const closure_request& r) {
  const bool batch = r.a.ndim() == 3;
  if (!r.predecessors) return batch ? close_many<S>(r) : close_one<S>(r);
  if constexpr (is_selective<S> && has_unit_star<S>) {
    if (batch) return close_many<S>(r, view_of<3, std::int32_t>("predecessors", *r.predecessors));
    return close_one<S>(r, view_of<2, std::int32_t>("predecessors", *r.predecessors));
  } else {
    throw argument_error(std::string(S::name) + " has no predecessors: no single path gives a result");
  }
}

const std::vector<closure_function>& functions() {
  static const auto rows = function_rows<closure_function>([]<class S>(S) -> closure_function {
    if constexpr (closed_semiring<S>) return &close<S>;
    else return nullptr;
  });
  return rows;
}

}  // namespace

void add_closure(nb::module_& m) {
  m.def(
      "closure",
      [](int row, const output_array& a, const std::optional<output_array>& predecessors,
         const std::optional<input_array>& sizes, index_t block, bool check_domain, int threads, nb::object progress) {
        return function_of(functions(), row,
                           "closure")({a, predecessors, sizes, block, check_domain, {threads, std::move(progress)}});
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace kleene::python
