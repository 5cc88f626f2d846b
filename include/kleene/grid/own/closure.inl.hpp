// Definition of closure on a grid. Include this for an algebra of your own.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/grid/closure.hpp"
#include "kleene/grid/detail/elimination.inl.hpp"
#include "kleene/grid/detail/predecessors.inl.hpp"
#include "kleene/grid/detail/saved_closure.inl.hpp"
#include "kleene/grid/detail/share_checks.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace kleene::detail {

struct grid_closure_definitions {};

// Sets the diagonal, and fills P with the tails of the arcs.
template <class S>
void prepare_share(distributed_matrix<value_of<S>>& a, distributed_matrix<std::int32_t>* p) {
  const auto values = a.local();
  const auto from = p ? p->local() : matrix_view<std::int32_t>();
  for (index_t i = 0; i < values.rows(); ++i) {
    const index_t row = a.global_row(i);
    if (p)
      for (index_t j = 0; j < values.cols(); ++j)
        from(i, j) = values(i, j) == S::zero() ? -1 : static_cast<std::int32_t>(row);
    if (a.col_axis().indxg2p(row) != a.at().col()) continue;
    const index_t j = a.col_axis().indxg2l(row);
    if (p) from(i, j) = -1;
    if constexpr (has_unit_star<S>) values(i, j) = normalise<S>(S::add(widen<S>(S::one()), widen<S>(values(i, j))));
  }
}

template <class S>
closure_info run_grid_closure(worker& w, distributed_matrix<value_of<S>>& a, distributed_matrix<std::int32_t>* p,
                              const grid_closure_options& options) {
  const auto start = std::chrono::steady_clock::now();
  closure_info info;
  std::optional<elimination<S>> run;
  w.together([&] {
    require_closable(a.layout(), p ? &p->layout() : nullptr);
    if (options.check_domain) check_share<S>(a, "A", nan_is::refused);
    run.emplace(w, a, p);
  });
  const double n = static_cast<double>(a.layout().n);
  info.block = a.layout().mb;
  info.operations = 2 * n * n * n;
  if (w.rank() == 0 && explain_enabled())
    explain("closure " + name_of<S>() + " " + to_string(a.layout()) + " on a grid of " + std::to_string(w.rows()) +
            " x " + std::to_string(w.cols()) + ", each " + w.context().describe() + (p ? ", with predecessors" : ""));
  saved_closure<S> saved(a, p, options.checkpoint);
  const index_t first = saved.resume();
  if (first == 0) prepare_share<S>(a, p);
  double done = 0;
  const auto report = [&](double pairs) {
    done = 2 * pairs;
    const progress_callback& progress = w.context().progress();
    if (w.rank() == 0 && progress && !progress(done, info.operations)) throw error(fault_code::usage, "interrupted");
  };
  info.diverging = run->run(first, {.report = report,
                                    .is_due = [&](index_t blocks) { return saved.is_due(blocks); },
                                    .save = [&](index_t blocks) { saved.save(blocks); }});
  info.exists = info.diverging < 0;
  if (!info.exists) info.operations = done;
  else if (w.comm().minimum(run->overflow() ? 0 : 1) == 0)
    w.together([] {
      throw value_error(name_of<S>() + ": a finite result is too large for the element type; use a wider one");
    });
  run.reset();
  if constexpr (is_selective<S> && has_unit_star<S>)
    if (info.exists && p) {
      std::optional<predecessor_repair<S>> repair;
      w.together([&] { repair.emplace(a, *p); });
      repair->run();
    }
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return info;
}

}  // namespace kleene::detail

// The catalog's closures are in the library, whose units define them (src/grid/closure.cpp).
#ifndef KLEENE_GRID_UNIT
namespace kleene::detail {
#define KLEENE_ROW(algebra, type)                               \
  extern template closure_info run_grid_closure<algebra<type>>( \
      worker&, distributed_matrix<type>&, distributed_matrix<std::int32_t>*, const grid_closure_options&);
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
}  // namespace kleene::detail
#endif
