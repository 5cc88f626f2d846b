// A tensor network: which tensors share which indices, and how far indices go. No elements: what an order is found for.
//
//   network n;
//   n.extents = {2, 2, 2};              // indices 0, 1, 2
//   n.tensors = {{0, 1}, {1, 2}, {2}};  // labels of each tensor's axes
//   n.open = {0};                       // what the result keeps, in its order
//
// An index may be in any number of tensors (a hyperedge), in one of them more than once (a diagonal), in the result at
// most once; an index of the result is in some tensor. A tensor without indices is a scalar.
#pragma once

#include "kleene/data/view.hpp"

#include <string>
#include <vector>

namespace kleene {

struct network {
  std::vector<index_t> extents;           // of index 0, 1, ...: 0 and more
  std::vector<std::vector<int>> tensors;  // the indices of each tensor's axes
  std::vector<int> open;                  // the indices of the result's axes

  int indices() const { return static_cast<int>(extents.size()); }
  int size() const { return static_cast<int>(tensors.size()); }
};

// argument_error names the tensor and the index: one that there is not, an open index twice or in no tensor, a negative
// extent, more than 64 axes.
void require_network(const network& n);

}  // namespace kleene
