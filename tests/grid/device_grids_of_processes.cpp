// Processes with a device each, in the environment that torchrun would make; ranks that share one where there are not
// as many, for which panels go by way of the host. The first argument says how many processes.
#include "grid/processes.hpp"

#include "kleene/grid/ranks/launch.hpp"

#include "grid/device_grids.hpp"

#include <csignal>

namespace kleene::test {

namespace {

std::vector<named_grid> make_device_grids() {
  const int size = read_launch().size;
  std::vector<named_grid> grids;
  for (const transport panels : {transport::host, transport::nccl}) {
    if (panels == transport::nccl && (!has_nccl() || static_cast<int>(cuda_devices().size()) < size)) continue;
    for (const int rows : {1, 2, size}) {
      if (rows > size || size % rows != 0 || (rows == 2 && size == 2)) continue;
      grids.push_back({std::to_string(rows) + " rows of " + std::to_string(size) + " processes by " + words_of(panels),
                       grid::from_environment({.rows = rows, .panels = panels})});
    }
  }
  return grids;
}

}  // namespace

const std::vector<named_grid>& every_device_grid() {
  static const std::vector<named_grid> grids = make_device_grids();  // once: NCCL takes half a second for each
  return grids;
}

}  // namespace kleene::test

namespace {

// Worker 1 throws or is killed while the others wait for its panel, in the middle of their streams.
void lose_a_worker(const std::string& how) {
  using namespace kleene;
  const bool by_nccl = how.ends_with("nccl");
  grid::from_environment({.rows = 1, .panels = by_nccl ? transport::nccl : transport::host}).run([&](worker& w) {
    device_matrix<float> data(w.context(), 1000, 1000);
    const auto pass = [&](int root) {
      w.comm().broadcast_on(w.context().stream(), scope::all, root, data.data(), 4'000'000);
      w.context().synchronise();
    };
    pass(0);
    if (w.rank() == 1 && how.starts_with("--one-throws")) throw error(fault_code::memory, "no memory for it");
    if (w.rank() == 1) raise(SIGKILL);
    pass(1);
  });
}

}  // namespace

int main(int argc, char** argv) { return kleene::test::run_tests_as_ranks(argc, argv, lose_a_worker); }
