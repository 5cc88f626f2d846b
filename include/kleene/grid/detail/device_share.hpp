// What operations on a grid of devices ask of kernels of their own, which look at one worker's share.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/detail/to_text.hpp"
#include "kleene/grid/distributed_device_matrix.hpp"

#include <string>

namespace kleene::detail {

// The place, i cols + j, of the first element that is outside the domain (or NaN, where these are refused), or -1.
// Waits for the context's stream.
template <class T>
using refused_finder = index_t (*)(const context&, const view<const T, 2, memory::device>&, bool refuses_nan);
// Over a row of the catalog; null in a library without CUDA.
template <class S>
refused_finder<value_of<S>> find_refused_on_device() {
  static_assert(is_in_catalog<S>, "grids of devices are for the algebras of the catalog");
  return nullptr;
}
#define KLEENE_ROW(algebra, type) \
  template <>                     \
  refused_finder<type> find_refused_on_device<algebra<type>>();
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

// Where a share's rows and columns are in the whole.
struct share_place {
  cyclic_axis rows, cols;
  int row = 0, col = 0;  // the worker's
};
// The sum of hash_of() of checkpoint.hpp over a share. Waits for the context's stream.
template <class T>
using share_hasher = std::uint64_t (*)(const context&, const view<const T, 2, memory::device>&, const share_place&);
// Of an element of the catalog; null in a library without CUDA.
template <class T>
share_hasher<T> hash_share_on_device() = delete;
#define KLEENE_ELEMENT(type) \
  template <>                \
  share_hasher<type> hash_share_on_device<type>();
#include "kleene/grid/detail/elements.def"
#undef KLEENE_ELEMENT

// value_error for the first value of a share that is refused, with its place in the whole: "A(3, 4) is NaN".
template <class S>
void check_device_share(const distributed_device_matrix<value_of<S>>& a, const std::string& name, bool refuses_nan) {
  using T = value_of<S>;
  if constexpr (!has_domain<S> && !std::is_floating_point_v<T>) return;
  if (!has_domain<S> && !refuses_nan) return;
  const auto local = a.local();
  const context& ctx = a.at().context();
  if (local.empty()) return;
  const index_t found = find_refused_on_device<S>()(ctx, local, refuses_nan);
  if (found < 0) return;
  const index_t i = found / local.cols(), j = found % local.cols();
  matrix<T> value(1, 1);
  copy(ctx, local.block(i, j, 1, 1), value);
  ctx.synchronise();
  const std::string place = name + "(" + std::to_string(a.global_row(i)) + ", " + std::to_string(a.global_col(j)) + ")";
  if (!(value(0, 0) == value(0, 0))) throw value_error(place + " is NaN");
  throw value_error(place + " = " + to_text(value(0, 0)) + " is outside the domain of " + name_of<S>());
}

}  // namespace kleene::detail
