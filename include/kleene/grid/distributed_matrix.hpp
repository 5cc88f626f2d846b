// A matrix that is spread over a grid: each worker has the blocks that the distribution gives it (distribution.hpp), as
// one dense matrix in the order of their rows and columns.
//
//   distributed_matrix<float> a(w, {.m = n, .n = n, .mb = 384, .nb = 384});
//   a.fill([](index_t i, index_t j) { return i == j ? 0 : 1; });
//   a.scatter(host);                             // worker 0's matrix; the others' argument is not looked at
//   matrix<float> whole = a.gather();            // at worker 0; elsewhere empty
//   a.local()(i, j)                              // is element (a.global_row(i), a.global_col(j))
//
// Contract
//   collective   the constructor, scatter and gather, as grid.hpp says; not fill, local and what asks for indices
//   memory       NUMROC(M) x NUMROC(N) elements a worker; scatter and gather take blocks of MB rows at a time besides.
//                error(memory) of all workers where one of them has no room.
//   errors       argument_error: blocks of no rows, a first block that is nowhere. shape_error: negative extents, a
//                matrix of other extents than these.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/grid/distribution.hpp"
#include "kleene/grid/grid.hpp"

#include <algorithm>

namespace kleene {

namespace detail {
// What is wrong with a distribution on that grid, thrown.
void require_distribution(const worker& w, const distribution& d);
[[noreturn]] void refuse_host_matrix(index_t rows, index_t cols, const distribution& d);
// A root that the grid has, or argument_error.
void require_root(const worker& w, int root);
}  // namespace detail

template <class T>
class distributed_matrix {
 public:
  using value_type = T;

  distributed_matrix(worker& w, const distribution& d) : worker_(&w), layout_(d) {
    w.together([&] {
      detail::require_distribution(w, d);
      local_ = matrix<T>(row_axis().numroc(w.row()), col_axis().numroc(w.col()));
    });
  }

  const distribution& layout() const { return layout_; }
  worker& at() const { return *worker_; }
  cyclic_axis row_axis() const { return {layout_.m, layout_.mb, layout_.rsrc, worker_->rows()}; }
  cyclic_axis col_axis() const { return {layout_.n, layout_.nb, layout_.csrc, worker_->cols()}; }

  matrix_view<T> local() { return local_.view(); }
  matrix_view<const T> local() const { return local_.view(); }
  index_t global_row(index_t local) const { return row_axis().indxl2g(local, worker_->row()); }
  index_t global_col(index_t local) const { return col_axis().indxl2g(local, worker_->col()); }

  // Each element becomes value_at(row, column), with global indices: called by the threads of all workers at once.
  template <class F>
  void fill(const F& value_at) {
    const index_t rows = local_.rows(), cols = local_.cols();
    task_queue tasks;
    run_tasks(threads_for(double(rows) * double(cols), elements_per_thread, worker_->context().threads()),
              [&](const team_member&) {
                for (index_t i; (i = tasks.next()) < rows;)
                  col_axis().for_each_run(worker_->col(), [&](index_t local, index_t global, index_t count) {
                    const index_t row = global_row(i);
                    for (index_t j = 0; j < count; ++j) local_(i, local + j) = value_at(row, global + j);
                  });
              });
  }

  // Takes the elements of the root's matrix, of any strides.
  void scatter(const matrix_view<const T>& from, int root = 0) {
    matrix<T> piece = begin_exchange(root, [&] {
      if (worker_->rank() == root && (from.rows() != layout_.m || from.cols() != layout_.n))
        detail::refuse_host_matrix(from.rows(), from.cols(), layout_);
    });
    for_each_piece([&](int rank, int col, index_t first, index_t rows) {
      if (worker_->rank() != root && worker_->rank() != rank) return;
      const matrix_view<T> packed(piece.data(), {rows, col_axis().numroc(col)});
      if (worker_->rank() == root) {
        for (index_t i = 0; i < rows; ++i)
          col_axis().for_each_run(col, [&](index_t local, index_t global, index_t count) {
            for (index_t j = 0; j < count; ++j) packed(i, local + j) = from(first + i, global + j);
          });
        if (rank != root) worker_->comm().send(rank, packed.data(), bytes_of(packed));
      } else {
        worker_->comm().receive(root, packed.data(), bytes_of(packed));
      }
      if (worker_->rank() == rank) std::copy_n(packed.data(), packed.size(), rows_from(first));
    });
  }

  // The whole matrix, at the root; an empty one elsewhere.
  matrix<T> gather(int root = 0) const {
    matrix<T> whole;
    matrix<T> piece = begin_exchange(root, [&] {
      if (worker_->rank() == root) whole = matrix<T>(layout_.m, layout_.n, uninitialised{});
    });
    for_each_piece([&](int rank, int col, index_t first, index_t rows) {
      if (worker_->rank() != root && worker_->rank() != rank) return;
      const matrix_view<T> packed(piece.data(), {rows, col_axis().numroc(col)});
      if (worker_->rank() == rank) std::copy_n(rows_from(first), packed.size(), packed.data());
      if (worker_->rank() != root) return worker_->comm().send(root, packed.data(), bytes_of(packed));
      if (rank != root) worker_->comm().receive(rank, packed.data(), bytes_of(packed));
      for (index_t i = 0; i < rows; ++i)
        col_axis().for_each_run(col, [&](index_t local, index_t global, index_t count) {
          std::copy_n(&packed(i, local), count, &whole(first + i, global));
        });
    });
    return whole;
  }

 private:
  static std::size_t bytes_of(const matrix_view<T>& v) { return static_cast<std::size_t>(v.size()) * sizeof(T); }
  // Local rows from a global one on, which is the first of a block: they lie one behind the other.
  T* rows_from(index_t first) { return local_.data() + row_axis().indxg2l(first) * local_.cols(); }
  const T* rows_from(index_t first) const { return local_.data() + row_axis().indxg2l(first) * local_.cols(); }

  // Checks, and memory for a piece.
  template <class Check>
  matrix<T> begin_exchange(int root, const Check& check) const {
    matrix<T> piece;
    worker_->together([&] {
      detail::require_root(*worker_, root);
      check();
      piece = matrix<T>(std::min(layout_.mb, layout_.m), col_axis().numroc(layout_.csrc), uninitialised{});
    });
    return piece;
  }
  // visit(rank, its column, first row, rows) for each block of rows at each worker that has a part of it.
  template <class Visit>
  void for_each_piece(const Visit& visit) const {
    for (index_t first = 0; first < layout_.m; first += layout_.mb)
      for (int col = 0; col < worker_->cols(); ++col)
        if (col_axis().numroc(col) > 0)
          visit(row_axis().indxg2p(first) * worker_->cols() + col, col, first, std::min(layout_.mb, layout_.m - first));
  }

  worker* worker_;
  distribution layout_;
  matrix<T> local_;
};

}  // namespace kleene
