// Workers that share the first device, and all devices that there are; panels in all ways.
#include "grid/device_grids.hpp"

namespace kleene::test {

namespace {

struct device_shape {
  std::vector<int> devices;
  int rows, cols;
  transport panels = transport::peer_copies;
};

// Of 1, 2, 3, 4 and 6 workers on one device: lines, columns, squares, and what is none; and a worker a device.
std::vector<device_shape> device_shapes() {
  std::vector<device_shape> found{{{0}, 1, 1},
                                  {{0, 0}, 1, 2},
                                  {{0, 0}, 2, 1},
                                  {{0, 0, 0, 0}, 2, 2},
                                  {{0, 0, 0, 0}, 1, 4},
                                  {{0, 0, 0, 0, 0, 0}, 3, 2},
                                  {{0, 0, 0, 0}, 2, 2, transport::host},
                                  {{0, 0, 0}, 3, 1, transport::host}};
  std::vector<int> all;
  for (const cuda_device& each : cuda_devices()) all.push_back(each.ordinal);
  if (has_nccl()) found.push_back({{0}, 1, 1, transport::nccl});
  if (all.size() < 2) return found;
  for (const transport panels : {transport::peer_copies, transport::nccl}) {
    if (panels == transport::nccl && !has_nccl()) continue;
    found.push_back({{all[0], all[1]}, 1, 2, panels});
    found.push_back({{all[0], all[1]}, 2, 1, panels});
    if (all.size() > 2) found.push_back({all, 0, 0, panels});
  }
  return found;
}

std::vector<named_grid> make_device_grids() {
  std::vector<named_grid> grids;
  for (const device_shape& s : device_shapes()) {
    grid made = grid::cuda(s.devices, s.rows, s.cols, s.panels);
    std::string name = "a grid of " + std::to_string(made.rows()) + " x " + std::to_string(made.cols()) + " on devices";
    for (const int device : s.devices) name += " " + std::to_string(device);
    grids.push_back({name + " by " + words_of(s.panels), std::move(made)});
  }
  return grids;
}

}  // namespace

const std::vector<named_grid>& every_device_grid() {
  static const std::vector<named_grid> grids = make_device_grids();  // once: NCCL takes half a second for each
  return grids;
}

}  // namespace kleene::test
