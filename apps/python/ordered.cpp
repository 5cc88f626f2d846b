// Sorts, merges and set operations of keys, ascending or descending; orders of one's own are compiled from the same
// code.
#include "kleene/operations/own/plain/ordered.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "orders.hpp"

#include <nanobind/stl/optional.h>

namespace kleene::python {

namespace {

template <class T, bool Descends>
struct order_of_numbers {
  bool operator()(T a, T b) const { return stands_before(Descends, a, b); }
};

using optional_array = std::optional<input_array>;

struct ordered_arrays {
  const optional_array &a, &b, &a_positions, &b_positions, &offsets;
  const output_array &keys, &positions;
};

template <class T>
plain::ordered_request request_of(plain::ordered_operation operation, const ordered_arrays& given) {
  plain::ordered_request r{};
  r.operation = operation;
  const auto operand = [](const char* name, const optional_array& keys, const optional_array& positions,
                          const void*& to, const std::int64_t*& to_positions, std::int64_t& count) {
    if (!keys) return;
    const auto own = span_of<T>(name, *keys);
    to = own.data(), to_positions = span_of<std::int64_t>("positions", *positions).data();
    count = static_cast<std::int64_t>(own.size());
  };
  operand("a", given.a, given.a_positions, r.a, r.a_positions, r.a_count);
  operand("b", given.b, given.b_positions, r.b, r.b_positions, r.b_count);
  if (given.offsets) {
    const auto offsets = span_of<std::int64_t>("offsets", *given.offsets);
    r.offsets = offsets.data(), r.segments = static_cast<std::int64_t>(offsets.size()) - 1;
  }
  const auto keys = span_of<T>("keys", given.keys);
  r.keys = keys.data(), r.count = static_cast<std::int64_t>(keys.size());
  r.positions = span_of<std::int64_t>("positions", given.positions).data();
  return r;
}

template <class T>
index_t run_numbers(int operation, bool descends, const ordered_arrays& given, int threads) {
  const auto r = request_of<T>(static_cast<plain::ordered_operation>(operation), given);
  return run({threads, nb::none()}, [&](const context& ctx, attention&) {
    return descends ? plain::run_ordered<T>(ctx, r, order_of_numbers<T, true>())
                    : plain::run_ordered<T>(ctx, r, order_of_numbers<T, false>());
  });
}

}  // namespace

void add_ordered(nb::module_& m) {
  m.def(
      "ordered",
      [](int operation, bool descends, const optional_array& a, const optional_array& a_positions,
         const optional_array& b, const optional_array& b_positions, const optional_array& offsets,
         const output_array& keys, const output_array& positions, int threads) {
        const ordered_arrays given{a, b, a_positions, b_positions, offsets, keys, positions};
        return keys.dtype() == nb::dtype<double>() ? run_numbers<double>(operation, descends, given, threads)
                                                   : run_numbers<std::int64_t>(operation, descends, given, threads);
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
      nb::arg(), nb::arg(), nb::arg());
}

}  // namespace kleene::python
