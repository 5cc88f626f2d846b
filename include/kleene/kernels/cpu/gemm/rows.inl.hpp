// An epilogue's row results: a pass over C, once the product is done, in a fixed order whatever the number of threads.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/contract/row_results.hpp"

#include <algorithm>

namespace kleene::kernels::cpu {

// Rows whose elements are neighbours: each in `lanes` parts, which are vectors to the compiler.
template <class G>
void give_row(const G& g, index_t batch, index_t row) {
  using Fold = row_fold_of<G>;
  using Out = std::remove_pointer_t<decltype(G::c)>;
  constexpr int lanes = 16;
  typename Fold::total part[lanes];
  std::fill_n(part, lanes, Fold::start());
  const Out* c = g.c + batch * g.sc[0] + row * g.sc[1];
  index_t j = 0;
  for (; j + lanes <= g.n; j += lanes)
    for (int l = 0; l < lanes; ++l) Fold::take(part[l], static_cast<typename Fold::number>(c[(j + l) * g.sc[2]]));
  for (int l = 0; j < g.n; ++j, ++l) Fold::take(part[l], static_cast<typename Fold::number>(c[j * g.sc[2]]));
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) Fold::join(part[l], part[l + width]);
  g.epilogue.template give<Out>(batch * g.m + row, part[0]);
}

// Columns whose elements are neighbours: `count` rows at a time.
template <int Most, class G>
void give_rows_by_columns(const G& g, index_t batch, index_t row, int count) {
  using Fold = row_fold_of<G>;
  using Out = std::remove_pointer_t<decltype(G::c)>;
  typename Fold::total part[Most];
  std::fill_n(part, count, Fold::start());
  const Out* c = g.c + batch * g.sc[0] + row * g.sc[1];
  for (index_t j = 0; j < g.n; ++j)
    for (int i = 0; i < count; ++i)
      Fold::take(part[i], static_cast<typename Fold::number>(c[j * g.sc[2] + i * g.sc[1]]));
  for (int i = 0; i < count; ++i) g.epilogue.template give<Out>(batch * g.m + row + i, part[i]);
}

template <class G>
void give_rows(const G& g, int threads) noexcept {
  constexpr int rows = 64;  // that a thread takes at a time: a few lines of the cache of every column
  const index_t blocks = ceil_div(g.m, rows);
  const bool by_columns = g.sc[1] == 1 && g.sc[2] != 1;
  run_team(threads, [&](const team_member& member) {
    for (index_t block = member.thread; block < blocks * g.batch; block += member.threads) {
      const index_t batch = block / blocks, first = block % blocks * rows, last = std::min<index_t>(first + rows, g.m);
      if (by_columns) give_rows_by_columns<rows>(g, batch, first, static_cast<int>(last - first));
      else
        for (index_t i = first; i < last; ++i) give_row(g, batch, i);
    }
  });
}

}  // namespace kleene::kernels::cpu
