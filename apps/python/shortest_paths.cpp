// All-pairs shortest paths over a selective row of the catalog: operations/shortest_paths.hpp, its result held for
// Python together with the arrays that it points to.
#include "kleene/operations/shortest_paths.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "rows.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

namespace kleene::python {

namespace {

struct paths_request {
  const std::optional<input_array>&dense, &offsets, &columns, &values;  // a matrix, or the three of a csr
  const output_array& distances;
  const std::optional<output_array>& predecessors;
  const std::optional<input_array>& sources;
  const std::string& method;
  index_t block;
  call_options call;
};

// A result without its element type.
class paths_found {
 public:
  virtual ~paths_found() = default;
  virtual nb::tuple facts() const = 0;  // method, reason, arcs, seconds, operations, negative_cycle
  virtual nb::tuple path(std::int32_t s, std::int32_t t) const = 0;
  virtual nb::list paths(const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs,
                         const call_options& call) const = 0;
};

template <class S>
nb::tuple as_tuple(const path_result<value_of<S>>& path) {
  nb::list vertices;
  for (const std::int32_t v : path.vertices) vertices.append(v);
  return nb::make_tuple(vertices, path.cost);
}

template <class S>
class paths_over final : public paths_found {
 public:
  explicit paths_over(apsp_result<S> result) : result_(std::move(result)) {}

  nb::tuple facts() const override {
    nb::list cycle;
    for (const std::int32_t v : result_.negative_cycle) cycle.append(v);
    return nb::make_tuple(to_string(result_.method), result_.reason, result_.arcs, result_.seconds, result_.operations,
                          cycle);
  }
  nb::tuple path(std::int32_t s, std::int32_t t) const override { return as_tuple<S>(result_.path(s, t)); }
  nb::list paths(const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs,
                 const call_options& call) const override {
    const auto found = run(call, [&](const context& ctx, attention&) { return result_.paths(ctx, pairs); });
    nb::list all;
    for (const auto& one : found) all.append(as_tuple<S>(one));
    return all;
  }

 private:
  apsp_result<S> result_;
};
using paths_function = std::unique_ptr<paths_found> (*)(const paths_request&);

template <class S>
std::unique_ptr<paths_found> find_paths(const paths_request& r) {
  using T = value_of<S>;
  apsp_options options{.method = apsp_method_from(r.method), .predecessors = r.predecessors.has_value()};
  options.closure.block = r.block;
  if (r.sources) options.sources = span_of<std::int32_t>("sources", *r.sources);
  apsp_targets<T> targets{.distances = view_of<2, T>("distances", r.distances)};
  if (r.predecessors) targets.predecessors = view_of<2, std::int32_t>("predecessors", *r.predecessors);
  const auto start = [&](const auto& graph) {
    return run(r.call, [&](const context& ctx, attention&) {
      return std::make_unique<paths_over<S>>(kleene::shortest_paths(ctx, S{}, graph, options, targets));
    });
  };
  if (r.dense) return start(view_of<2, T>("graph", *r.dense));
  csr_view<T> graph;
  graph.offsets = span_of<index_t>("indptr", *r.offsets);
  graph.rows = graph.cols = static_cast<index_t>(graph.offsets.size()) - 1;
  graph.columns = span_of<std::int32_t>("indices", *r.columns);
  graph.values = span_of<T>("data", *r.values);
  return start(graph);
}

const std::vector<paths_function>& functions() {
  static const auto rows = function_rows<paths_function>([]<class S>(S) -> paths_function {
    if constexpr (closed_semiring<S> && is_selective<S>) return &find_paths<S>;
    else return nullptr;
  });
  return rows;
}

}  // namespace

void add_shortest_paths(nb::module_& m) {
  nb::class_<paths_found>(m, "PathsFound")
      .def("facts", &paths_found::facts)
      .def("path", &paths_found::path)
      .def("paths", [](const paths_found& self, const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs,
                       int threads) { return self.paths(pairs, {threads, nb::none()}); });
  m.def(
      "shortest_paths",
      [](int row, const std::optional<input_array>& dense, const std::optional<input_array>& offsets,
         const std::optional<input_array>& columns, const std::optional<input_array>& values,
         const output_array& distances, const std::optional<output_array>& predecessors,
         const std::optional<input_array>& sources, const std::string& method, index_t block, int threads,
         nb::object progress) {
        return function_of(functions(), row, "shortest_paths")({dense,
                                                                offsets,
                                                                columns,
                                                                values,
                                                                distances,
                                                                predecessors,
                                                                sources,
                                                                method,
                                                                block,
                                                                {threads, std::move(progress)}});
      },
      nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg().none(),
      nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace kleene::python
