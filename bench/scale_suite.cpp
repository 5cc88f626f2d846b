#include "scale_suite.hpp"

#include "kleene/data/parallel.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/grid/batch.hpp"
#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/grid/detail/host/share_rows.hpp"
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
constexpr index_t soon_done = 65536;  // matrices that are larger are closed once, without a warm-up
constexpr index_t problems = 100000, problem_size = 64;

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
  distributed_device_matrix<float> share(w, {n, n, block, block});
  detail::write_rows(share, [&](index_t row, float* to) {
    share.col_axis().for_each_run(w.col(), [&](index_t local, index_t global, index_t count) {
      for (index_t j = 0; j < count; ++j) to[local + j] = weight(row, global + j);
    });
  });
  return share;
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
    const bool warms_up = n <= soon_done;
    for (int round = 0; round < rounds + warms_up; ++round) {
      w.comm().barrier();
      const auto start = clock_type::now();
      bool exists = true;
      if (closes && alone) exists = closure(w.context(), S{}, a.local()).exists;
      else if (closes) exists = closure(w, S{}, a).exists;
      else if (alone) gemm(w.context(), S{}, a.local(), b->local(), c->local()), w.context().synchronise();
      else gemm(w, S{}, a, *b, *c);
      w.comm().barrier();
      if (!exists) throw error(fault_code::internal, "a closure that is there was not found");
      if (w.rank() == 0 && round >= warms_up)
        found.seconds.push_back(std::chrono::duration<double>(clock_type::now() - start).count());
      if (round == 0) hash += hash_of_rows(closes ? a : *c, rows);
    }
  });
  std::ranges::sort(found.seconds);
  found.hash = hash;
  return found;
}

// Many small closures: of a batch in host memory, or with a part of it on each worker's device.
outcome measure_batch(const grid& g, bool on_devices, int rounds) {
  outcome found;
  batch<float> all({problems, problem_size, problem_size}, uninitialised{});
  const auto for_each_problem = [&](const auto& work) {
    task_queue tasks;
    run_tasks(default_threads(), [&](const team_member&) {
      for (index_t b; (b = tasks.next()) < problems;) work(b, &all(b, 0, 0));
    });
  };
  constexpr index_t elements = problem_size * problem_size;
  for_each_problem([&](index_t b, float* values) {
    for (index_t e = 0; e < elements; ++e) values[e] = weight(b * problem_size + e / problem_size, e % problem_size);
  });
  g.run([&](worker& w) {
    const auto [first, count] = detail::range_of(w, problems);
    const batch_view<float> part = detail::part_of(all.view(), {first, count});
    device_batch<float> there;
    if (on_devices) there = to_device(w.context(), part);
    for (int round = 0; round <= rounds; ++round) {
      w.comm().barrier();
      const auto start = clock_type::now();
      const bool exists = on_devices ? closure(w.context(), S{}, there).exists : closure(w, S{}, all).exists;
      w.comm().barrier();
      if (!exists) throw error(fault_code::internal, "a closure that is there was not found");
      if (w.rank() == 0 && round > 0)
        found.seconds.push_back(std::chrono::duration<double>(clock_type::now() - start).count());
    }
    if (on_devices) copy(w.context(), there, part), w.context().synchronise();
  });
  std::ranges::sort(found.seconds);
  std::atomic<std::uint64_t> hash{0};
  for_each_problem([&](index_t b, const float* values) {
    std::uint64_t sum = 0;
    for (index_t e = 0; e < elements; ++e) sum += detail::hash_of(b, e, values[e]);
    hash += sum;
  });
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
    for (const char* operation : {"closures", "closures on devices"})
      for (int devices = 1; devices <= there; devices *= 2) deliver(operation, problem_size, devices);
    for (const char* operation : {"closure", "gemm"})
      for (index_t n : {16384, 32768, 65536})
        for (int devices = 1; devices <= there && n <= options_.largest; devices *= 2) deliver(operation, n, devices);
    if (there >= 2 && options_.largest >= 2 * soon_done) deliver("closure", 2 * soon_done, there >= 4 ? 4 : 2);
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
    const bool is_batch = n == problem_size;
    row.work = (is_batch ? std::to_string(problems) + " " : "") + operation +
               " min_plus f32, n = " + std::to_string(n) + ", " + std::to_string(devices) +
               (devices == 1 ? " GPU" : " GPUs");
    row.problems = is_batch ? problems : 1;
    if (n > soon_done) row.rounds = 1;
    if (row.work.find(options_.only) == std::string::npos) return;
    if (n == 65536 && operation == "closure") row.share_at_least = devices == 2 ? 0.97 : devices == 4 ? 0.92 : 0;
    if (n > soon_done) row.share_at_least = 0.95;
    if (is_batch) row.share_at_least = devices == 4 && operation == "closures on devices" ? 0.9 : 0;
    if (n == 65536 && operation == "gemm") row.share_at_least = devices == 4 ? 0.95 : 0;
    try {
      if (is_batch) fill_batch(row, grid_of(devices));
      else fill(row, grid_of(devices));
    } catch (const std::exception& wrong) {
      row.failure = wrong.what();
    }
    done_(row);
    rows_.push_back(row);
  }

  // Beside the same call on one device.
  void fill_batch(scale_row& row, const grid& g) {
    row.rows = g.rows(), row.cols = g.cols();
    const bool on_devices = row.operation == "closures on devices";
    const auto [at, is_new] = one_.try_emplace({row.operation, row.n});
    if (is_new) at->second = measure_batch(grid_of(1), on_devices, row.rounds);
    const outcome& one = at->second;
    const outcome got = row.devices == 1 ? one : measure_batch(g, on_devices, row.rounds);
    if (got.hash != one.hash) throw error(fault_code::internal, "the result is not one device's");
    take(row, got);
    row.one_tops = row.problems * tops(row.n, one.seconds[one.seconds.size() / 2]);
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
    take(row, got);
    row.one_tops = tops(std::min(row.n, most_on_one), one.seconds[one.seconds.size() / 2]);
  }
  static void take(scale_row& row, const outcome& got) {
    row.seconds = got.seconds[got.seconds.size() / 2];
    row.fastest = got.seconds.front(), row.slowest = got.seconds.back();
    row.tops = row.problems * tops(row.n, row.seconds);
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

bool has_scale_suite() { return true; }

std::vector<scale_row> run_scale_suite(const scale_suite_options& options,
                                       const std::function<void(const scale_row&)>& done) {
  return suite(options, done).run();
}

}  // namespace kleene::bench
