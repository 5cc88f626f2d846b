// Scans and segmented sums over the + of a row of the catalog, and joins of sorted keys: streaming/ on vectors.
#include "arrays.hpp"
#include "call.hpp"
#include "device_sequences.hpp"
#include "kleene/streaming/join.hpp"
#include "kleene/streaming/scan.hpp"
#include "kleene/streaming/segments.hpp"
#include "module.hpp"
#include "rows.hpp"
#include "sums.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace kleene::python {

namespace {

struct sequence_request {
  const input_array& values;
  const std::optional<input_array>& offsets;  // null: one segment
  const output_array& out;
  bool exclusive;
  int threads;
};
using sequence_function = void (*)(const sequence_request&);

template <class S>
void scan(const sequence_request& r) {
  using T = value_of<S>;
  const auto values = span_of<T>("values", r.values);
  const auto out = span_of<T>("out", r.out);
  const T* const last = values.data() + values.size();
  run({r.threads, nb::none()}, [&](const context& ctx, attention&) {
    if (r.offsets) {
      const auto offsets = span_of<std::int64_t>("offsets", *r.offsets);
      const auto segments = static_cast<index_t>(offsets.size()) - 1;
      if (r.exclusive)
        segmented_exclusive_scan(ctx, values.data(), last, offsets.data(), segments, out.data(), T(S::zero()),
                                 sum_of<S>());
      else segmented_inclusive_scan(ctx, values.data(), last, offsets.data(), segments, out.data(), sum_of<S>());
    } else if (r.exclusive) {
      exclusive_scan(ctx, values.data(), last, out.data(), T(S::zero()), sum_of<S>());
    } else {
      inclusive_scan(ctx, values.data(), last, out.data(), sum_of<S>());
    }
  });
}

template <class S>
void reduce_segments(const sequence_request& r) {
  using T = value_of<S>;
  const auto values = span_of<T>("values", r.values);
  const auto offsets = span_of<std::int64_t>("offsets", *r.offsets);
  const auto out = span_of<T>("out", r.out);
  run({r.threads, nb::none()}, [&](const context& ctx, attention&) {
    segmented_reduce(ctx, values.data(), values.data() + values.size(), offsets.data(),
                     static_cast<index_t>(offsets.size()) - 1, out.data(), T(S::zero()), sum_of<S>());
  });
}

const std::vector<sequence_function>& scans() {
  static const auto rows = function_rows<sequence_function>([]<class S>(S) -> sequence_function { return &scan<S>; });
  return rows;
}
const std::vector<sequence_function>& reductions() {
  static const auto rows =
      function_rows<sequence_function>([]<class S>(S) -> sequence_function { return &reduce_segments<S>; });
  return rows;
}

// A vector of positions that owns its memory, as an array of NumPy's.
nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> array_of(std::vector<std::int64_t>&& positions) {
  auto* const kept = new std::vector<std::int64_t>(std::move(positions));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
  return {kept->data(), {kept->size()}, owner};
}

// error(memory) where the machine has no room for the positions of so many rows: a few equal keys make very many.
void require_room(index_t rows) {
  using kleene::detail::bytes_text;
  if (rows <= index_t{1} << 24) return;
  const double bytes = 2.0 * sizeof(std::int64_t) * static_cast<double>(rows);
  if (const double left = static_cast<double>(available_memory()); bytes > left)
    throw error(fault_code::memory, "join: " + std::to_string(rows) + " rows take " + bytes_text(bytes) + "; " +
                                        bytes_text(left) + " are left");
}

template <class T>
nb::tuple join_keys(const input_array& a, const input_array& b, join_kind kind, int threads) {
  const auto left_keys = span_of<T>("a", a), right_keys = span_of<T>("b", b);
  const T *const p = left_keys.data(), *const q = right_keys.data();
  std::vector<std::int64_t> left, right;
  run({threads, nb::none()}, [&](const context& ctx, attention&) {
    auto plan = plan_join(ctx, kind, p, p + left_keys.size(), q, q + right_keys.size());
    require_room(plan.rows());
    left.resize(static_cast<std::size_t>(plan.rows())), right.resize(left.size());
    plan.fill(left.data(), right.data());
  });
  return nb::make_tuple(array_of(std::move(left)), array_of(std::move(right)));
}

}  // namespace

join_kind join_kind_of(const std::string& name) {
  if (name == "inner") return join_kind::inner;
  if (name == "left") return join_kind::left;
  if (name == "right") return join_kind::right;
  if (name == "outer") return join_kind::full;
  throw argument_error("there is no join '" + name + "'; there are inner, left, right, outer");
}

void add_sequences(nb::module_& m) {
  m.def(
      "scan",
      [](int row, const input_array& values, const std::optional<input_array>& offsets, const output_array& out,
         bool exclusive,
         int threads) { function_of(scans(), row, "scan")({values, offsets, out, exclusive, threads}); },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  m.def("segmented_reduce", [](int row, const input_array& values, const std::optional<input_array>& offsets,
                               const output_array& out, int threads) {
    function_of(reductions(), row, "segmented_reduce")({values, offsets, out, false, threads});
  });
  m.def("join", [](const input_array& a, const input_array& b, const std::string& how, int threads) {
    const join_kind kind = join_kind_of(how);
    if (a.dtype() == nb::dtype<std::int64_t>()) return join_keys<std::int64_t>(a, b, kind, threads);
    if (a.dtype() == nb::dtype<double>()) return join_keys<double>(a, b, kind, threads);
    refuse_array("a", type_words(a.dtype()), "int64 or float64");
  });
}

}  // namespace kleene::python
