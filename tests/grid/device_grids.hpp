// The grids of devices that tests go through: workers that share the first device, and all devices that there are.
#pragma once

#include "kleene/grid/distributed_device_matrix.hpp"

#include "grid/grids.hpp"
#include "support/sample.hpp"

#include <string>
#include <vector>

namespace kleene::test {

struct device_shape {
  std::vector<int> devices;
  int rows, cols;
};

// Of 1, 2, 4 and 6 workers on one device: lines, columns, squares, and what is none; and a worker a device.
inline std::vector<device_shape> device_shapes() {
  std::vector<device_shape> found{{{0}, 1, 1},          {{0, 0}, 1, 2},       {{0, 0}, 2, 1},
                                  {{0, 0, 0, 0}, 2, 2}, {{0, 0, 0, 0}, 1, 4}, {{0, 0, 0, 0, 0, 0}, 3, 2}};
  const auto& there = cuda_devices();
  std::vector<int> all;
  for (const cuda_device& each : there) all.push_back(each.ordinal);
  if (all.size() < 2) return found;
  found.push_back({{all[0], all[1]}, 1, 2});
  found.push_back({{all[0], all[1]}, 2, 1});
  if (all.size() > 2) found.push_back({all, 0, 0});
  return found;
}

// Runs program(worker&) on each of them.
template <class Program>
void on_every_device_grid(const Program& program) {
  for (const device_shape& s : device_shapes()) {
    const grid g = grid::cuda(s.devices, s.rows, s.cols);
    std::string trace = "a grid of " + std::to_string(g.rows()) + " x " + std::to_string(g.cols()) + " on devices";
    for (const int device : s.devices) trace += " " + std::to_string(device);
    SCOPED_TRACE(trace);
    g.run(program);
  }
}

template <class T>
distributed_device_matrix<T> spread(worker& w, const distribution& d, const matrix<T>& from) {
  distributed_matrix<T> host(w, d);
  host.fill([&](index_t i, index_t j) { return from(i, j); });
  return to_device(host);
}

}  // namespace kleene::test
