// Set operations on sorted sequences with the multiset meaning of the standard library: m copies of a key in a and n in
// b.
//
// a, b: sorted by less. Outputs are sorted, overlap no input, and need room for what each function says at most;
// nothing is written beyond the result. Forms: the plain one returns where the output ends, _by_key moves values along
// (one for each key of a and of b), _count only counts (these three know a count when they return: they wait on a CUDA
// context), and _to leaves the count in *count and never waits.
// Work: two passes over the inputs, evenly divided by the balanced path (base/partition.hpp). error(device): a CUDA
// context without cuda/sets.cuh.
// Functors may throw and need be no orders on CPU contexts: docs/streaming.md ("Functors") says what outputs then hold.
#pragma once

#include "kleene/streaming/base/machines.hpp"
#include "kleene/streaming/base/set_kind.hpp"
#include "kleene/streaming/cpu/sets.hpp"

#include <utility>

namespace kleene {

// The first min(m, n) of the m items of a that are equivalent to n items of b. At most the smaller of both counts.
template <class Grain = tuned, class A, class B, class Out, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
Out set_intersection(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  return out + detail::dispatch<On>(ctx, "set_intersection", [&](auto on) {
           return on.template write<set_kind::intersection>(ctx, a, a_last, b, b_last, out, less);
         });
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
void set_intersection_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, Less less = {}) {
  return detail::dispatch<On>(ctx, "set_intersection_to", [&](auto on) {
    return on.template write_to<set_kind::intersection>(ctx, a, a_last, b, b_last, out, count, less);
  });
}

template <class Grain = tuned, class A, class B, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
index_t set_intersection_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  return detail::dispatch<On>(ctx, "set_intersection_count", [&](auto on) {
    return on.template count<set_kind::intersection>(ctx, a, a_last, b, b_last, less);
  });
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
std::pair<KeysOut, ValuesOut> set_intersection_by_key(const context& ctx, A a, A a_last, AValues a_values, B b,
                                                      B b_last, BValues b_values, KeysOut keys_out,
                                                      ValuesOut values_out, Less less = {}) {
  const index_t count = detail::dispatch<On>(ctx, "set_intersection_by_key", [&](auto on) {
    return on.template write_by_key<set_kind::intersection>(ctx, a, a_last, a_values, b, b_last, b_values, keys_out,
                                                            values_out, less);
  });
  return {keys_out + count, values_out + count};
}

// All m items of a and the last n - m of the n items of b that are equivalent to them. At most the sum of both counts.
template <class Grain = tuned, class A, class B, class Out, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
Out set_union(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  return out + detail::dispatch<On>(ctx, "set_union", [&](auto on) {
           return on.template write<set_kind::union_>(ctx, a, a_last, b, b_last, out, less);
         });
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
void set_union_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, Less less = {}) {
  return detail::dispatch<On>(ctx, "set_union_to", [&](auto on) {
    return on.template write_to<set_kind::union_>(ctx, a, a_last, b, b_last, out, count, less);
  });
}

template <class Grain = tuned, class A, class B, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
index_t set_union_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  return detail::dispatch<On>(ctx, "set_union_count", [&](auto on) {
    return on.template count<set_kind::union_>(ctx, a, a_last, b, b_last, less);
  });
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
std::pair<KeysOut, ValuesOut> set_union_by_key(const context& ctx, A a, A a_last, AValues a_values, B b, B b_last,
                                               BValues b_values, KeysOut keys_out, ValuesOut values_out,
                                               Less less = {}) {
  const index_t count = detail::dispatch<On>(ctx, "set_union_by_key", [&](auto on) {
    return on.template write_by_key<set_kind::union_>(ctx, a, a_last, a_values, b, b_last, b_values, keys_out,
                                                      values_out, less);
  });
  return {keys_out + count, values_out + count};
}

// The last m - n of the m items of a that are equivalent to n items of b. At most as many as a has.
template <class Grain = tuned, class A, class B, class Out, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
Out set_difference(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  return out + detail::dispatch<On>(ctx, "set_difference", [&](auto on) {
           return on.template write<set_kind::difference>(ctx, a, a_last, b, b_last, out, less);
         });
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
void set_difference_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, Less less = {}) {
  return detail::dispatch<On>(ctx, "set_difference_to", [&](auto on) {
    return on.template write_to<set_kind::difference>(ctx, a, a_last, b, b_last, out, count, less);
  });
}

template <class Grain = tuned, class A, class B, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
index_t set_difference_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  return detail::dispatch<On>(ctx, "set_difference_count", [&](auto on) {
    return on.template count<set_kind::difference>(ctx, a, a_last, b, b_last, less);
  });
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
std::pair<KeysOut, ValuesOut> set_difference_by_key(const context& ctx, A a, A a_last, AValues a_values, B b, B b_last,
                                                    BValues b_values, KeysOut keys_out, ValuesOut values_out,
                                                    Less less = {}) {
  const index_t count = detail::dispatch<On>(ctx, "set_difference_by_key", [&](auto on) {
    return on.template write_by_key<set_kind::difference>(ctx, a, a_last, a_values, b, b_last, b_values, keys_out,
                                                          values_out, less);
  });
  return {keys_out + count, values_out + count};
}

// The last m - n items of a, or the last n - m of b, of m and n that are equivalent. At most the sum of both counts.
template <class Grain = tuned, class A, class B, class Out, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
Out set_symmetric_difference(const context& ctx, A a, A a_last, B b, B b_last, Out out, Less less = {}) {
  return out + detail::dispatch<On>(ctx, "set_symmetric_difference", [&](auto on) {
           return on.template write<set_kind::symmetric_difference>(ctx, a, a_last, b, b_last, out, less);
         });
}

template <class Grain = tuned, class A, class B, class Out, class Count, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
void set_symmetric_difference_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count,
                                 Less less = {}) {
  return detail::dispatch<On>(ctx, "set_symmetric_difference_to", [&](auto on) {
    return on.template write_to<set_kind::symmetric_difference>(ctx, a, a_last, b, b_last, out, count, less);
  });
}

template <class Grain = tuned, class A, class B, class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
index_t set_symmetric_difference_count(const context& ctx, A a, A a_last, B b, B b_last, Less less = {}) {
  return detail::dispatch<On>(ctx, "set_symmetric_difference_count", [&](auto on) {
    return on.template count<set_kind::symmetric_difference>(ctx, a, a_last, b, b_last, less);
  });
}

template <class Grain = tuned, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut,
          class Less = ops::less,
          class On = decltype(machines_of(detail::family<detail::cpu::set_operations, Grain>()))>
std::pair<KeysOut, ValuesOut> set_symmetric_difference_by_key(const context& ctx, A a, A a_last, AValues a_values, B b,
                                                              B b_last, BValues b_values, KeysOut keys_out,
                                                              ValuesOut values_out, Less less = {}) {
  const index_t count = detail::dispatch<On>(ctx, "set_symmetric_difference_by_key", [&](auto on) {
    return on.template write_by_key<set_kind::symmetric_difference>(ctx, a, a_last, a_values, b, b_last, b_values,
                                                                    keys_out, values_out, less);
  });
  return {keys_out + count, values_out + count};
}

}  // namespace kleene
