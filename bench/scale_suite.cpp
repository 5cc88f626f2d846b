#include "scale_suite.hpp"

#include "kleene/data/splitmix64.hpp"
#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/grid/device_closure.hpp"
#include "kleene/grid/device_gemm.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <map>

namespace kleene::bench {

namespace {

using S = min_plus<float>;
using clock_type = std::chrono::steady_clock;

constexpr index_t most_on_one = 32768;  // what one device is timed with
constexpr index_t checked = 1500;

// Elements that no short sum of rounds.
float weight(index_t i, index_t j) {
  static const std::vector<float> table = [] {
    std::vector<float> drawn(1 << 16);
    splitmix64 random{4};
    for (float& each : drawn) each = static_cast<float>(1 + random() % 1023) / 1024;
    return drawn;
  }();
  return table[static_cast<std::size_t>(40503 * i + j + (j >> 16) * 977) & 0xffff];
}

distributed_device_matrix<float> filled(worker& w, index_t n, index_t block) {
  distributed_matrix<float> host(w, {n, n, block, block});
  host.fill(weight);
  return to_device(host);
}

// A number of some rows of a matrix, whoever has their parts: those of all workers add up to it.
std::uint64_t hash_of_rows(const distributed_device_matrix<float>& a, const std::vector<index_t>& rows) {
  std::uint64_t sum = 0;
  for (const index_t row : rows) {
    if (a.row_axis().indxg2p(row) != a.at().row() || a.local().cols() == 0) continue;
    const matrix<float> part =
        to_host(a.at().context(), a.local().block(a.row_axis().indxg2l(row), 0, 1, a.local().cols()));
    for (index_t j = 0; j < part.cols(); ++j) sum += detail::hash_of(row, a.global_col(j), part(0, j));
  }
  return sum;
}

struct outcome {
  std::vector<double> seconds;
  std::uint64_t hash = 0;
};

// Runs the operation on a grid; on one without workers beside, as one device does it without a grid.
outcome measure(const grid& g, const std::string& operation, index_t n, index_t block, int rounds, bool alone) {
  outcome found;
  std::atomic<std::uint64_t> hash{0};
  std::vector<index_t> rows{0, n / 2 + 1, n - 1};
  if (n <= checked)
    for (rows.clear(); static_cast<index_t>(rows.size()) < n;) rows.push_back(static_cast<index_t>(rows.size()));
  g.run([&](worker& w) {
    const bool closes = operation == "closure";
    auto a = filled(w, n, block);
    std::optional<distributed_device_matrix<float>> b, c;
    if (!closes) b = filled(w, n, block), c.emplace(w, a.layout());
    for (int round = 0; round <= rounds; ++round) {
      w.comm().barrier();
      const auto start = clock_type::now();
      bool exists = true;
      if (closes && alone) exists = closure(w.context(), S{}, a.local()).exists;
      else if (closes) exists = closure(w, S{}, a).exists;
      else if (alone) gemm(w.context(), S{}, a.local(), b->local(), c->local()), w.context().synchronise();
      else gemm(w, S{}, a, *b, *c);
      w.comm().barrier();
      if (!exists) throw error(fault_code::internal, "a closure that is there was not found");
      if (w.rank() == 0 && round > 0)
        found.seconds.push_back(std::chrono::duration<double>(clock_type::now() - start).count());
      if (round == 0) hash += hash_of_rows(closes ? a : *c, rows);
    }
  });
  std::ranges::sort(found.seconds);
  found.hash = hash;
  return found;
}

// Blocks that let the bulk hide the rest, and give each worker 16 of them a side.
index_t block_for(index_t n, const grid& g) {
  const index_t side = n / std::max(g.rows(), g.cols());
  return std::clamp<index_t>(static_cast<index_t>(std::bit_floor(static_cast<std::uint64_t>(side / 16))), 256, 2048);
}

class suite {
 public:
  suite(const scale_suite_options& options, const std::function<void(const scale_row&)>& done)
      : options_(options), done_(done) {}

  std::vector<scale_row> run() {
    const int there = static_cast<int>(cuda_devices().size());
    for (const char* operation : {"closure", "gemm"})
      for (index_t n : {16384, 32768, 65536})
        for (int devices = 1; devices <= there && n <= options_.largest; devices *= 2) deliver(operation, n, devices);
    return std::move(rows_);
  }

 private:
  static grid grid_of(int devices) {
    std::vector<int> ordinals;
    for (int d = 0; d < devices; ++d) ordinals.push_back(cuda_devices()[static_cast<std::size_t>(d)].ordinal);
    return grid::cuda(ordinals);
  }

  void deliver(const std::string& operation, index_t n, int devices) {
    scale_row row;
    row.operation = operation, row.n = n, row.devices = devices, row.rounds = options_.rounds;
    row.work = operation + " min_plus f32, n = " + std::to_string(n) + ", " + std::to_string(devices) +
               (devices == 1 ? " GPU" : " GPUs");
    if (row.work.find(options_.only) == std::string::npos) return;
    if (n == 65536 && operation == "closure") row.share_at_least = devices == 2 ? 0.97 : devices == 4 ? 0.92 : 0;
    if (n == 65536 && operation == "gemm") row.share_at_least = devices == 4 ? 0.95 : 0;
    try {
      fill(row, grid_of(devices));
    } catch (const std::exception& wrong) {
      row.failure = wrong.what();
    }
    done_(row);
    rows_.push_back(row);
  }

  void fill(scale_row& row, const grid& g) {
    row.rows = g.rows(), row.cols = g.cols();
    row.block = options_.block > 0 ? options_.block : block_for(row.n, g);
    const outcome& small = alone(row.operation, checked);
    if (measure(g, row.operation, checked, 128, 0, false).hash != small.hash)
      throw error(fault_code::internal, "the small result is not one device's");
    const outcome& one = alone(row.operation, std::min(row.n, most_on_one));
    const outcome got = measure(g, row.operation, row.n, row.block, row.rounds, false);
    if (row.n <= most_on_one && got.hash != one.hash)
      throw error(fault_code::internal, "the result is not one device's");
    row.seconds = got.seconds[got.seconds.size() / 2];
    row.fastest = got.seconds.front(), row.slowest = got.seconds.back();
    row.tops = tops(row.n, row.seconds);
    row.one_tops = tops(std::min(row.n, most_on_one), one.seconds[one.seconds.size() / 2]);
  }
  static double tops(index_t n, double seconds) { return 2e-12 * double(n) * double(n) * double(n) / seconds; }

  // One device, without a grid.
  const outcome& alone(const std::string& operation, index_t n) {
    const auto [at, is_new] = one_.try_emplace({operation, n});
    if (is_new) at->second = measure(grid_of(1), operation, n, n, options_.rounds, true);
    return at->second;
  }

  const scale_suite_options& options_;
  const std::function<void(const scale_row&)>& done_;
  std::vector<scale_row> rows_;
  std::map<std::pair<std::string, index_t>, outcome> one_;
};

}  // namespace

std::vector<scale_row> run_scale_suite(const scale_suite_options& options,
                                       const std::function<void(const scale_row&)>& done) {
  return suite(options, done).run();
}

}  // namespace kleene::bench
