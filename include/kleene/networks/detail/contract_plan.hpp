// How a network is contracted, worked out before anything runs: what lies where, and the loops of each pair. It is made
// once and serves all slices. No algebra, no elements; the contract is in contract.hpp.
//
// A pair is one of
//   scalar    few operations: plain loops, element by element
//   streamed  the larger operand and the result run side by side along a stretch of the result that lies together in
//             both: a vector at a time, whatever the indices mean. What is short of such a stretch is copied first.
//   product   all of rows, columns and k are long, or nothing but k is: gemm's and gemv's, as einsum has them
// Indices of the results lie in the order in which they are summed over, the last innermost: so stretches stay long.
#pragma once

#include "kleene/kernels/cpu/permute/plan.hpp"
#include "kleene/networks/network.hpp"
#include "kleene/operations/detail/einsum_step.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kleene::detail {

struct network_axis {
  int label;
  index_t extent, stride;
};

// A part of one of the plan's pools.
struct pool_range {
  int first = 0, count = 0;
  template <class X>
  std::span<const X> of(const std::vector<X>& pool) const {
    return {pool.data() + first, static_cast<std::size_t>(count)};
  }
};

struct loop_axis {
  index_t extent, a, b, c;  // strides in elements, 0 where a tensor lacks the index
};
struct term_offset {
  index_t a, b;
};

// An operand that is copied into another order of its axes, or repeated along axes that it lacks (stride 0).
struct planned_copy {
  pool_range axes;  // extents, and strides in the operand (a); the copy is contiguous
  index_t elements = 0;
  std::size_t offset = 0;                          // bytes from the start of the workspace
  std::unique_ptr<kernels::cpu::permute_plan> by;  // of many elements; its pointers are set when it runs
};

enum class pair_mode : std::uint8_t { scalar, streamed, product };

struct planned_pair {
  int a = 0, b = 0, c = 0;  // tensors, a the larger one
  pair_mode mode = pair_mode::scalar;
  bool b_runs = false;  // streamed: b lies together along the run; otherwise it is the same all along
  int copy_a = -1, copy_b = -1, step = -1;
  pool_range loops;            // over the elements of the result; streamed: over its runs
  pool_range terms;            // what is summed for each
  pool_range repeats;          // loops over what more is summed, each time over the terms
  index_t items = 1, run = 1;  // elements, or runs and their length
};

struct contraction_plan {
  std::vector<pool_range> tensors;  // axes of the network's tensors, then of each pair's result, without fixed ones
  std::vector<network_axis> axes;
  std::vector<std::size_t> offsets;  // of the results, in bytes of the workspace: tensor t at t - leaves
  int leaves = 0;
  std::vector<planned_pair> pairs;
  std::vector<loop_axis> loops;
  std::vector<term_offset> terms;
  std::vector<planned_copy> copies;
  std::vector<std::unique_ptr<einsum_step>> steps;
  std::size_t bytes = 0;  // of the workspace

  std::span<const network_axis> axes_of(int tensor) const { return tensors[static_cast<std::size_t>(tensor)].of(axes); }
  index_t elements_of(int tensor) const;
};

// What is to be contracted. Indices that are fixed, by a slice or because they are known, count as absent: whoever runs
// the plan moves the tensors' pointers. So do indices of one step.
struct plan_request {
  std::span<const std::vector<network_axis>> leaves;  // as they lie, a label once
  std::span<const std::pair<int, int>> pairs;
  std::span<const std::uint8_t> fixed;  // for each index: 0 or 1
  std::span<const std::uint8_t> open;   // for each index: 0 or 1
  std::size_t element = 1;              // bytes
  int keeps_from = 1 << 30;             // results of pairs from this one on are not freed
  int threads = 1;
  bool multiplies = true;      // whether there is a gemm to leave products to
  bool sums_are_long = false;  // sums of several terms are left to gemm, which knows better ways
};
contraction_plan plan_contraction(const plan_request& request);

// The indices of a pair that its result has, and those that are summed over, these by rising label; strides are 0 in
// tensors that lack one.
struct labelled_loop {
  int label;
  index_t extent, a, b, c;  // strides in elements
};
struct pair_indices {
  std::vector<labelled_loop> kept, summed;
};
pair_indices indices_of(const contraction_plan& plan, const planned_pair& pair);

// argument_error where `pairs` contract no network of `tensors` tensors to one.
void require_pairs(int tensors, std::span<const std::pair<int, int>> pairs);

}  // namespace kleene::detail
