// What linear algebra over GF(2) on a device asks of it: everything is enqueued on the context's stream, and pointers
// are to the device's memory.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/kernels/contract/gf2_exchange.hpp"

#include <span>

namespace kleene::kernels {

struct gf2_exchange_kernels {
  // What an elimination takes besides the workspace, which has grown to what it needs afterwards: whoever has both will
  // not run out of memory with the matrix half-written.
  std::size_t (*bytes)(const context&, const gf2_exchange&);
  // Waits now and then where there are more columns than rows.
  void (*eliminate)(const context&, gf2_exchange&);

  // Row i of `to` = row rows[i] of `from`, zero where that is negative; where rows is null row i. Bits behind the last
  // column are zero.
  void (*gather)(const context&, const bit_view<const bit>& from, const std::int32_t* rows, const bit_view<bit>& to);
  // Row i gets its bit columns[i].
  void (*set_bits)(const context&, const bit_view<bit>& a, const std::int32_t* columns);
  // Whether a row without a pivot has a bit. Waits for the device, as do the copies.
  bool (*has_rest)(const context&, const bit_view<const bit>& a, const std::int32_t* column_of, std::int32_t* found);
  void (*fetch)(const context&, const std::int32_t* from, std::span<std::int32_t> to);
  void (*send)(const context&, std::span<const std::int32_t> from, std::int32_t* to);
};

}  // namespace kleene::kernels
