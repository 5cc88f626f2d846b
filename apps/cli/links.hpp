// How fast CUDA devices copy from each other.
#pragma once

#include <vector>

namespace kleene::cli {

struct device_link {
  int from = 0, to = 0;
  bool is_direct = false;  // without the host's memory
  double bytes_per_second = 0;
};

// Of each ordered pair of the devices that are there: 256 MiB as grids of them copy it, the fastest of a few times.
std::vector<device_link> measure_links();

}  // namespace kleene::cli
