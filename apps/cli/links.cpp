#include "links.hpp"

#include "kleene/data/device_matrix.hpp"
#include "kleene/grid/grid.hpp"

#include <algorithm>
#include <chrono>

namespace kleene::cli {

namespace {

double rate_between(int from, int to) {
  constexpr index_t bytes = index_t{256} << 20;
  constexpr int rounds = 5;
  double fastest = 1e30;
  grid::cuda({from, to}, 1, 2).run([&](worker& w) {
    device_matrix<char> buffer;
    w.together([&] { buffer = device_matrix<char>(w.context(), 1, bytes); });
    for (int round = 0; round < rounds; ++round) {
      w.comm().barrier();
      const auto start = std::chrono::steady_clock::now();
      w.comm().broadcast_on(w.context().stream(), scope::row, 0, buffer.data(), static_cast<std::size_t>(bytes));
      w.context().synchronise();
      w.comm().barrier();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (w.rank() == 0) fastest = std::min(fastest, seconds);
    }
  });
  return static_cast<double>(bytes) / fastest;
}

}  // namespace

std::vector<device_link> measure_links() {
  std::vector<device_link> links;
  for (const cuda_device& from : cuda_devices())
    for (const cuda_device& to : cuda_devices())
      if (from.ordinal != to.ordinal)
        links.push_back({from.ordinal, to.ordinal, can_reach_peer(to.ordinal, from.ordinal),
                         rate_between(from.ordinal, to.ordinal)});
  return links;
}

}  // namespace kleene::cli
