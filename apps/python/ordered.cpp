// Sorts, merges and set operations of keys, ascending or descending; orders of one's own are compiled from the same
// code. Whole vectors of numbers that take positions along are sorted by radix.
#include "kleene/operations/own/plain/ordered.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "orders.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

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

// The keys that are numbers in front, the others behind, each in their order; how many are numbers.
template <class T>
index_t part_numbers(T* keys, std::int64_t* positions, index_t count) {
  index_t numbers = 0;
  std::vector<std::pair<T, std::int64_t>> others;
  for (index_t i = 0; i < count; ++i)
    if (std::isnan(keys[i])) others.emplace_back(keys[i], positions[i]);
    else keys[numbers] = keys[i], positions[numbers++] = positions[i];
  for (index_t i = numbers; const auto& [key, position] : others) keys[i] = key, positions[i++] = position;
  return numbers;
}

// A radix sort ascends: keys that are to descend are negated (integers: complemented) before it, and again after it.
template <class T>
void turn(const context& ctx, T* keys, index_t count) {
  detail::for_each_range(ctx, count, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i)
      if constexpr (std::is_integral_v<T>) keys[i] = ~keys[i];
      else keys[i] = -keys[i];
  });
}

template <class P>
void count_up(const context& ctx, P* positions, index_t count) {
  detail::for_each_range(ctx, count, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) positions[i] = static_cast<P>(i);
  });
}

// Half of the positions' bytes go along with the keys while they are sorted, where these are enough.
template <class T>
void sort_numbers(const context& ctx, bool descends, T* keys, std::int64_t* positions, index_t count) {
  index_t numbers = count;
  if constexpr (std::is_floating_point_v<T>)
    if (std::any_of(keys, keys + count, [](T key) { return std::isnan(key); })) {
      count_up(ctx, positions, count);
      numbers = part_numbers(keys, positions, count);
    }
  if (descends) turn(ctx, keys, numbers);
  if (numbers < count || count > std::numeric_limits<std::uint32_t>::max()) {
    if (numbers == count) count_up(ctx, positions, count);
    radix_sort_by_key(ctx, keys, keys + numbers, positions);
  } else {
    const detail::scratch<std::uint32_t> narrow(ctx, count);
    count_up(ctx, narrow.data(), count);
    radix_sort_by_key(ctx, keys, keys + count, narrow.data());
    detail::for_each_range(ctx, count, [&](index_t begin, index_t end) {
      std::copy(narrow.data() + begin, narrow.data() + end, positions + begin);
    });
  }
  if (descends) turn(ctx, keys, numbers);
}

template <class T>
void sort_array(bool descends, const output_array& keys, const output_array& positions, int threads) {
  const auto own = span_of<T>("keys", keys);
  std::int64_t* const to = span_of<std::int64_t>("positions", positions).data();
  run({threads, nb::none()}, [&](const context& ctx, attention&) {
    detail::with_memory("sorting", double(own.size()) * (sizeof(T) + sizeof(std::int64_t)),
                        [&] { sort_numbers<T>(ctx, descends, own.data(), to, static_cast<index_t>(own.size())); });
    return 0;
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
  m.def(
      "sort_with_positions",
      [](bool descends, const output_array& keys, const output_array& positions, int threads) {
        const auto type = keys.dtype();
        const auto sort = type == nb::dtype<float>()          ? &sort_array<float>
                          : type == nb::dtype<double>()       ? &sort_array<double>
                          : type == nb::dtype<std::int32_t>() ? &sort_array<std::int32_t>
                                                              : &sort_array<std::int64_t>;
        sort(descends, keys, positions, threads);
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace kleene::python
