#include "operations/gf2_on_device.hpp"

#include "kleene/data/integers.hpp"

#include "kernels/bit_kernels.hpp"

#include <algorithm>

namespace kleene::detail::on_device {

namespace {

using kernels::bit_kernels;
using kernels::bit_room;
using kernels::bits_in;
using kernels::bits_on;

// Devices have no memory of no bytes.
bit_room room_for_bits(const context& ctx, index_t rows, index_t cols) {
  return kernels::room_for_bits(ctx, std::max<index_t>(rows, 1), std::max<index_t>(cols, 1));
}

// 32-bit numbers in the device's memory.
struct device_numbers {
  bit_room memory;
  std::int32_t* data;

  device_numbers(const context& ctx, index_t count)
      : memory(ctx.temporary(checked_bytes(static_cast<double>(count), sizeof(std::int32_t)))),
        data(static_cast<std::int32_t*>(memory.get())) {}
};

class elimination {
 public:
  // Takes all memory that it needs beside a.
  elimination(const context& ctx, const bit_view<bit>& a, index_t cols, bool invert)
      : ctx_(ctx),
        on_(*bits_on(ctx).gf2_exchanges),
        exchange_{.a = a, .cols = cols, .invert = invert},
        memory_(ctx.temporary(on_.bytes(ctx, exchange_))) {
    exchange_.memory = memory_.get();
  }

  void run() { on_.eliminate(ctx_, exchange_); }

  const std::int32_t* row_of() const { return exchange_.row_of; }
  const std::int32_t* column_of() const { return exchange_.column_of; }
  // These wait for the device.
  index_t rank() const {
    std::int32_t found = 0;
    on_.fetch(ctx_, exchange_.rank, {&found, 1});
    return found;
  }
  std::vector<std::int32_t> rows() const {
    std::vector<std::int32_t> rows(static_cast<std::size_t>(exchange_.cols));
    if (!rows.empty()) on_.fetch(ctx_, row_of(), rows);
    return rows;
  }

 private:
  const context& ctx_;
  const kernels::gf2_exchange_kernels& on_;
  kernels::gf2_exchange exchange_;
  bit_room memory_;
};

}  // namespace

index_t rank(const context& ctx, const bit_view<const bit>& a) {
  const bit_room memory = room_for_bits(ctx, a.rows(), a.cols());
  const bit_view<bit> copied = bits_in(memory, a.rows(), a.cols());
  elimination e(ctx, copied, a.cols(), false);
  bits_on(ctx).gf2_exchanges->gather(ctx, a, nullptr, copied);
  e.run();
  return e.rank();
}

// On a copy: rows are put into their order on the way back.
std::vector<index_t> row_reduce(const context& ctx, const bit_view<bit>& a) {
  const kernels::gf2_exchange_kernels& on = *bits_on(ctx).gf2_exchanges;
  const bit_room memory = room_for_bits(ctx, a.rows(), a.cols());
  const bit_view<bit> copied = bits_in(memory, a.rows(), a.cols());
  elimination e(ctx, copied, a.cols(), false);
  const device_numbers order(ctx, a.rows());
  std::vector<std::int32_t> sources(static_cast<std::size_t>(a.rows()), -1);
  std::vector<index_t> pivots;
  pivots.reserve(static_cast<std::size_t>(std::min(a.rows(), a.cols())));
  on.gather(ctx, a, nullptr, copied);
  e.run();
  const std::vector<std::int32_t> rows = e.rows();
  for (index_t c = 0; c < a.cols(); ++c)
    if (const std::int32_t row = rows[static_cast<std::size_t>(c)]; row >= 0) {
      sources[pivots.size()] = row;
      pivots.push_back(c);
    }
  on.send(ctx, sources, order.data);
  on.gather(ctx, copied, order.data, a);
  return pivots;
}

// With R the result of the exchanges on the transpose of A, element (c, row_of[c']) of the transpose's inverse is R's
// (row_of[c], c'): so A's has in row row_of[c'] what R's column c' holds, in the order of row_of.
gf2_info inverse(const context& ctx, const bit_view<const bit>& a, const bit_view<bit>& x) {
  const bit_kernels& on = bits_on(ctx);
  const index_t n = a.rows();
  const bit_room memory = room_for_bits(ctx, n, n);
  const bit_view<bit> work = bits_in(memory, n, n);
  elimination e(ctx, work, n, true);
  on.transpose(ctx, a, work);
  e.run();
  const index_t found = e.rank();
  if (found < n) return {.exists = false, .rank = found};
  on.gf2_exchanges->gather(ctx, work, e.row_of(), x);
  on.transpose(ctx, x, work);
  on.gf2_exchanges->gather(ctx, work, e.column_of(), x);
  return {.exists = true, .rank = n};
}

// [A | B], with B from a whole word on.
gf2_info solve(const context& ctx, const bit_view<const bit>& a, const bit_view<const bit>& b, const bit_view<bit>& x) {
  const kernels::gf2_exchange_kernels& on = *bits_on(ctx).gf2_exchanges;
  const index_t m = a.rows(), n = a.cols(), p = b.cols(), first = round_up(n, bits_per_word);
  const bit_room memory = room_for_bits(ctx, m, first + p);
  const bit_view<bit> both = bits_in(memory, m, first + p), sides = both.block(0, first, m, p);
  elimination e(ctx, both, n, false);
  const device_numbers flag(ctx, 1);
  on.gather(ctx, a, nullptr, both.block(0, 0, m, n));
  on.gather(ctx, b, nullptr, sides);
  e.run();
  const index_t rank = e.rank();
  if (!sides.empty() && on.has_rest(ctx, sides, e.column_of(), flag.data)) return {.exists = false, .rank = rank};
  on.gather(ctx, sides, e.row_of(), x);
  return {.exists = true, .rank = rank};
}

// The columns of the reduced form that have no pivot, each where its pivots are, and the bit of its own.
device_bit_matrix null_space(const context& ctx, const bit_view<const bit>& a) {
  const bit_kernels& on = bits_on(ctx);
  const index_t m = a.rows(), n = a.cols();
  const bit_room memory = room_for_bits(ctx, m, n), turned_memory = room_for_bits(ctx, n, m);
  const bit_view<bit> copied = bits_in(memory, m, n), turned = bits_in(turned_memory, n, m);
  elimination e(ctx, copied, n, false);
  on.gf2_exchanges->gather(ctx, a, nullptr, copied);
  e.run();
  std::vector<std::int32_t> free;
  const std::vector<std::int32_t> rows = e.rows();
  for (std::int32_t c = 0; c < n; ++c)
    if (rows[static_cast<std::size_t>(c)] < 0) free.push_back(c);
  const auto count = static_cast<index_t>(free.size());
  device_bit_matrix basis(ctx, count, n);
  if (count == 0) return basis;
  const device_numbers free_columns(ctx, count);
  on.gf2_exchanges->send(ctx, free, free_columns.data);
  const bit_room picked_memory = room_for_bits(ctx, count, m), placed_memory = room_for_bits(ctx, n, count);
  const bit_view<bit> picked = bits_in(picked_memory, count, m), placed = bits_in(placed_memory, n, count);
  const bit_view<bit> back = bits_in(memory, m, count), result = {basis.view().data(), count, n};
  if (m > 0) {
    on.transpose(ctx, copied, turned);
    on.gf2_exchanges->gather(ctx, turned, free_columns.data, picked);
    on.transpose(ctx, picked, back);
  }
  on.gf2_exchanges->gather(ctx, back, e.row_of(), placed);
  on.transpose(ctx, placed, result);
  on.gf2_exchanges->set_bits(ctx, result, free_columns.data);
  return basis;
}

}  // namespace kleene::detail::on_device
