// How panels go between the devices of a grid's workers (communicator::broadcast_on).
//
//   transport    where the workers are          how
//   peer_copies  threads of one process         pulled by the device that needs them, through NVLink or PCIe
//   nccl         anywhere, a device for each    ncclBroadcast within the rows and columns of the grid
//   host         anywhere                       through pinned memory, as messages of the grid's workers
//   automatic    threads: peer_copies. Ranks of MPI: nccl where all of them have the library, else host. Processes
//                without MPI: nccl
//
// Contract
//   nccl         NCCL 2.18 or newer is opened when it is first needed: KLEENE_NCCL_LIBRARY, or libnccl.so.2 where the
//                loader finds it. error(device) without it. NVLink multicast is left off (NCCL_NVLS_ENABLE=0) where the
//                environment says nothing of it.
//   host         the thread that calls waits for the copies
//   failures     of NCCL's own (a connection that ends) are looked for all the time; they are said, and end the process
//                (exit code 4), by which its launcher ends the others. So does a worker that fails: what it throws.
#pragma once

#include "kleene/grid/communicator.hpp"

#include <memory>
#include <string>

namespace kleene {

enum class transport : int { automatic, peer_copies, nccl, host };

class worker;
struct grid_place;

// Whether NCCL can be opened here; its version and file, or else what is wrong, in words.
bool has_nccl();
std::string describe_nccl();

namespace detail {

// Calls of all workers, which throw the same errors; the calling thread's device is the one that is meant.
// For ranks: what NCCL finds wrong later ends the process.
std::unique_ptr<panel_carrier> make_nccl_carrier(worker& w);
// `by` outlives it.
std::unique_ptr<panel_carrier> make_host_carrier(communicator& by, const grid_place& place);

// Says on standard error what a worker threw just now. The exit code that it stands for.
int say_failure(const grid_place& place);

}  // namespace detail

}  // namespace kleene
