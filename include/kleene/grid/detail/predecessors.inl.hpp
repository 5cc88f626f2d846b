// Repairs the predecessors of a closure on a grid, as operations/detail/closure_repair.inl.hpp does those of one
// matrix: rows in which following them goes round in a circle are searched again, along the arcs that are best paths.
//
// A row lies in pieces at the workers of a row of the grid. They look at rows in turns, each at a whole one; where none
// has a circle, that is all. Else every worker gets the list of all arcs, and searches the rows that it found.
#pragma once

#include "kleene/grid/distributed_matrix.hpp"
#include "kleene/operations/detail/closure_algebra.hpp"
#include "kleene/operations/detail/closure_repair.inl.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace kleene::detail {

template <class T>
class predecessor_repair {
 public:
  predecessor_repair(distributed_matrix<T>& a, distributed_matrix<std::int32_t>& p, const closure_algebra<T>& algebra)
      : algebra_(algebra),
        worker_(a.at()),
        a_(a),
        p_(p),
        n_(a.layout().n),
        value_(1, n_),
        from_(n_),
        mark_(n_),
        queue_(n_) {}

  // Returns how many rows of this worker's row of the grid were searched again.
  index_t run() {
    find_broken();
    if (worker_.comm().minimum(broken_.empty() ? 1 : 0) == 1) return 0;
    gather_arcs();
    index_t count = 0;
    for (int col = 0; col < worker_.cols(); ++col) count += exchange_rows(col);
    return count;
  }

 private:
  struct arc {
    std::int32_t tail, head;
    T weight;
  };

  // This worker's columns of a row, in their places in the whole row.
  template <class E>
  static void spread(const E* piece, const cyclic_axis& axis, int col, E* row) {
    axis.for_each_run(
        col, [&](index_t local, index_t global, index_t count) { std::copy_n(piece + local, count, row + global); });
  }
  template <class E>
  static std::size_t bytes(index_t count) {
    return static_cast<std::size_t>(count) * sizeof(E);
  }

  // Rows go together, one for each worker of the grid's row: piece by piece to the one that looks at it.
  void find_broken() {
    const index_t rows = a_.local().rows(), own = a_.local().cols();
    matrix<T> value(1, n_);
    std::vector<std::int32_t> from(n_);
    for (index_t first = 0; first < rows; first += worker_.cols()) {
      std::vector<pending> sent;
      for (int col = 0; col < worker_.cols() && first + col < rows; ++col) {
        if (col == worker_.col()) continue;
        const int to = worker_.row() * worker_.cols() + col;
        sent.push_back(worker_.comm().begin_send(to, row_of(a_, first + col), bytes<T>(own)));
        sent.push_back(worker_.comm().begin_send(to, row_of(p_, first + col), bytes<std::int32_t>(own)));
      }
      if (const index_t mine = first + worker_.col(); mine < rows) {
        for (int col = 0; col < worker_.cols(); ++col) receive_piece(col, mine, value, from);
        if (goes_round(a_.global_row(mine))) broken_.push_back(mine);
      }
      for (const pending& each : sent) each->wait();
    }
  }
  void receive_piece(int col, index_t mine, matrix<T>& value, std::vector<std::int32_t>& from) {
    const cyclic_axis axis = a_.col_axis();
    const int rank = worker_.row() * worker_.cols() + col;
    if (col == worker_.col()) {
      spread<T>(row_of(a_, mine), axis, col, value_.data());
      spread<std::int32_t>(row_of(p_, mine), axis, col, from_.data());
      return;
    }
    worker_.comm().receive(rank, value.data(), bytes<T>(axis.numroc(col)));
    worker_.comm().receive(rank, from.data(), bytes<std::int32_t>(axis.numroc(col)));
    spread<T>(value.data(), axis, col, value_.data());
    spread<std::int32_t>(from.data(), axis, col, from_.data());
  }
  template <class E>
  static E* row_of(distributed_matrix<E>& m, index_t local) {
    return m.local().data() + local * m.local().cols();
  }
  // Of the row in value_ and from_, as a matrix all of whose rows are this one.
  bool goes_round(index_t root) {
    const matrix_view<T> a(value_.data(), {n_, n_}, {0, 1});
    const matrix_view<std::int32_t> p(from_.data(), {n_, n_}, {0, 1});
    return !algebra_.leads_nearer(a, p, root) &&
           !reaches_root(static_cast<std::int32_t>(root), from_.data(), 1, n_, mark_.data());
  }

  // An arc u -> v is itself a best path where P(u, v) is u. visit(arc) for those in this worker's share.
  template <class Visit>
  void for_each_arc(const Visit& visit) {
    const auto p = p_.local();
    for (index_t i = 0; i < p.rows(); ++i) {
      const auto tail = static_cast<std::int32_t>(a_.global_row(i));
      for (index_t j = 0; j < p.cols(); ++j)
        if (p(i, j) == tail) visit(arc{tail, static_cast<std::int32_t>(a_.global_col(j)), a_.local()(i, j)});
    }
  }

  // Counted first, so that want of memory is an error of all workers.
  void gather_arcs() {
    std::vector<index_t> counts(static_cast<std::size_t>(worker_.size()));
    for_each_arc([&](const arc&) { ++counts[worker_.rank()]; });
    for (int rank = 0; rank < worker_.size(); ++rank)
      worker_.comm().broadcast(scope::all, rank, &counts[rank], sizeof(index_t));
    const index_t all = std::accumulate(counts.begin(), counts.end(), index_t{0});
    worker_.together([&] {
      with_memory("the arcs that are best paths", double(all) * sizeof(arc) + double(n_) * sizeof(index_t), [&] {
        arcs_.resize(static_cast<std::size_t>(all));
        ends_.assign(static_cast<std::size_t>(n_), 0);
      });
    });
    arc* to = arcs_.data();
    for (int rank = 0; rank < worker_.size(); ++rank) {
      arc* const first = to;
      if (rank == worker_.rank()) for_each_arc([&](const arc& each) { *to++ = each; });
      worker_.comm().broadcast(scope::all, rank, first, bytes<arc>(counts[rank]));
      to = first + counts[rank];
    }
    std::sort(arcs_.begin(), arcs_.end(),
              [](const arc& x, const arc& y) { return x.tail != y.tail ? x.tail < y.tail : x.head < y.head; });
    for (const arc& each : arcs_) ++ends_[each.tail];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  }

  // The rows that the worker in column `col` found: it searches them, and sends them along the row of the grid.
  index_t exchange_rows(int col) {
    std::vector<index_t> rows = col == worker_.col() ? broken_ : std::vector<index_t>();
    auto count = static_cast<std::int64_t>(rows.size());
    worker_.comm().broadcast(scope::row, col, &count, sizeof count);
    rows.resize(static_cast<std::size_t>(count));
    worker_.comm().broadcast(scope::row, col, rows.data(), bytes<index_t>(count));
    for (const index_t row : rows) {
      if (col == worker_.col()) search(static_cast<std::int32_t>(a_.global_row(row)));
      worker_.comm().broadcast(scope::row, col, value_.data(), bytes<T>(n_));
      worker_.comm().broadcast(scope::row, col, from_.data(), bytes<std::int32_t>(n_));
      a_.col_axis().for_each_run(worker_.col(), [&](index_t local, index_t global, index_t each) {
        std::copy_n(&value_(0, global), each, row_of(a_, row) + local);
        std::copy_n(&from_[global], each, row_of(p_, row) + local);
      });
    }
    return count;
  }

  // The search of closure_repair.inl.hpp (search_row), along lists of arcs.
  void search(std::int32_t root) {
    std::fill_n(value_.data(), n_, algebra_.zero());
    std::fill(from_.begin(), from_.end(), -1);
    std::fill(mark_.begin(), mark_.end(), 0);
    value_(0, root) = algebra_.one();
    queue_[0] = root;
    index_t head = 0, waiting = 1;  // a circular queue: each vertex is in it at most once
    while (waiting > 0) {
      const std::int32_t u = queue_[head];
      head = head + 1 == n_ ? 0 : head + 1;
      --waiting;
      mark_[u] = 0;
      const T length = value_(0, u);
      for (index_t e = u == 0 ? 0 : ends_[u - 1]; e < ends_[u]; ++e) {
        const std::int32_t v = arcs_[e].head;
        const T next = algebra_.better(value_(0, v), length, arcs_[e].weight);
        if (next == value_(0, v) || v == root) continue;
        value_(0, v) = next;
        from_[v] = u;
        if (std::exchange(mark_[v], 1)) continue;
        queue_[head + waiting < n_ ? head + waiting : head + waiting - n_] = v;
        ++waiting;
      }
    }
  }

  const closure_algebra<T>& algebra_;
  worker& worker_;
  distributed_matrix<T>& a_;
  distributed_matrix<std::int32_t>& p_;
  index_t n_;
  matrix<T> value_;  // a whole row
  std::vector<std::int32_t> from_;
  std::vector<std::uint8_t> mark_;
  std::vector<std::int32_t> queue_;
  std::vector<index_t> broken_;  // local rows
  std::vector<arc> arcs_;        // of all workers, by their tails, then by their heads
  std::vector<index_t> ends_;    // of those of each vertex
};

}  // namespace kleene::detail
