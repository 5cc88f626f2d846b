// Definition of closure on a grid. Include this for an algebra of your own.
#pragma once

#include "kleene/grid/closure.hpp"
#include "kleene/grid/detail/elimination.inl.hpp"
#include "kleene/grid/detail/predecessors.inl.hpp"
#include "kleene/grid/detail/saved_closure.inl.hpp"
#include "kleene/grid/detail/share_checks.hpp"
#include "kleene/operations/own/closure.inl.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace kleene::detail {

struct grid_closure_definitions {};

// Sets the diagonal, and fills P with the tails of the arcs.
template <class T>
void prepare_share(distributed_matrix<T>& a, distributed_matrix<std::int32_t>* p, const closure_algebra<T>& algebra) {
  const auto values = a.local();
  const auto from = p ? p->local() : matrix_view<std::int32_t>();
  const T zero = algebra.zero();
  for (index_t i = 0; i < values.rows(); ++i) {
    const index_t row = a.global_row(i);
    if (p)
      for (index_t j = 0; j < values.cols(); ++j)
        from(i, j) = values(i, j) == zero ? -1 : static_cast<std::int32_t>(row);
    if (a.col_axis().indxg2p(row) != a.at().col()) continue;
    const index_t j = a.col_axis().indxg2l(row);
    if (p) from(i, j) = -1;
    values(i, j) = algebra.on_diagonal(values(i, j));
  }
}

template <class T>
closure_info close_on_grid(worker& w, distributed_matrix<T>& a, distributed_matrix<std::int32_t>* p,
                           const grid_closure_options& options, const closure_algebra<T>& algebra) {
  const auto start = std::chrono::steady_clock::now();
  closure_info info;
  std::optional<elimination<T>> run;
  w.together([&] {
    require_closable(a.layout(), p ? &p->layout() : nullptr);
    if (options.check_domain)
      check_share(a, "A", algebra.name(),
                  [&](const T* row, index_t count) { return algebra.first_refused(row, count); });
    run.emplace(w, a, p, algebra);
  });
  const double n = static_cast<double>(a.layout().n);
  info.block = a.layout().mb;
  const double all = 2 * n * n * n;
  if (w.rank() == 0 && explain_enabled())
    explain("closure " + algebra.name() + " " + to_string(a.layout()) + " on a grid of " + std::to_string(w.rows()) +
            " x " + std::to_string(w.cols()) + ", each " + w.context().describe() + (p ? ", with predecessors" : ""));
  std::optional<saved_closure<distributed_matrix<T>>> saved;
  saved.emplace(a, p, algebra.name(), options.checkpoint);
  const index_t first = saved->resume();
  if (first == 0) prepare_share(a, p, algebra);
  double done = 0;
  const auto report = [&](double pairs) {
    done = 2 * pairs;
    const progress_callback& progress = w.context().progress();
    if (w.rank() == 0 && progress && !progress(done, all)) throw error(fault_code::usage, "interrupted");
  };
  const double before = 2 * n * n * std::min(n, double(first) * double(a.layout().mb));
  if (first > 0) report(before / 2);
  info.diverging = run->run(first, {.report = report,
                                    .is_due = [&](index_t blocks) { return saved->is_due(blocks); },
                                    .save = [&](index_t blocks) { saved->save(blocks); }});
  saved.reset();
  info.exists = info.diverging < 0;
  info.operations = (info.exists ? all : done) - before;
  if (info.exists && w.comm().minimum(run->overflow() ? 0 : 1) == 0)
    w.together([&] {
      throw value_error(algebra.name() + ": a finite result is too large for the element type; use a wider one");
    });
  run.reset();
  if (info.exists && p) {
    std::optional<predecessor_repair<T>> repair;
    w.together([&] { repair.emplace(a, *p, algebra); });
    info.diverging = repair->run();
    info.exists = info.diverging < 0;
  }
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return info;
}

}  // namespace kleene::detail

// Those of the catalog's element types are in the library (src/grid/closure.cpp).
#ifndef KLEENE_GRID_UNIT
namespace kleene::detail {
#define KLEENE_ELEMENT(T)                                                                                        \
  extern template closure_info close_on_grid(worker&, distributed_matrix<T>&, distributed_matrix<std::int32_t>*, \
                                             const grid_closure_options&, const closure_algebra<T>&);
#include "kleene/grid/detail/elements.def"
#undef KLEENE_ELEMENT
}  // namespace kleene::detail
#endif
