// Graphs written out arc by arc.
#pragma once

#include "kleene/data/sparse.hpp"

#include <cstdint>
#include <initializer_list>

namespace kleene::test {

template <class T>
struct arc {
  std::int32_t from, to;
  T weight;
};

// Of arcs that are there twice the shorter one stays.
template <class T>
csr<T> graph(index_t n, std::initializer_list<arc<T>> arcs) {
  coo<T> list{n, n, {}, {}, {}};
  for (const auto& a : arcs) list.add(a.from, a.to, a.weight);
  return make_csr(list, [](T a, T b) { return b < a ? b : a; });
}

}  // namespace kleene::test
