// Gauss-Jordan elimination over GF(2) by panels (the contract of a panel is in kernels/contract/gf2_panel.hpp).
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/operations/bits.hpp"

#include "kernels/bit_kernels.hpp"

#include <vector>

namespace kleene::detail {

enum class gf2_goal {
  rank,     // what stands behind the pivots' rows and columns is all that is right
  echelon,  // row echelon form: rows 0, 1, ..., rank - 1 with their pivots, ascending; zero behind them
  inverse,  // of a with its rows in the order of `swaps`; where there is none, the rank
};

// Pivots are looked for in the first `cols` columns of a, which are whole words or all of it; the others come along.
class gf2_elimination {
 public:
  // Takes all memory that is needed beside a: whoever has one will not run out of it with the matrix half-written.
  gf2_elimination(const context& ctx, const bit_view<bit>& a, index_t cols)
      : ctx_(ctx),
        on_(kernels::bits_on(ctx)),
        a_(a),
        cols_(cols),
        columns_memory_(kernels::room_for_bits(ctx, a.rows(), width)),
        rows_memory_(kernels::room_for_bits(ctx, width, a.cols())),
        columns_(kernels::bits_in(columns_memory_, a.rows(), width)),
        rows_(kernels::bits_in(rows_memory_, width, a.cols())) {
    const auto most = static_cast<std::size_t>(std::min(a.rows(), cols));
    pivots_.resize(most), swaps_.resize(most);
    panels_.reserve(static_cast<std::size_t>(ceil_div(cols, width)));
    if (a.empty()) return;
    // Smaller products may take a line a thread more, where rows do not divide evenly.
    const std::size_t product = on_.product_workspace(ctx, {.a = columns_, .b = rows_, .c = a, .parity = true});
    ctx.workspace(std::max(product + static_cast<std::size_t>(ctx.threads()) * 64, on_.gf2_workspace()));
  }

  // Bytes that one takes, about.
  static double bytes(index_t rows, index_t cols) {
    return static_cast<double>(width / 8) * (static_cast<double>(rows) + 2 * static_cast<double>(cols));
  }

  void run(gf2_goal goal) {
    for (index_t col = 0; col < cols_ && rank_ < a_.rows(); col += width) {
      panel p{col, std::min(width, cols_ - col), rank_, 0};
      p.pivots = on_.eliminate_panel(
          ctx_, {a_, p.col, p.cols, p.row, goal == gf2_goal::inverse, columns_, pivots_.data(), swaps_.data()});
      rank_ += p.pivots;
      panels_.push_back(p);
      if (goal == gf2_goal::inverse && p.pivots < p.cols) goal = gf2_goal::rank;
      if (p.pivots > 0) update(p, goal);
    }
    pivots_.resize(static_cast<std::size_t>(rank_)), swaps_.resize(static_cast<std::size_t>(rank_));
  }

  // After an echelon form: clears what stands above the pivots. `reduced`: in all columns, so that the form is the
  // reduced one. Otherwise in those that came along, as if the columns without a pivot were zero.
  //
  // The last panel comes first: then the columns of a panel whose columns all have pivots need no product, since rows
  // behind it have no other bits there.
  void clear_above(bool reduced) {
    const index_t searched = panels_.empty() ? 0 : panels_.back().col + width;
    index_t from = reduced ? std::min(searched, a_.cols()) : round_up(cols_, bits_per_word);
    for (auto p = panels_.rbegin(); p != panels_.rend(); ++p) {
      const bool full = p->pivots == p->cols;
      if (reduced && !full) from = p->col;
      if (p->row == 0 || p->pivots == 0) continue;
      const bit_view<bit> here = a_.block(0, p->col, p->row, p->cols);
      if (from < a_.cols()) on_.copy(ctx_, here, columns_.block(0, 0, p->row, p->cols));
      if (reduced && full) fill_zero(here);
      add_product(*p, 0, p->row, from, a_.cols());
    }
  }

  index_t rank() const { return rank_; }
  const std::vector<index_t>& pivots() const { return pivots_; }  // [i]: the column of row i's
  std::vector<index_t> take_pivots() { return std::move(pivots_); }
  const std::vector<index_t>& swaps() const { return swaps_; }  // [i]: which row changed places with row i

 private:
  static constexpr index_t width = kernels::gf2_panel_columns;
  struct panel {
    index_t col, cols, row, pivots;  // those of rows [row, row + pivots)
  };

  void update(const panel& p, gf2_goal goal) {
    const bool everything = goal == gf2_goal::inverse;
    const index_t top = everything ? 0 : goal == gf2_goal::rank ? p.row + p.pivots : p.row, end = a_.rows();
    const index_t behind = p.col + round_up(p.cols, bits_per_word);
    if (everything) add_product(p, top, end, 0, p.col);
    add_product(p, top, end, behind, a_.cols());
  }

  // Rows [top, end) and columns [first, last) of a ^= (the panel's columns) (the rows of its pivots).
  void add_product(const panel& p, index_t top, index_t end, index_t first, index_t last) {
    if (top >= end || first >= last) return;
    const bit_view<bit> rows = rows_.block(0, first, p.cols, last - first);
    const auto pivots = std::span(pivots_).subspan(static_cast<std::size_t>(p.row), static_cast<std::size_t>(p.pivots));
    on_.spread_pivots(ctx_, a_.block(p.row, first, p.pivots, last - first), pivots, p.col, rows);
    on_.multiply(ctx_, {.a = columns_.block(top, 0, end - top, p.cols),
                        .b = rows,
                        .c = a_.block(top, first, end - top, last - first),
                        .parity = true,
                        .accumulate = true});
  }

  // A product without terms.
  void fill_zero(const bit_view<bit>& to) {
    on_.multiply(ctx_, {.a = bit_view<bit>(nullptr, to.rows(), 0),
                        .b = bit_view<bit>(nullptr, 0, to.cols()),
                        .c = to,
                        .parity = true});
  }

  const context& ctx_;
  const kernels::bit_kernels& on_;
  bit_view<bit> a_;
  index_t cols_, rank_ = 0;
  kernels::bit_room columns_memory_, rows_memory_;
  bit_view<bit> columns_, rows_;
  std::vector<index_t> pivots_, swaps_;
  std::vector<panel> panels_;
};

}  // namespace kleene::detail
