// operations/paths.hpp on a CUDA device.
#pragma once

#include "kleene/operations/paths.hpp"

namespace kleene::detail {

path_list trace_paths_on_cuda(const context& ctx, const matrix_view<const std::int32_t>& predecessors,
                              std::span<const vertex_pair> pairs);  // paths.cu; without CUDA kernels_absent.cpp

// What both sides share: offsets from lengths (value_error for a -1).
void lay_out_paths(path_list& list, std::span<const vertex_pair> pairs, std::span<const index_t> lengths);

}  // namespace kleene::detail
