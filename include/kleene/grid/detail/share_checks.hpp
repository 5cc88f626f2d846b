// Checks of the values in a worker's share of a distributed matrix, with their places in the whole.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/detail/to_text.hpp"
#include "kleene/grid/distributed_matrix.hpp"

#include <algorithm>
#include <string>

namespace kleene::detail {

// value_error for the first value that is refused: "A(3, 4) is NaN". first_refused(row, count): the place in a row of
// the first one, or -1.
template <class T, class First>
void check_share(const distributed_matrix<T>& a, const std::string& name, const std::string& algebra,
                 const First& first_refused) {
  const auto local = a.local();
  for (index_t i = 0; i < local.rows() && local.cols() > 0; ++i) {
    const index_t j = first_refused(&local(i, 0), local.cols());
    if (j < 0) continue;
    const T& value = local(i, j);
    const std::string place =
        name + "(" + std::to_string(a.global_row(i)) + ", " + std::to_string(a.global_col(j)) + ")";
    if (!(value == value)) throw value_error(place + " is NaN");
    throw value_error(place + " = " + to_text(value) + " is outside the domain of " + algebra);
  }
}

// NaN is welcome.
template <class S>
void check_domain_of_share(const distributed_matrix<value_of<S>>& a, const std::string& name) {
  if constexpr (has_domain<S>)
    check_share(a, name, name_of<S>(), [](const value_of<S>* row, index_t count) -> index_t {
      const value_of<S>* const end = row + count;
      const value_of<S>* const found = std::find_if_not(row, end, [](const auto& v) { return S::in_domain(v); });
      return found == end ? -1 : found - row;
    });
}

}  // namespace kleene::detail
