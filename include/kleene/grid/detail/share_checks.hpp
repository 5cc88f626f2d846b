// Checks of the values in a worker's share of a distributed matrix, with their places in the whole.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/detail/to_text.hpp"
#include "kleene/grid/distributed_matrix.hpp"

#include <string>

namespace kleene::detail {

enum class nan_is : bool { welcome, refused };

// value_error for the first value outside the algebra's domain, or NaN where it is refused: "A(3, 4) is NaN".
template <class S>
void check_share(const distributed_matrix<value_of<S>>& a, const std::string& name, nan_is nan) {
  const auto local = a.local();
  const auto is_welcome = [nan](const value_of<S>& value) {
    bool inside = true;
    if constexpr (has_domain<S>) inside = S::in_domain(value);
    return inside & (nan == nan_is::welcome || value == value);
  };
  if (!has_domain<S> && nan == nan_is::welcome) return;
  for (index_t i = 0; i < local.rows(); ++i) {
    bool good = true;
    for (index_t j = 0; j < local.cols(); ++j) good &= is_welcome(local(i, j));
    for (index_t j = 0; !good && j < local.cols(); ++j) {
      const value_of<S>& value = local(i, j);
      if (is_welcome(value)) continue;
      const std::string place =
          name + "(" + std::to_string(a.global_row(i)) + ", " + std::to_string(a.global_col(j)) + ")";
      if (!(value == value)) throw value_error(place + " is NaN");
      throw value_error(place + " = " + to_text(value) + " is outside the domain of " + name_of<S>());
    }
  }
}

}  // namespace kleene::detail
