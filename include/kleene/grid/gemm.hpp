// gemm on a grid: C = A B, or A B (+) C, of distributed matrices, in the words of operations/gemm.hpp.
//
//   gemm(w, min_plus<float>{}, a, b, c);                     // every worker
//   gemm(w, min_plus<float>{}, a, b, c, {.accumulate = true});
//
// Method: SUMMA (van de Geijn and Watts, 1997). Block after block of k, the workers that have it send their columns of
// A along their rows of the grid and their rows of B along its columns, and everybody adds the product of the two
// panels to its share of C. The next panels are under way while this is done.
//
// Contract
//   shapes       A is m x k, B k x n, C m x n, cut alike where they meet: A and C in the same rows (MB, RSRC), B and C
//                in the same columns (NB, CSRC), k in the same blocks (A's NB, B's MB); else shape_error.
//   aliasing     C is neither A nor B: argument_error.
//   equality     Each element is summed block after block of k in C's type, whatever the grid: selective algebras and
//                integers give what gemm of the whole matrices gives, and all give the same bits on every grid.
//   overflow     also of a sum between blocks: value_error of all workers; C is then not to be used.
//   domain, NaN  as in operations/gemm.hpp, before C is touched, with the place in the whole matrix.
//   memory       two panels of A and two of B, (rows + columns) of the share times a block of k each.
//   own algebras with kleene/operations/own/gemm.inl.hpp.
#pragma once

#include "kleene/grid/detail/share_checks.hpp"
#include "kleene/grid/distributed_matrix.hpp"
#include "kleene/operations/gemm.hpp"

#include <algorithm>
#include <exception>

namespace kleene {

struct grid_gemm_options {
  bool accumulate = false;
  bool check_domain = true;
};

namespace detail {

// What is wrong with the shapes of a product on a grid, thrown.
void require_product(const distribution& a, const distribution& b, const distribution& c);

template <class S>
class summa {
 public:
  using T = value_of<S>;
  using matrices = distributed_matrix<T>;

  summa(worker& w, const matrices& a, const matrices& b, matrices& c)
      : worker_(w), a_(a), b_(b), c_(c), block_(std::min(a.layout().nb, a.layout().n)) {
    for (panels& p : panels_) {
      p.left = matrix<T>(c.local().rows(), block_, uninitialised{});
      p.right = matrix<T>(block_, c.local().cols(), uninitialised{});
    }
  }

  void run(bool accumulate) {
    const index_t blocks = a_.col_axis().blocks();
    if (blocks == 0 && !accumulate) std::fill_n(c_.local().data(), c_.local().size(), S::zero());
    if (blocks > 0) begin(0);
    std::exception_ptr wrong;  // the others' broadcasts go on
    for (index_t at = 0; at < blocks; ++at) {
      panels& now = panels_[at % 2];
      now.of_rows->wait();
      now.of_columns->wait();
      if (at + 1 < blocks) begin(at + 1);
      if (wrong) continue;
      try {
        multiply(now, size_of(at), accumulate || at > 0);
      } catch (const fault&) {
        wrong = std::current_exception();
      }
    }
    worker_.together([&] {
      if (wrong) std::rethrow_exception(wrong);
    });
  }

 private:
  struct panels {
    matrix<T> left, right;
    pending of_rows, of_columns;
  };

  index_t size_of(index_t at) const { return std::min(block_, a_.layout().n - at * block_); }

  // Sends this worker's part of block `at` of k, or waits for it.
  void begin(index_t at) {
    panels& to = panels_[at % 2];
    const index_t first = at * block_, size = size_of(at);
    const int col = a_.col_axis().indxg2p(first), row = b_.row_axis().indxg2p(first);
    if (worker_.col() == col)
      copy(a_.local().block(0, a_.col_axis().indxg2l(first), a_.local().rows(), size), to.left.data());
    if (worker_.row() == row)
      copy(b_.local().block(b_.row_axis().indxg2l(first), 0, size, b_.local().cols()), to.right.data());
    const auto bytes = [&](index_t others) { return static_cast<std::size_t>(size * others) * sizeof(T); };
    to.of_rows = worker_.comm().begin_broadcast(scope::row, col, to.left.data(), bytes(to.left.rows()));
    to.of_columns = worker_.comm().begin_broadcast(scope::column, row, to.right.data(), bytes(to.right.cols()));
  }

  static void copy(const matrix_view<const T>& from, T* to) {
    for (index_t i = 0; i < from.rows(); ++i) to = std::copy_n(&from(i, 0), from.cols(), to);
  }

  void multiply(const panels& p, index_t size, bool accumulate) {
    if (c_.local().empty()) return;
    const matrix_view<const T> left(p.left.data(), {p.left.rows(), size}),
        right(p.right.data(), {size, p.right.cols()});
    gemm(worker_.context(), S{}, left, right, c_.local(), {.accumulate = accumulate, .check_domain = false});
  }

  worker& worker_;
  const matrices& a_;
  const matrices& b_;
  matrices& c_;
  index_t block_;
  panels panels_[2];
};

}  // namespace detail

template <product_algebra S>
void gemm(worker& w, S, const distributed_matrix<value_of<S>>& a, const distributed_matrix<value_of<S>>& b,
          distributed_matrix<value_of<S>>& c, grid_gemm_options options = {}) {
  std::optional<detail::summa<S>> product;
  w.together([&] {
    detail::require_product(a.layout(), b.layout(), c.layout());
    if (&c == &a || &c == &b) throw argument_error("C is one of the factors of the product");
    if (options.check_domain) {
      detail::check_domain_of_share<S>(a, "A");
      detail::check_domain_of_share<S>(b, "B");
      if (options.accumulate) detail::check_domain_of_share<S>(c, "C");
    }
    product.emplace(w, a, b, c);
  });
  product->run(options.accumulate);
}

}  // namespace kleene
