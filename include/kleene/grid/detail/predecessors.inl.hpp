// Repairs the predecessors of a closure on a grid, as operations/detail/closure_repair.inl.hpp does those of one
// matrix: rows in which following them goes round in a circle are searched again, along the arcs that are best paths.
//
// A row lies in pieces at the workers of a row of the grid. They look at rows in turns, each at a whole one; where none
// has a circle, that is all. Else every worker gets the list of all arcs, and searches the rows that it found.
#pragma once

#include "kleene/grid/distributed_matrix.hpp"
#include "kleene/kernels/cpu/closure/row_search.hpp"
#include "kleene/operations/detail/closure_algebra.hpp"
#include "kleene/operations/detail/closure_repair.inl.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
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

  // Returns, at all workers, a vertex of a cycle that improves without end by rounding alone, or -1.
  index_t run() {
    find_broken();
    if (worker_.comm().minimum(broken_.empty() && improves_ == none_ ? 1 : 0) == 1) return -1;
    gather_arcs();
    for (int col = 0; col < worker_.cols(); ++col) exchange_rows(col);
    const std::int64_t least = worker_.comm().minimum(improves_);
    return least == none_ ? -1 : static_cast<index_t>(least);
  }

 private:
  struct arc {
    std::int32_t tail, head;
    T weight;
  };
  struct circle {
    std::int32_t vertex;
    index_t reached;  // vertices of the row that have a predecessor
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
        const index_t root = a_.global_row(mine);
        if (from_[root] >= 0) improves_ = std::min<std::int64_t>(improves_, root);
        if (goes_round(root)) {
          broken_.push_back(mine);
          went_round_.push_back({kernels::cpu::vertex_of_cycle(searched(), n_), reached()});
        }
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
  void exchange_rows(int col) {
    std::vector<index_t> rows = col == worker_.col() ? broken_ : std::vector<index_t>();
    auto count = static_cast<std::int64_t>(rows.size());
    worker_.comm().broadcast(scope::row, col, &count, sizeof count);
    rows.resize(static_cast<std::size_t>(count));
    worker_.comm().broadcast(scope::row, col, rows.data(), bytes<index_t>(count));
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const index_t row = rows[at];
      if (col == worker_.col()) search(static_cast<std::int32_t>(a_.global_row(row)), went_round_[at]);
      worker_.comm().broadcast(scope::row, col, value_.data(), bytes<T>(n_));
      worker_.comm().broadcast(scope::row, col, from_.data(), bytes<std::int32_t>(n_));
      a_.col_axis().for_each_run(worker_.col(), [&](index_t local, index_t global, index_t each) {
        std::copy_n(&value_(0, global), each, row_of(a_, row) + local);
        std::copy_n(&from_[global], each, row_of(p_, row) + local);
      });
    }
  }

  kernels::cpu::searched_row<T> searched() { return {value_.data(), from_.data(), queue_.data(), mark_.data()}; }
  index_t reached() const { return n_ - std::count(from_.begin(), from_.end(), -1); }

  // As search_row of closure_repair.inl.hpp, along lists of arcs.
  void search(std::int32_t root, const circle& was) {
    const auto for_each_arc = [&](index_t u, const auto& visit) {
      for (index_t e = u == 0 ? 0 : ends_[u - 1]; e < ends_[u]; ++e) visit(index_t{arcs_[e].head}, arcs_[e].weight);
    };
    const auto better = [&](const T& old, const T& length, const T& weight) {
      return algebra_.better(old, length, weight);
    };
    std::int32_t improves =
        kernels::cpu::search_from(root, searched(), n_, algebra_.zero(), algebra_.one(), for_each_arc, better);
    if (improves < 0 && reached() < was.reached) improves = was.vertex;
    if (improves >= 0) improves_ = std::min<std::int64_t>(improves_, improves);
  }

  static constexpr std::int64_t none_ = std::numeric_limits<std::int64_t>::max();

  const closure_algebra<T>& algebra_;
  worker& worker_;
  distributed_matrix<T>& a_;
  distributed_matrix<std::int32_t>& p_;
  index_t n_;
  matrix<T> value_;  // a whole row
  std::vector<std::int32_t> from_;
  std::vector<std::uint8_t> mark_;
  std::vector<std::int32_t> queue_;
  std::vector<index_t> broken_;     // local rows
  std::vector<circle> went_round_;  // in each of them
  std::int64_t improves_ = none_;
  std::vector<arc> arcs_;      // of all workers, by their tails, then by their heads
  std::vector<index_t> ends_;  // of those of each vertex
};

}  // namespace kleene::detail
