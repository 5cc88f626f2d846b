// What must hold of entries that a reader returns.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/data/sparse.hpp"

#include "fuzz/finding.hpp"

#include <cmath>
#include <type_traits>

namespace kleene::fuzz {

template <class T>
void check_values(const T* values, index_t count, bool finite) {
  if constexpr (std::is_floating_point_v<T>)
    for (index_t e = 0; e < count; ++e) {
      require(values[e] == values[e], "a value is NaN");
      require(!finite || std::isfinite(values[e]), "a value is infinite");
    }
}
template <class T>
void check_entries(const coo<T>& list, bool finite) {
  require(list.row.size() == list.value.size() && list.col.size() == list.value.size(), "a ragged list");
  for (index_t e = 0; e < list.entries(); ++e)
    require(list.row[e] >= 0 && list.row[e] < list.rows && list.col[e] >= 0 && list.col[e] < list.cols,
            "an entry outside the matrix");
  check_values(list.value.data(), list.entries(), finite);
}
template <class T>
void check_entries(const matrix<T>& m, bool finite) {
  check_values(m.data(), m.size(), finite);
}

template <class T>
bool same_entries(const coo<T>& a, const coo<T>& b) {
  return a.rows == b.rows && a.cols == b.cols && a.row == b.row && a.col == b.col && a.value == b.value;
}
template <class T>
bool same_entries(const matrix<T>& a, const matrix<T>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && std::equal(a.data(), a.data() + a.size(), b.data());
}

}  // namespace kleene::fuzz
