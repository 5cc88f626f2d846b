// What the operations on packed bits ask of a machine. The contracts of these functions are in
// kernels/cuda/bits/launch.hpp and kernels/cpu/bits/launch.hpp.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/device_matrix.hpp"
#include "kleene/kernels/contract/bit_product.hpp"
#include "kleene/kernels/contract/gf2_panel.hpp"

#include "kernels/gf2_exchanges.hpp"

#include <span>

namespace kleene::kernels {

template <class T>
struct bit_conversion {
  void (*pack)(const context&, const matrix_view<const T>& from, const bit_view<bit>& to);
  void (*unpack)(const context&, const bit_view<const bit>& from, const matrix_view<T>& to);
};

struct bit_kernels {
  std::size_t (*product_workspace)(const context&, const bit_product&);
  void (*multiply)(const context&, const bit_product&);
  void (*transpose)(const context&, const bit_view<const bit>& from, const bit_view<bit>& to);
  void (*copy)(const context&, const bit_view<const bit>& from, const bit_view<bit>& to);
  bit_conversion<std::uint8_t> bytes;
  bit_conversion<bool> bools;
  bit_conversion<float> floats;

  // The closure (src/operations/bits_closure.cpp): vertices that one kernel closes, those of a step around it, and the
  // number above which vertices that reach each other become one first.
  index_t innermost_block, outer_block, condensed_above;
  void (*load_closure)(const context&);
  void (*close)(const context&, const bit_view<bit>& a);
  std::size_t (*class_workspace)(index_t n);
  index_t (*find_classes)(const context&, const bit_view<const bit>& a, const bit_view<bit>& transposed,
                          std::span<std::int32_t> class_of, index_t enough, void* workspace);
  void (*combine_rows)(const context&, const bit_view<const bit>& from, const std::int32_t* class_of,
                       const bit_view<bit>& to);
  void (*spread_rows)(const context&, const bit_view<const bit>& from, const std::int32_t* class_of,
                      const bit_view<bit>& to);
  // Null where find_classes numbers the classes in no order; else they are in topological order.
  bool (*follow_rows)(const context&, const bit_view<bit>& rows, const bit_view<const bit>& closed,
                      const bit_view<bit>& left, index_t most);
  bool orders_classes() const { return follow_rows != nullptr; }

  // Elimination over GF(2): panels that the host walks over (src/operations/gf2_elimination.hpp), or where these are
  // null all of it at once (gf2_on_device.cpp).
  std::size_t (*gf2_workspace)();
  index_t (*eliminate_panel)(const context&, const gf2_panel&);  // returns the number of pivots
  // to's row columns[j] - first = from's row j; the others are zero.
  void (*spread_pivots)(const context&, const bit_view<const bit>& from, std::span<const index_t> columns,
                        index_t first, const bit_view<bit>& to);
  const gf2_exchange_kernels* gf2_exchanges;
};

extern const bit_kernels bits_on_cpu;  // bits.cpp
const bit_kernels& bits_on_cuda();     // bits.cu; without CUDA operations/kernels_absent.cpp, which refuses

inline const bit_kernels& bits_on(const context& ctx) {
  return ctx.kind() == device_kind::cuda ? bits_on_cuda() : bits_on_cpu;
}

// Memory for rows x cols bits where the context works, and a view of it, as long as `memory` lives.
inline auto room_for_bits(const context& ctx, index_t rows, index_t cols) {
  return ctx.temporary(detail::checked_bytes(double(rows) * double(words_for(cols)), sizeof(bit_word)));
}
using bit_room = decltype(room_for_bits(std::declval<const context&>(), 0, 0));
inline bit_view<bit> bits_in(const bit_room& memory, index_t rows, index_t cols) {
  return {static_cast<bit_word*>(memory.get()), rows, cols};
}

}  // namespace kleene::kernels
