// The innermost step of the blocked closure on the CPU: one small block, closed in the first-level cache by one thread.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"
#include "kleene/kernels/contract/closure_order.hpp"

#include <cstdint>

namespace kleene::kernels::cpu {

struct leaf_status {
  status state = status::ok;
  index_t diverging = -1;
};

// Closes the n x n block `a` (n <= closure_leaf) in place, vertex by vertex in ascending order. `predecessors` may be
// null, and are for algebras without a star of their own; for these the diagonal must already hold one() or better.
template <class S>
leaf_status close_leaf(const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& predecessors,
                       instruction_set isa) noexcept;

}  // namespace kleene::kernels::cpu
