// Grids of CUDA devices in one process: a thread a device.
#include "grid/device_links.hpp"

#include <string>

namespace kleene {

namespace {

// Rows and columns for so many workers.
grid_place shape_for(int workers, int rows, int cols) {
  if (workers == 0) throw argument_error("a grid of no CUDA devices");
  if (rows < 0 || cols < 0) detail::require_grid(rows, cols);
  if (rows == 0 && cols > 0) rows = workers / cols;
  if (rows > 0 && cols == 0) cols = workers / rows;
  if (rows == 0 && cols == 0) {
    for (int r = 1; r * r <= workers; ++r)
      if (workers % r == 0) rows = r;
    cols = workers / rows;
  }
  if (rows * cols != workers)
    throw argument_error("a grid of " + std::to_string(rows) + " x " + std::to_string(cols) + " workers on " +
                         std::to_string(workers) + (workers == 1 ? " CUDA device" : " CUDA devices"));
  detail::require_grid(rows, cols);
  return {.rows = rows, .cols = cols};
}

// A failure of a device's, with the worker and its device.
[[noreturn]] void rethrow_naming(const worker& w) {
  try {
    throw;
  } catch (const error& e) {
    if (e.code() != fault_code::device) throw;
    throw error(e.code(), "worker (" + std::to_string(w.row()) + ", " + std::to_string(w.col()) + ") of the grid, on " +
                              w.context().describe() + ": " + e.what());
  }
}

}  // namespace

grid grid::cuda(const std::vector<int>& devices, int rows, int cols) {
  const grid_place shape = shape_for(static_cast<int>(devices.size()), rows, cols);
  for (const int device : devices) kleene::context::cuda(device);  // refuses what is not there
  allow_peer_access(devices);
  return grid(shape.rows, shape.cols, [shape, devices](const std::function<void(worker&)>& program) {
    run_workers(
        shape,
        [&](hub& shared, const grid_place& place) {
          const int device = devices[place.rank()];
          auto comm = make_device_communicator(shared, place, device);
          return worker_start{std::move(comm), kleene::context::cuda(device)};
        },
        [&](worker& w) {
          try {
            program(w);
          } catch (const error&) {
            if (w.agreed() && std::current_exception() == w.agreed()) throw;  // all workers throw it
            rethrow_naming(w);
          }
        });
  });
}

void communicator::broadcast_on(cuda_stream, scope, int, void*, std::size_t) {
  throw error(fault_code::device, "the workers of this grid have no CUDA devices");
}

}  // namespace kleene
