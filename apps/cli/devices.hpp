// The CUDA devices that --device names, and where work on several of them ran.
#pragma once

#include "kleene/data/context.hpp"

#include <string>
#include <vector>

namespace kleene::cli {

// Those of cuda (the first), cuda:N, cuda:0-3, cuda:0,2 and cuda:all; none for auto and cpu. error(usage) for anything
// else, error(device) for "all" where there is none.
std::vector<int> devices_of(const std::string& device);
// The first of several, as --device has it; else what was asked for.
std::string first_device(const std::string& device);
// "cuda (0: NVIDIA H200)", or of several "cuda (0, 1, 2, 3: NVIDIA H200)".
std::string place_words(const context& ctx, const std::vector<int>& devices);

}  // namespace kleene::cli
