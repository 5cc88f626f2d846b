// Elimination over GF(2) on CUDA devices: which kernels it becomes. The host enqueues all of it without looking at a
// pivot; extents of launches and of products are those of any matrix of its shape.
#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/wait.cuh"
#include "kleene/gpu/host/workspace.hpp"
#include "kleene/kernels/cuda/bits/launch.hpp"
#include "kleene/kernels/cuda/gf2/pivots.cuh"
#include "kleene/kernels/cuda/gf2/rows.cuh"

#include "kernels/gf2_exchanges.hpp"

#include <algorithm>
#include <string>

namespace kleene::kernels::cuda {

namespace {

cudaStream_t stream_of(const context& ctx) { return static_cast<cudaStream_t>(ctx.stream()); }

constexpr index_t no_words = 0;

void gather(const context& ctx, const bit_view<const bit>& from, const std::int32_t* rows, const bit_view<bit>& to,
            index_t hole, index_t behind) {
  if (!to.empty())
    gpu::launch(gather_gf2_rows, {gpu::grid_of(gf2_rows::blocks(to.rows())), gf2_rows::threads, 0, stream_of(ctx)},
                from, rows, to, hole, behind);
}

// Columns of a panel, and of a step, which is several panels: within a step a panel's pivots are added to the step's
// other columns alone; the rest of the matrix gets them all at once, by a product that is as deep as the step is wide.
struct gf2_widths {
  static constexpr int words = 8;
  static constexpr index_t panel = words * bits_per_word, step = 4096;
};

class gf2_run {
 public:
  using panel_state = gf2_panel_state<gf2_widths::words>;

  gf2_run(const context& ctx, const gf2_exchange& x) : ctx_(ctx), x_(x), rows_(x.a.rows()) {
    const index_t panels = ceil_div(x.cols, gf2_widths::panel);
    deepest_ = std::min(gf2_widths::step, x.cols);
    t_ = layout_.add<bit_word>(rows_ * gf2_widths::words);
    pivot_rows_ = layout_.add<bit_word>(deepest_ * x.a.words());
    offered_ = layout_.add<bit_word>(padded_rows());
    reduced_ = layout_.add<bit_word>(bits_per_word * gf2_widths::words);
    columns_ = layout_.add<bit_word>(panels * gf2_widths::words);
    row_of_ = layout_.add<std::int32_t>(panels * gf2_widths::panel);
    column_of_ = layout_.add<std::int32_t>(padded_rows());
    counters_ = layout_.add<std::int32_t>(2);
  }

  std::size_t bytes() const { return layout_.bytes(); }
  std::size_t product_bytes() const {
    const bit_view<bit> left(nullptr, rows_, deepest_), right(nullptr, deepest_, x_.a.cols());
    return bit_product_workspace(ctx_, {.a = left, .b = right, .c = x_.a, .parity = true, .accumulate = true});
  }

  void run(gf2_exchange& found) {
    const gpu::on_device here(ctx_.device()->ordinal);
    if (explain_enabled())
      explain("elimination over GF(2) of " + std::to_string(rows_) + "x" + std::to_string(x_.a.cols()) +
              ": panels of " + std::to_string(gf2_widths::panel) + " columns, steps of " +
              std::to_string(gf2_widths::step));
    begin();
    found.row_of = row_of_.in(x_.memory), found.column_of = column_of_.in(x_.memory), found.rank = rank();
    for (index_t col = 0; col < x_.cols; col += gf2_widths::step) {
      if (col >= rows_ && all_rows_have_pivots()) break;
      const index_t end = std::min(col + gf2_widths::step, x_.cols);
      for (index_t c = col; c < end; c += gf2_widths::panel)
        run_panel(c, std::min(gf2_widths::panel, end - c), col, end);
      leave_step(col, end);
    }
  }

 private:
  index_t padded_rows() const { return round_up(rows_, gf2_search::each); }
  std::int32_t* rank() const { return counters_.in(x_.memory); }
  panel_state panel_at(index_t col, index_t cols) const {
    void* const m = x_.memory;
    return {rows_,
            col,
            cols,
            t_.in(m),
            offered_.in(m),
            reduced_.in(m),
            columns_.in(m),
            row_of_.in(m),
            column_of_.in(m),
            rank(),
            rank() + 1};
  }

  template <class T>
  void fill(gpu::workspace_array<T> array, index_t count, int byte) {
    gpu::require(
        cudaMemsetAsync(array.in(x_.memory), byte, static_cast<std::size_t>(count) * sizeof(T), stream_of(ctx_)),
        "clearing memory");
  }
  void begin() {
    const index_t panels = ceil_div(x_.cols, gf2_widths::panel);
    fill(offered_, padded_rows(), 0);
    fill(columns_, panels * gf2_widths::words, 0);
    fill(row_of_, panels * gf2_widths::panel, 0xff);
    fill(column_of_, padded_rows(), 0xff);
    fill(counters_, 2, 0);
  }
  bool all_rows_have_pivots() const {
    std::int32_t found = 0;
    gpu::require(cudaMemcpyAsync(&found, rank(), sizeof found, cudaMemcpyDeviceToHost, stream_of(ctx_)),
                 "copying a rank");
    gpu::wait(ctx_, "an elimination over GF(2)");
    return found == rows_;
  }

  // The pivots of columns [col, col + cols), which the step [first, end) has them all.
  void run_panel(index_t col, index_t cols, index_t first, index_t end) {
    const panel_state p = panel_at(col, cols);
    const gpu::launch_config rows{gpu::grid_of(p.blocks()), panel_state::threads, 0, stream_of(ctx_)};
    gpu::launch_config search{1, gf2_search::threads, 0, stream_of(ctx_)}, update = rows;
    search.overlaps = update.overlaps = true;
    update.blocks = gpu::grid_of(p.blocks(panel_state::added_at_once));
    gpu::launch(load_gf2_panel<gf2_widths::words>, rows, p, x_.a);
    for (int w = 0; w < words_for(cols); ++w) {
      gpu::launch(find_gf2_pivots<gf2_widths::words>, search, p, w);
      gpu::launch(add_gf2_pivots<gf2_widths::words>, update, p, w);
    }
    gpu::launch(store_gf2_panel<gf2_widths::words>, rows, p, x_.a);
    if (first < col || col + cols < end) add_product({p.t, rows_, cols, gf2_widths::words}, col, first, end);
  }

  // Columns [first, last) of a ^= t (the rows of the pivots of columns [col, col + t.cols())), but for those columns.
  void add_product(const bit_view<const bit>& t, index_t col, index_t first, index_t last) {
    if (first >= last) return;
    const bit_view<bit> c = x_.a.block(0, first, rows_, last - first);
    const bit_view<bit> old(pivot_rows_.in(x_.memory), t.cols(), c.cols());
    const index_t hole = (col - first) / bits_per_word;
    gather(ctx_, c, row_of_.in(x_.memory) + col, old, hole, hole + words_for(t.cols()));
    launch_bit_product(ctx_, {.a = t, .b = old, .c = c, .parity = true, .accumulate = true});
  }

  // What the step [col, end) means for the other columns, and what becomes of its own.
  void leave_step(index_t col, index_t end) {
    const index_t behind = round_up(end, bits_per_word);
    const bool rest = behind < x_.a.cols() || (x_.invert && col > 0);
    if (rest) {
      flip_pivots(col, end);
      const bit_view<const bit> t = x_.a.block(0, col, rows_, end - col);
      add_product(t, col, behind, x_.a.cols());
      if (x_.invert) add_product(t, col, 0, col);
    }
    if (x_.invert && rest) flip_pivots(col, end);
    if (!x_.invert)
      gpu::launch(clear_gf2_columns, {gpu::grid_of(gf2_rows::blocks(rows_)), gf2_rows::threads, 0, stream_of(ctx_)},
                  x_.a, columns_.in(x_.memory), column_of_.in(x_.memory), col / bits_per_word, words_for(end));
  }
  void flip_pivots(index_t col, index_t end) {
    gpu::launch(flip_gf2_pivots,
                {gpu::grid_of(gf2_rows::blocks_of_threads(rows_)), gf2_rows::threads, 0, stream_of(ctx_)}, x_.a,
                column_of_.in(x_.memory), col, end);
  }

  const context& ctx_;
  const gf2_exchange& x_;
  index_t rows_, deepest_ = 0;
  gpu::workspace_layout layout_;
  gpu::workspace_array<bit_word> t_, pivot_rows_, offered_, reduced_, columns_;
  gpu::workspace_array<std::int32_t> row_of_, column_of_, counters_;
};

std::size_t exchange_bytes(const context& ctx, const gf2_exchange& x) {
  const gf2_run run(ctx, x);
  ctx.workspace(run.product_bytes());
  return run.bytes();
}
void eliminate(const context& ctx, gf2_exchange& x) { gf2_run(ctx, x).run(x); }

void gather_rows(const context& ctx, const bit_view<const bit>& from, const std::int32_t* rows,
                 const bit_view<bit>& to) {
  const gpu::on_device here(ctx.device()->ordinal);
  gather(ctx, from, rows, to, no_words, no_words);
}
void set_bits(const context& ctx, const bit_view<bit>& a, const std::int32_t* columns) {
  const gpu::on_device here(ctx.device()->ordinal);
  gpu::launch(set_gf2_bits, {gpu::grid_of(gf2_rows::blocks_of_threads(a.rows())), gf2_rows::threads, 0, stream_of(ctx)},
              a, columns);
}
void fetch(const context& ctx, const std::int32_t* from, std::span<std::int32_t> to) {
  const gpu::on_device here(ctx.device()->ordinal);
  gpu::require(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream_of(ctx)),
               "copying pivots");
  gpu::wait(ctx, "an elimination over GF(2)");
}
void send(const context& ctx, std::span<const std::int32_t> from, std::int32_t* to) {
  const gpu::on_device here(ctx.device()->ordinal);
  gpu::require(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream_of(ctx)),
               "copying pivots");
  gpu::wait(ctx, "copying pivots");
}
bool has_rest(const context& ctx, const bit_view<const bit>& a, const std::int32_t* column_of, std::int32_t* found) {
  const gpu::on_device here(ctx.device()->ordinal);
  gpu::require(cudaMemsetAsync(found, 0, sizeof *found, stream_of(ctx)), "clearing memory");
  gpu::launch(find_gf2_rest, {gpu::grid_of(gf2_rows::blocks(a.rows())), gf2_rows::threads, 0, stream_of(ctx)}, a,
              column_of, found);
  std::int32_t any = 0;
  fetch(ctx, found, {&any, 1});
  return any != 0;
}

}  // namespace

}  // namespace kleene::kernels::cuda

namespace kleene::kernels {

extern const gf2_exchange_kernels gf2_exchanges_on_cuda;
constinit const gf2_exchange_kernels gf2_exchanges_on_cuda{
    .bytes = cuda::exchange_bytes,
    .eliminate = cuda::eliminate,
    .gather = cuda::gather_rows,
    .set_bits = cuda::set_bits,
    .has_rest = cuda::has_rest,
    .fetch = cuda::fetch,
    .send = cuda::send,
};

}  // namespace kleene::kernels
