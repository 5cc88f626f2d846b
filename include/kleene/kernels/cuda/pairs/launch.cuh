// One pair, by the kernel that its extents ask for.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/kernels/cuda/pairs/multiply.cuh"

#include <algorithm>

namespace kleene::kernels::cuda {

// Sums of blocks that share an element, at most; and the elements of pairs whose terms are shared.
inline constexpr unsigned most_pair_splits = 256;
inline constexpr index_t few_pair_items = 4096;
inline constexpr index_t most_pair_partials = most_pair_splits * index_t{1024};

constexpr bool shares_terms(index_t items, index_t terms) { return items <= few_pair_items && terms >= 1024; }

// `partials`: room for most_pair_partials accumulators. `multiprocessors`: how many blocks are worth having.
template <class S>
void launch_pair(const pair_product<value_of<S>>& p, unsigned* overflow, accumulator_of<S>* partials,
                 int multiprocessors, cudaStream_t stream) {
  if (p.items == 0) return;
  if (shares_terms(p.items, p.terms)) {
    const index_t wanted = std::max<index_t>(8 * multiprocessors / p.items, 1);
    const auto splits =
        static_cast<unsigned>(std::min({wanted, ceil_div(p.terms, index_t{pair_threads}), index_t{most_pair_splits}}));
    gpu::launch(multiply_pair_split<S>, {gpu::grid_of(p.items * splits), pair_threads, 0, stream, true}, p, splits,
                partials);
    gpu::launch(join_pair_splits<S>, {gpu::grid_of(ceil_div(p.items, pair_threads)), pair_threads, 0, stream, true}, p,
                splits, partials, overflow);
    return;
  }
  const index_t blocks = std::min<index_t>(ceil_div(p.items, pair_threads), 16 * index_t{multiprocessors});
  gpu::launch(multiply_pair<S>, {gpu::grid_of(blocks), pair_threads, 0, stream, true}, p, overflow);
}

}  // namespace kleene::kernels::cuda
