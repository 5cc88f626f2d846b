#include "kleene/grid/distributed_matrix.hpp"

namespace kleene::detail {

void require_distribution(const worker& w, const distribution& d) {
  require_countable(std::array<index_t, 2>{d.m, d.n}, "a distributed matrix");
  if (d.mb < 1 || d.nb < 1)
    throw argument_error("a distributed matrix in blocks of " + std::to_string(d.mb) + " x " + std::to_string(d.nb));
  if (d.rsrc < 0 || d.rsrc >= w.rows() || d.csrc < 0 || d.csrc >= w.cols())
    throw argument_error("the first block at (" + std::to_string(d.rsrc) + ", " + std::to_string(d.csrc) +
                         ") of a grid of " + std::to_string(w.rows()) + " x " + std::to_string(w.cols()));
}

void refuse_host_matrix(index_t rows, index_t cols, const distribution& d) {
  throw shape_error("a matrix of " + std::to_string(rows) + " x " + std::to_string(cols) +
                    " for a distributed one of " + std::to_string(d.m) + " x " + std::to_string(d.n));
}

void require_root(const worker& w, int root) {
  if (root < 0 || root >= w.size())
    throw argument_error("worker " + std::to_string(root) + " of a grid of " + std::to_string(w.size()));
}

}  // namespace kleene::detail
