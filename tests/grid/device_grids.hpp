// The grids of devices that tests go through: of threads, or of processes in the program that starts itself. The tests
// are compiled once, and linked with either.
#pragma once

#include "kleene/grid/distributed_device_matrix.hpp"

#include "grid/grids.hpp"
#include "support/sample.hpp"

#include <string>
#include <vector>

namespace kleene::test {

struct named_grid {
  std::string name;
  grid made;
};

// Of threads in device_grids_of_threads.cpp, of processes in device_grids_of_processes.cpp.
const std::vector<named_grid>& every_device_grid();

inline const char* words_of(transport panels) {
  return panels == transport::nccl ? "NCCL" : panels == transport::host ? "the host" : "peer copies";
}

// Runs program(worker&) on each of them.
template <class Program>
void on_every_device_grid(const Program& program) {
  for (const named_grid& each : every_device_grid()) {
    SCOPED_TRACE(each.name);
    each.made.run(program);
  }
}

template <class T>
distributed_device_matrix<T> spread(worker& w, const distribution& d, const matrix<T>& from) {
  distributed_matrix<T> host(w, d);
  host.fill([&](index_t i, index_t j) { return from(i, j); });
  return to_device(host);
}

}  // namespace kleene::test
