// What a grid of devices asks of the CUDA runtime: devices_on_cuda.cu, or in a library without CUDA
// devices_absent.cpp.
#pragma once

#include "grid/hub.hpp"

#include <memory>
#include <vector>

namespace kleene {

// Lets each device copy from the others without the host, where that can be. Once for each pair in a process.
void allow_peer_access(const std::vector<int>& devices);

// Between workers with devices. The calling thread's device is this one as long as the result lives.
std::unique_ptr<communicator> make_device_communicator(hub& shared, const grid_place& place, int device);

}  // namespace kleene
