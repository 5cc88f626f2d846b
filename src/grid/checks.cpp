// What is wrong with the shapes of operations on a grid.
#include "kleene/grid/closure.hpp"
#include "kleene/grid/gemm.hpp"

#include <limits>

namespace kleene::detail {

void require_product(const distribution& a, const distribution& b, const distribution& c) {
  const auto refuse = [&](const char* what) {
    throw shape_error(std::string("a product on a grid: ") + what + ": A is " + to_string(a) + ", B " + to_string(b) +
                      ", C " + to_string(c));
  };
  if (a.m != c.m || b.n != c.n || a.n != b.m) refuse("the extents do not fit");
  if (a.mb != c.mb || a.rsrc != c.rsrc) refuse("the rows of A and C lie differently");
  if (b.nb != c.nb || b.csrc != c.csrc) refuse("the columns of B and C lie differently");
  if (a.nb != b.mb) refuse("A's columns and B's rows are in different blocks");
}

void require_closable(const distribution& a, const distribution* p) {
  if (a.m != a.n) throw shape_error("a closure needs a square matrix; A is " + to_string(a));
  if (a.mb != a.nb) throw shape_error("a closure on a grid needs square blocks; A is " + to_string(a));
  if (!p) return;
  if (*p != a) throw shape_error("the predecessor matrix is " + to_string(*p) + ", A is " + to_string(a));
  if (a.n > std::numeric_limits<std::int32_t>::max())
    throw shape_error("predecessors are int32: " + std::to_string(a.n) + " vertices are too many");
}

}  // namespace kleene::detail
