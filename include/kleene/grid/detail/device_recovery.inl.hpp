// Predecessors of a closure on a grid of devices, found from the closed matrix and the arcs that it came from, as one
// device finds them (kernels/cuda/closure/predecessors).
//
// The best arcs into a worker's columns are at the workers of its column of the grid, which list them for each other. A
// row of the closed matrix is at those of a row of the grid: it is put together a strip of rows at a time. Where paths
// tie, rows of P are put together, too, and followed; if one goes round in a circle, the host repairs them.
#pragma once

#include "kleene/grid/detail/device_predecessors.hpp"
#include "kleene/grid/detail/predecessors.inl.hpp"
#include "kleene/grid/distributed_device_matrix.hpp"
#include "kleene/kernels/cuda/closure/predecessors/best_arc_room.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace kleene::detail {

template <class S>
class device_recovery {
 public:
  using T = value_of<S>;
  using vertices = distributed_device_matrix<std::int32_t>;

  // arcs: what A's share was before it was closed.
  device_recovery(worker& w, distributed_device_matrix<T>& a, const device_matrix<T>& arcs, vertices& p)
      : worker_(w),
        ctx_(w.context()),
        a_(a),
        p_(p),
        share_{a.local(), arcs.view(), a.row_axis(), a.col_axis(), w.row(), w.col()},
        n_(a.layout().n),
        height_(std::clamp<index_t>(most_elements / std::max<index_t>(n_, 1), 1, a.layout().mb)),
        whole_(ctx_, height_, n_),
        piece_(ctx_, height_, std::max(a.local().cols(), widest(w, a.col_axis()))),
        ties_(ctx_, 1, a.local().rows()),
        total_(ctx_, 1, 1),
        flags_(static_cast<std::size_t>(a.local().rows())) {}

  // Collective. A's rows may be rewritten where paths tie: the same lengths, summed along these paths.
  void run() {
    copy(ctx_, matrix<unsigned>(1, ties_.cols(), 0u), ties_);
    index_t found = 0;
    const index_t strips = strips_of_heads(found), own = a_.local().cols();
    for (index_t strip = 0; strip < strips; ++strip) {
      const index_t each = ceil_div(own, strips), first = std::min(own, strip * each);
      recover({first, std::min(each, own - first)});
    }
    const index_t tied = find_ties();
    const bool is_broken = worker_.comm().minimum(follow() > 0 ? 0 : 1) == 0;
    if (worker_.rank() == 0 && explain_enabled())
      explain("predecessors from " + std::to_string(found) + " best arcs into the first column of the grid, in " +
              std::to_string(strips) + " strips; " + std::to_string(tied) + " rows with ties in its first row" +
              (is_broken ? "; repaired on the host" : ""));
    if (is_broken) repair();
  }

 private:
  static constexpr index_t most_elements = index_t{1} << 26;  // of rows that are put together

  static index_t widest(const worker& w, const cyclic_axis& cols) {
    index_t most = 0;
    for (int col = 0; col < w.cols(); ++col) most = std::max(most, cols.numroc(col));
    return most;
  }
  cuda_stream stream() const { return ctx_.stream(); }
  template <class E>
  static std::size_t bytes(index_t count) {
    return static_cast<std::size_t>(count) * sizeof(E);
  }

  // How many strips the columns are taken in, the same for all workers, so that the best arcs into each have room.
  index_t strips_of_heads(index_t& found) {
    const index_t own = a_.local().cols(), room = kernels::cuda::best_arc_room(n_);
    device_matrix<unsigned> offsets(ctx_, 1, own + 1);
    found = sum(count({0, own}, offsets.data()));
    const index_t strips = found <= room ? 1 : ceil_div(own, std::max<index_t>(1, room / n_));
    return std::max<index_t>(1, -worker_.comm().minimum(-strips));
  }
  static index_t sum(const std::vector<index_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), index_t{0});
  }
  // The numbers of best arcs into these heads, from each row of the grid; offsets of this worker's.
  std::vector<index_t> count(head_range heads, unsigned* offsets) {
    find_predecessor_kernels<S>()->count(ctx_, share_, heads, offsets, total_.data());
    std::vector<index_t> counts(static_cast<std::size_t>(worker_.rows()));
    counts[worker_.row()] = static_cast<index_t>(to_host(ctx_, total_)(0, 0));
    for (int row = 0; row < worker_.rows(); ++row)
      worker_.comm().broadcast(scope::column, row, &counts[row], sizeof(index_t));
    return counts;
  }

  // P of these heads.
  void recover(head_range heads) {
    const index_t line = heads.size + 1, parts = worker_.rows();
    device_matrix<unsigned> offsets, cursor;
    device_matrix<std::int32_t> tails;
    device_matrix<T> weights;
    device_matrix<index_t> base;
    worker_.together([&] { offsets = device_matrix<unsigned>(ctx_, parts, line); });
    const std::vector<index_t> counts = count(heads, offsets.data() + worker_.row() * line);
    matrix<index_t> starts(1, parts);
    std::exclusive_scan(counts.begin(), counts.end(), starts.data(), index_t{0});
    worker_.together([&] {
      cursor = to_device(ctx_, matrix<unsigned>(1, heads.size, 0u));
      tails = device_matrix<std::int32_t>(ctx_, 1, sum(counts));
      weights = device_matrix<T>(ctx_, 1, sum(counts));
      base = to_device(ctx_, starts);
    });
    const auto& kernels = *find_predecessor_kernels<S>();
    const index_t mine = starts(0, worker_.row());
    kernels.list(ctx_, share_, heads, offsets.data() + worker_.row() * line, cursor.data(), tails.data() + mine,
                 weights.data() + mine);
    const auto send = [&](int row, auto* from, index_t size) {
      worker_.comm().broadcast_on(stream(), scope::column, row, from,
                                  bytes<std::remove_pointer_t<decltype(from)>>(size));
    };
    for (int row = 0; row < worker_.rows(); ++row) {
      send(row, offsets.data() + row * line, line);
      send(row, tails.data() + starts(0, row), counts[row]);
      send(row, weights.data() + starts(0, row), counts[row]);
    }
    for_each_strip([&](index_t first, index_t rows) {
      put_together(a_, first, rows, whole_.data());
      kernels.recover(ctx_,
                      {.share = share_,
                       .heads = heads,
                       .arcs = {static_cast<int>(parts), base.data(), offsets.data(), tails.data(), weights.data()},
                       .p = p_.local(),
                       .first_row = first,
                       .whole = {whole_.data(), {rows, n_}},
                       .ties = ties_.data()});
    });
    ctx_.synchronise();
  }

  // visit(first, rows): local rows that follow each other in the whole matrix, too; as many as are put together.
  template <class Visit>
  void for_each_strip(const Visit& visit) const {
    share_.rows.for_each_run(worker_.row(), [&](index_t local, index_t, index_t count) {
      for (index_t done = 0; done < count; done += height_) visit(local + done, std::min(height_, count - done));
    });
  }
  // Whole rows, from the workers of this row of the grid.
  template <class E>
  void put_together(distributed_device_matrix<E>& m, index_t first, index_t rows, E* to) {
    for (int col = 0; col < worker_.cols(); ++col) {
      const index_t cols = share_.cols.numroc(col);
      void* const piece = col == worker_.col() ? static_cast<void*>(m.local().data() + first * cols) : piece_.data();
      worker_.comm().broadcast_on(stream(), scope::row, col, piece, bytes<E>(rows * cols));
      place_columns(ctx_, {piece, to, sizeof(E), rows, share_.cols, col});
    }
  }

  // Which rows have ties, for all workers of this row of the grid. How many.
  index_t find_ties() {
    const matrix<unsigned> mine = to_host(ctx_, ties_);
    for (int col = 0; col < worker_.cols(); ++col) {
      std::vector<unsigned> theirs(mine.data(), mine.data() + mine.size());
      worker_.comm().broadcast(scope::row, col, theirs.data(), bytes<unsigned>(mine.size()));
      for (std::size_t i = 0; i < theirs.size(); ++i) flags_[i] |= theirs[i];
    }
    return std::count(flags_.begin(), flags_.end(), 1u);
  }

  // Rows with ties are looked at in turns. How many of this worker's have a chain that does not reach their vertex.
  index_t follow() {
    device_matrix<unsigned> broken = to_device(ctx_, matrix<unsigned>(1, 1, 0u));
    index_t seen = 0;
    for_each_strip([&](index_t first, index_t rows) {
      std::vector<std::int32_t> mine;
      index_t tied = 0;
      for (index_t i = 0; i < rows; ++i) {
        if (!flags_[static_cast<std::size_t>(first + i)]) continue;
        ++tied;
        if (seen++ % worker_.cols() == worker_.col()) mine.push_back(static_cast<std::int32_t>(i));
      }
      if (tied == 0) return;
      device_matrix<std::int32_t> from(ctx_, rows, n_);
      put_together(p_, first, rows, from.data());
      const auto list = to_device(ctx_, vector_view<const std::int32_t>(mine.data(), {index_t(mine.size())}));
      follow_chains(ctx_, {from.view(), p_.global_row(first), list.data(), index_t(mine.size()), broken.data()});
      ctx_.synchronise();
    });
    return to_host(ctx_, broken)(0, 0);
  }

  void repair() {
    distributed_matrix<T> values = to_host(a_);
    distributed_matrix<std::int32_t> from = to_host(p_);
    predecessor_repair<T>(values, from, closure_algebra_of<S>()).run();
    worker_.together([&] {
      copy(ctx_, values.local(), a_.local());
      copy(ctx_, from.local(), p_.local());
      ctx_.synchronise();
    });
  }

  worker& worker_;
  const context& ctx_;
  distributed_device_matrix<T>& a_;
  vertices& p_;
  closed_share<T> share_;
  index_t n_, height_;
  device_matrix<T> whole_;
  device_matrix<std::uint64_t> piece_;  // has room for elements of any type
  device_matrix<unsigned> ties_;
  device_matrix<unsigned long long> total_;
  std::vector<unsigned> flags_;
};

}  // namespace kleene::detail
