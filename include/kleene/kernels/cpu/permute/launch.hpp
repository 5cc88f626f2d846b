// A copy of a tensor with its axes in another order, on the CPU: the interface. It is compiled once, for elements of
// any size: an algebra makes no difference to bytes.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/kernels/contract/permute_arguments.hpp"
#include "kleene/kernels/cpu/permute/plan.hpp"

#include <cstddef>
#include <string>

namespace kleene::kernels::cpu {

// Bytes of workspace that launch_permute needs: a tile a thread.
std::size_t permute_workspace(const permute_plan& plan);

// Runs the copy; workspace is 64-byte aligned.
void launch_permute(const permute_plan& plan, void* workspace, instruction_set isa) noexcept;

// "permute 64 x 64 of 4 bytes: tiles of 4096, runs of 64 in and 4096 out, 4 lanes, 1 thread".
std::string describe_permute(const permute_plan& plan);

}  // namespace kleene::kernels::cpu
