// Grids of CUDA devices in one process: a thread a device.
#include "grid/device_links.hpp"
#include "grid/nccl_carrier.hpp"
#include "kleene/grid/detail/device_stream.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace kleene {

namespace {

std::string worker_name(int row, int col) {
  return "worker (" + std::to_string(row) + ", " + std::to_string(col) + ") of the grid";
}

// A failure of a device's, with the worker and its device.
[[noreturn]] void rethrow_naming(const worker& w) {
  try {
    throw;
  } catch (const error& e) {
    if (e.code() != fault_code::device) throw;
    throw error(e.code(), worker_name(w.row(), w.col()) + ", on " + w.context().describe() + ": " + e.what());
  }
}

// Between threads, where a carrier takes the panels.
class carried_communicator final : public thread_communicator {
 public:
  carried_communicator(hub& shared, const grid_place& place, int device, transport panels, nccl_group& group)
      : thread_communicator(shared, place), here_(device) {
    if (panels == transport::host) {
      carry_panels_by(detail::make_host_carrier(*this, place));
      return;
    }
    worker w(place, context::cpu({.threads = 1}), *this);
    nccl_ = &group.join(w);
    watch_.emplace([this] { return nccl_->trouble(); },
                   [place](const std::string& words) { end_by_trouble(place, words); });
  }

  void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) override {
    if (nccl_) nccl_->broadcast_on(stream, within, root, data, bytes);
    else communicator::broadcast_on(stream, within, root, data, bytes);
  }

 private:
  detail::device_scope here_;
  nccl_carrier* nccl_ = nullptr;
  std::optional<trouble_watch> watch_;
};

std::unique_ptr<communicator> link(hub& shared, const grid_place& place, int device, transport panels,
                                   nccl_group& group) {
  if (panels == transport::peer_copies) return make_device_communicator(shared, place, device);
  return std::make_unique<carried_communicator>(shared, place, device, panels, group);
}

// What a grid keeps from one program to the next.
struct kept_group {
  std::mutex busy;
  nccl_group group;
  std::shared_ptr<void> lanes = detail::keep_lanes();
};

void require_devices(const std::vector<int>& devices, transport panels) {
  for (const int device : devices) kleene::context::cuda(device);  // refuses what is not there
  if (panels == transport::peer_copies) allow_peer_access(devices);
  if (panels != transport::nccl) return;
  nccl::open();
  for (const int device : devices)
    if (std::count(devices.begin(), devices.end(), device) > 1)
      throw argument_error("NCCL needs a device for each worker, and device " + std::to_string(device) +
                           " is named several times");
}

}  // namespace

grid grid::cuda(const std::vector<int>& devices, int rows, int cols, transport panels) {
  if (devices.empty()) throw argument_error("a grid of no CUDA devices");
  const grid_place shape =
      detail::grid_shape(static_cast<int>(devices.size()), rows, cols, {"CUDA device", "CUDA devices"});
  if (panels == transport::automatic) panels = transport::peer_copies;
  require_devices(devices, panels);
  const auto kept = std::make_shared<kept_group>();
  return grid(shape.rows, shape.cols, [shape, devices, panels, kept](const std::function<void(worker&)>& program) {
    const std::unique_lock use(kept->busy, std::try_to_lock);
    std::optional<nccl_group> own;  // of a program inside a program, or beside one
    nccl_group& group = use ? kept->group : own.emplace();
    run_workers(
        shape,
        [&](hub& shared, const grid_place& place) {
          const int device = devices[place.rank()];
          auto comm = link(shared, place, device, panels, group);
          return worker_start{std::move(comm), kleene::context::cuda(device)};
        },
        [&](worker& w) {
          try {
            program(w);
          } catch (...) {
            if (w.agreed() && std::current_exception() == w.agreed()) throw;  // all workers throw it
            // Kernels of the others wait for its part in what they have begun, and nothing ends them.
            if (panels == transport::nccl && w.size() > 1) std::_Exit(detail::say_failure(place_of(w)));
            rethrow_naming(w);
          }
        });
  });
}

void communicator::broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) {
  if (!carrier_) throw error(fault_code::device, "the workers of this grid have no CUDA devices");
  carrier_->broadcast_on(stream, within, root, data, bytes);
}

}  // namespace kleene
