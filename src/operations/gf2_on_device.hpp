// Linear algebra over GF(2) where a machine eliminates a whole matrix at once (kernels/contract/gf2_exchange.hpp).
// gf2.cpp has checked the arguments.
#pragma once

#include "kleene/operations/gf2.hpp"

namespace kleene::detail::on_device {

index_t rank(const context&, const bit_view<const bit>& a);
std::vector<index_t> row_reduce(const context&, const bit_view<bit>& a);
gf2_info inverse(const context&, const bit_view<const bit>& a, const bit_view<bit>& x);
gf2_info solve(const context&, const bit_view<const bit>& a, const bit_view<const bit>& b, const bit_view<bit>& x);
device_bit_matrix null_space(const context&, const bit_view<const bit>& a);

}  // namespace kleene::detail::on_device
