// Packed bits on the CPU: which kernels a call becomes.
#include "kernels/bit_kernels.hpp"

#include "kleene/kernels/cpu/bits/components.inl.hpp"
#include "kleene/kernels/cpu/bits/convert.inl.hpp"
#include "kleene/kernels/cpu/bits/counts.inl.hpp"
#include "kleene/kernels/cpu/bits/gf2.inl.hpp"
#include "kleene/kernels/cpu/bits/product.inl.hpp"

namespace kleene::kernels {

namespace {

// Threads for a pass over that many rows of words, in a product once for each word of k. 32,768 words take a core some
// 20 us.
int threads_of(const context& ctx, index_t rows, index_t words, index_t depth = 1) {
  const double work = static_cast<double>(rows) * static_cast<double>(words) * static_cast<double>(depth);
  return threads_for(work, 1 << 15, ctx.threads());
}

cpu::bit_product product_of(const context& ctx, const bit_product& p, const bit_view<const bit>& b) {
  const int threads = threads_of(ctx, p.c.rows(), p.c.words(), p.a.words());
  return {p.a, b, p.c, p.parity, p.accumulate, threads, ctx.isa()};
}

std::size_t product_workspace(const context& ctx, const bit_product& p) {
  return cpu::bit_product_workspace(product_of(ctx, p, p.b));
}

// Counts read B by columns, the product by rows: B's transpose is made where it was given the other way.
void multiply(const context& ctx, const bit_product& p) {
  const bool counts = !p.counts.is_null();
  bit_room memory = nullptr;
  bit_view<const bit> b = p.b;
  if (counts != p.transposed_b) {
    memory = room_for_bits(ctx, p.b.cols(), p.b.rows());
    const bit_view<bit> turned = bits_in(memory, p.b.cols(), p.b.rows());
    cpu::launch_bit_transpose(p.b, turned, threads_of(ctx, p.b.rows(), p.b.words()));
    b = turned;
  }
  if (counts) {
    const int threads = threads_of(ctx, p.a.rows(), p.a.words(), b.rows());
    return cpu::launch_bit_counts(p.a, b, p.counts, threads, ctx.isa());
  }
  const cpu::bit_product product = product_of(ctx, p, b);
  void* workspace = ctx.workspace(cpu::bit_product_workspace(product));
  if (explain_enabled()) explain(cpu::describe_bit_product(product));
  cpu::launch_bit_product(product, workspace);
}

void transpose(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to) {
  cpu::launch_bit_transpose(from, to, threads_of(ctx, from.rows(), from.words()));
}
void copy_words(const context&, const bit_view<const bit>& from, const bit_view<bit>& to) {
  for (index_t i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), from.words(), to.row(i));
}

template <class T>
void pack(const context& ctx, const matrix_view<const T>& from, const bit_view<bit>& to) {
  cpu::launch_bit_pack<T>(from, to, threads_of(ctx, from.rows(), from.cols()));
}
template <class T>
void unpack(const context& ctx, const bit_view<const bit>& from, const matrix_view<T>& to) {
  cpu::launch_bit_unpack<T>(from, to, threads_of(ctx, to.rows(), to.cols()));
}

void close(const context& ctx, const bit_view<bit>& a) { cpu::close_bits(a, ctx.isa()); }
index_t find_classes(const context&, const bit_view<const bit>& a, const bit_view<bit>&,
                     std::span<std::int32_t> class_of, index_t, void* workspace) {
  return cpu::find_components(a, class_of.data(), workspace);
}
void combine_rows(const context& ctx, const bit_view<const bit>& from, const std::int32_t* class_of,
                  const bit_view<bit>& to) {
  cpu::combine_rows(from, class_of, to, threads_of(ctx, from.rows(), from.words()), ctx.isa());
}
void spread_rows(const context& ctx, const bit_view<const bit>& from, const std::int32_t* class_of,
                 const bit_view<bit>& to) {
  cpu::spread_rows(from, class_of, to, threads_of(ctx, to.rows(), to.words()));
}
bool follow_rows(const context& ctx, const bit_view<bit>& rows, const bit_view<const bit>& closed,
                 const bit_view<bit>& left, index_t most) {
  return cpu::follow_rows(rows, closed, left, most, threads_of(ctx, rows.rows(), rows.words()), ctx.isa());
}

index_t eliminate_panel(const context& ctx, const gf2_panel& p) {
  void* workspace = ctx.workspace(cpu::gf2_panel_workspace());
  const int threads = threads_of(ctx, p.a.rows(), gf2_panel_columns / bits_per_word, words_for(p.cols));
  return cpu::launch_gf2_panel(p, workspace, threads, ctx.isa());
}
void spread_pivots(const context&, const bit_view<const bit>& from, std::span<const index_t> columns, index_t first,
                   const bit_view<bit>& to) {
  for (index_t i = 0; i < to.rows(); ++i) std::fill_n(to.row(i), to.words(), 0);
  for (index_t j = 0; j < from.rows(); ++j)
    std::copy_n(from.row(j), from.words(), to.row(columns[static_cast<std::size_t>(j)] - first));
}

}  // namespace

constinit const bit_kernels bits_on_cpu{
    .product_workspace = product_workspace,
    .multiply = multiply,
    .transpose = transpose,
    .copy = copy_words,
    .bytes = {pack, unpack},
    .bools = {pack, unpack},
    .floats = {pack, unpack},
    .innermost_block = 512,  // fits the first-level cache
    .outer_block = 512,
    .condensed_above = 512,
    .load_closure = [](const context&) {},
    .close = close,
    .class_workspace = cpu::component_workspace,
    .find_classes = find_classes,
    .combine_rows = combine_rows,
    .spread_rows = spread_rows,
    .follow_rows = follow_rows,
    .gf2_workspace = cpu::gf2_panel_workspace,
    .eliminate_panel = eliminate_panel,
    .spread_pivots = spread_pivots,
    .gf2_exchanges = nullptr,
};

}  // namespace kleene::kernels
