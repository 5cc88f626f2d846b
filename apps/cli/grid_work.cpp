#include "grid_work.hpp"

#include "kleene/grid/device_gemm.hpp"
#include "kleene/grid/shortest_paths.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kleene::cli {

namespace {

index_t grid_block(index_t extent, const grid& g) {
  return detail::even_block(extent, g.rows(), g.cols(), detail::largest_device_block);
}

template <class T>
distributed_device_matrix<T> share_of(worker& w, const matrix<T>& whole, index_t block, index_t other) {
  distributed_device_matrix<T> share(w, {whole.rows(), whole.cols(), block, other});
  detail::write_rows(share, [&](index_t row, T* to) {
    share.col_axis().for_each_run(w.col(), [&](index_t local, index_t global, index_t count) {
      std::copy_n(&whole(row, global), count, to + local);
    });
  });
  return share;
}

// Writes each worker's share to its places: they are all different.
template <class T>
void take_share(const distributed_device_matrix<T>& from, matrix<T>& whole) {
  detail::read_rows(from, [&](index_t row, const T* elements) {
    from.col_axis().for_each_run(from.at().col(), [&](index_t local, index_t global, index_t count) {
      std::copy_n(elements + local, count, &whole(row, global));
    });
  });
}

void follow(worker& w, const context& ctx) {
  if (w.rank() == 0) w.context().on_progress(ctx.progress());
}

}  // namespace

template <class S>
closure_info close_on_grid(const context& ctx, const std::vector<int>& devices, matrix<value_of<S>>& a,
                           matrix<std::int32_t>& p) {
  const grid g = grid::cuda(devices);
  const index_t block = grid_block(a.rows(), g);
  closure_info info;
  g.run([&](worker& w) {
    follow(w, ctx);
    auto there = share_of(w, a, block, block);
    closure_info found;
    if constexpr (is_selective<S> && has_unit_star<S>) {
      if (p.size() > 0) {
        distributed_device_matrix<std::int32_t> before(w, there.layout());
        found = closure(w, S{}, there, before);
        if (found.exists) take_share(before, p);
      } else {
        found = closure(w, S{}, there);
      }
    } else {
      found = closure(w, S{}, there);
    }
    if (found.exists) take_share(there, a);
    if (w.rank() == 0) info = found;
  });
  return info;
}

template <class S>
apsp_result<S> paths_on_grid(grid_paths_call& call, const csr<value_of<S>>& graph, const apsp_options& options,
                             const apsp_targets<value_of<S>>& targets) {
  apsp_result<S> result;
  call.workers.run([&](worker& w) {
    auto rows = run_timed(w, [&](worker& me, const std::function<double()>& communication) {
      const auto start = std::chrono::steady_clock::now();
      if (me.rank() == 0 && call.ctx.progress())
        me.context().on_progress([&, start](double done, double total) {
          const double so_far = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
          call.communicated(so_far > 0 ? communication() / so_far : 0);
          return call.ctx.progress()(done, total);
        });
      auto found = shortest_paths(me, S{}, graph, options, targets, call.save);
      if (me.rank() == 0) result = std::move(found);
    });
    if (w.rank() == 0) call.rows = std::move(rows);
  });
  return result;
}

template <class S>
double multiply_on_grid(const std::vector<int>& devices, const matrix<value_of<S>>& a, const matrix<value_of<S>>& b,
                        matrix<value_of<S>>& c) {
  const grid g = grid::cuda(devices);
  const index_t rows = grid_block(a.rows(), g), inner = grid_block(a.cols(), g), cols = grid_block(b.cols(), g);
  double seconds = 0;
  g.run([&](worker& w) {
    const auto left = share_of(w, a, rows, inner), right = share_of(w, b, inner, cols);
    distributed_device_matrix<value_of<S>> sum(w, {a.rows(), b.cols(), rows, cols});
    w.comm().barrier();
    const auto start = std::chrono::steady_clock::now();
    gemm(w, S{}, left, right, sum);
    if (w.rank() == 0) seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    take_share(sum, c);
  });
  return seconds;
}

// What is compiled here for the others: in an anonymous namespace the compiler would leave it out.
template <class S>
struct grid_product {
  static constexpr auto multiply = &multiply_on_grid<S>;
};
template <class S>
struct grid_closure {};
template <closed_semiring S>
struct grid_closure<S> {
  static constexpr auto close = &close_on_grid<S>;
};
template <class S>
struct grid_paths {};
template <closed_semiring S>
requires is_selective<S>
struct grid_paths<S> {
  static constexpr auto find = &paths_on_grid<S>;
};

#define KLEENE_ROW(algebra, type)              \
  template struct grid_product<algebra<type>>; \
  template struct grid_closure<algebra<type>>; \
  template struct grid_paths<algebra<type>>;
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

}  // namespace kleene::cli
