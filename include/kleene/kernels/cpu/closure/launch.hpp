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
  bool tied = false;  // of a whole matrix: a predecessor is no nearer to the row's vertex than what it precedes
  // Of a copy: whether it has a NaN or a value outside the domain (then nothing is written), and, of floats, the
  // largest finite magnitude that was read.
  bool refused = false;
  double largest = 0;
};

// What a leaf is: a block of a larger matrix, all of a small one, or the closed copy of one, whose values are checked.
enum class leaf_kind : char { block, whole, copy };

// Closes the n x n block `a` (n <= closure_leaf) in place, vertex by vertex in ascending order. `predecessors` may be
// null, and are for algebras without a star of their own. For these the diagonal of a block must already hold one() or
// better, and its predecessors be there; of a whole matrix both are set first, whatever the predecessors hold.
template <class S>
leaf_status close_leaf(const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& predecessors,
                       instruction_set isa, leaf_kind kind = leaf_kind::block) noexcept;
// The same of what is read from another matrix; that may be `a`.
template <class S>
leaf_status close_leaf(const matrix_view<const value_of<S>>& from, const matrix_view<value_of<S>>& a,
                       const matrix_view<std::int32_t>& predecessors, instruction_set isa, leaf_kind kind) noexcept;

}  // namespace kleene::kernels::cpu
