// A* in place over a row of the catalog, of one matrix or of a batch: operations/closure.hpp.
#include "kleene/operations/closure.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "rows.hpp"
#include "stoppable_product.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace kleene::python {

namespace {

struct closure_request {
  std::optional<input_array> arcs;  // of a batch; absent: they are in a
  const output_array& a;
  const std::optional<output_array>& predecessors;
  std::optional<input_array> sizes;
  index_t block;
  bool check_domain;
  call_options call;
};
struct closure_answer {
  // A vertex on a cycle without a value for each matrix, or -1 (of a batch where all exist: nothing).
  std::vector<std::int32_t> diverging{};
  double largest = 0;  // finite magnitude among the arcs that were copied
};
using closure_function = closure_answer (*)(const closure_request&);

template <class S, class... P>
closure_answer close_one(const closure_request& r, const P&... p) {
  const auto a = view_of<2, value_of<S>>("a", r.a);
  return run(r.call, [&](const context& ctx, attention&) -> closure_answer {
    const closure_info info =
        kleene::closure(ctx, S{}, a, p..., closure_options{.block = r.block, .check_domain = r.check_domain});
    return {.diverging = {static_cast<std::int32_t>(info.diverging)}};
  });
}

// Batches report no progress themselves: as many matrices at a time as take about a tenth of a second.
template <class S, class... P>
closure_answer close_many(const closure_request& r, const P&... p) {
  const auto a = view_of<3, value_of<S>>("a", r.a);
  batch_view<const value_of<S>> arcs;
  if (r.arcs) arcs = view_of<3, value_of<S>>("arcs", *r.arcs);
  std::span<const std::int32_t> sizes;
  if (r.sizes) sizes = span_of<std::int32_t>("sizes", *r.sizes);
  const index_t count = a.extent(0);
  if (r.sizes && static_cast<index_t>(sizes.size()) != count)
    throw shape_error(std::to_string(sizes.size()) + " sizes for " + std::to_string(count) + " matrices");
  const auto some = [](const auto& v, index_t first, index_t step) {
    return std::remove_cvref_t<decltype(v)>(v.data() + first * v.stride(0), {step, v.rows(), v.cols()}, v.strides());
  };
  const auto before = [](const auto&... v) { return batch_view<std::int32_t>(v...); };  // null without predecessors
  const double pairs = std::max(1.0, double(a.rows()) * double(a.rows()) * double(a.rows()));
  return run(r.call, [&](const context& ctx, attention& look) {
    closure_answer found;
    double allowed = short_product<S>;
    for (index_t first = 0, part; first < count; first += part) {
      part = std::clamp<index_t>(static_cast<index_t>(allowed / pairs), 1, count - first);
      closure_batch_options options{.block = r.block, .check_domain = r.check_domain, .first = first};
      if (!sizes.empty()) options.sizes = sizes.subspan(first, part);
      const closure_batch_info info =
          r.arcs ? kleene::detail::run_closure_of_copies<S>(ctx, some(arcs, first, part), some(a, first, part),
                                                            before(some(p, first, part)...), options, found.largest)
                 : kleene::closure(ctx, S{}, some(a, first, part), some(p, first, part)..., options);
      if (!info.exists) {
        found.diverging.resize(count, -1);
        std::ranges::copy(info.diverging, found.diverging.begin() + first);
      }
      allowed = pairs_of_a_block<S>(pairs * double(part), info.seconds);
      look(double(first + part), double(count));
    }
    return found;
  });
}

template <class S>
closure_answer close(const closure_request& r) {
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
                           "closure")({{}, a, predecessors, sizes, block, check_domain, {threads, std::move(progress)}})
            .diverging;
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  // Of a batch that stays as it is; also the largest finite magnitude in it.
  m.def(
      "closure_of_copies",
      [](int row, const input_array& arcs, const output_array& a, const std::optional<output_array>& predecessors,
         index_t block, bool check_domain, int threads, nb::object progress) {
        closure_answer found = function_of(functions(), row, "closure")(
            {arcs, a, predecessors, {}, block, check_domain, {threads, std::move(progress)}});
        return std::pair(std::move(found.diverging), found.largest);
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace kleene::python
