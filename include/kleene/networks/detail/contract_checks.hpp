// What is checked of a contraction before anything runs: what needs no algebra.
#pragma once

#include "kleene/networks/detail/contract_plan.hpp"
#include "kleene/networks/order.hpp"
#include "kleene/operations/detail/einsum_checks.hpp"

#include <span>
#include <vector>

namespace kleene::detail {

// The axes of a network's tensors as they lie, diagonals as one. Refuses tensors that are not the network's.
std::vector<std::vector<network_axis>> network_axes(const network& n, std::span<const tensor_facts> tensors);

// Refuses what is no order of the network; gives how many slices there are.
index_t require_contraction_order(const network& n, const contraction_order& order);

// error(memory) where that is more than allowed; 0: than the context has.
void require_contraction_memory(const context& ctx, double bytes, std::size_t allowed);

// No term of a pair gives the element of its result: error(internal).
[[noreturn]] void refuse_lost_term();

// Asks for large pages, where the system has them: a workspace of half a gigabyte is otherwise a fifth of the time in
// page faults.
void ask_for_large_pages(void* memory, std::size_t bytes);

}  // namespace kleene::detail
