#include "scale_suite.hpp"

#include "kleene/data/parallel.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/grid/batch.hpp"
#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/grid/detail/host/share_rows.hpp"
#include "kleene/grid/device_closure.hpp"
#include "kleene/grid/device_gemm.hpp"
#include "kleene/grid/host_closure.hpp"
#include "kleene/grid/model.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <filesystem>
#include <map>
#include <system_error>

namespace kleene::bench {

namespace {

using S = min_plus<float>;
using clock_type = std::chrono::steady_clock;

constexpr index_t most_on_one = 32768;  // what one device is timed with
constexpr index_t checked = 1500;
constexpr index_t large = 65536;  // matrices of so many rows are closed once, without a warm-up
// Of device memory, for a matrix in the host's.
constexpr std::size_t limit_for(index_t n) { return n > large ? 32'000'000'000 : std::size_t{6} << 30; }
// One device has room for a matrix of 131,072 rows, and the host for another.
bool has_room_for_131072() {
  return cuda_devices().front().memory > 100'000'000'000 && available_memory() > 80'000'000'000;
}
constexpr index_t problems = 100000, problem_size = 64;

// Elements that no short sum of rounds, of which few are alike: (i, j), (i, j + 1), ... of the matrix.
void put_weights(index_t i, index_t j, index_t count, float* to) {
  constexpr index_t drawn = 1 << 16, unit = 1 << 20;
  static const std::vector<float> table = [] {
    std::vector<float> values(drawn);
    splitmix64 random{4};
    for (float& each : values) each = static_cast<float>(1 + random() % (unit - 1)) / unit;
    return values;
  }();
  for (index_t at = 0; at < count;) {
    const index_t from = (40503 * i + (j + at) + ((j + at) >> 16) * 977) & (drawn - 1);
    const index_t to_wrap = std::min(drawn - from, drawn - ((j + at) & (drawn - 1)));
    const index_t some = std::min(count - at, to_wrap);
    std::copy_n(table.data() + from, some, to + at);
    at += some;
  }
}

distributed_device_matrix<float> filled(worker& w, index_t n, index_t block) {
  distributed_device_matrix<float> share(w, {n, n, block, block});
  detail::write_rows(share, [&](index_t row, float* to) {
    share.col_axis().for_each_run(
        w.col(), [&](index_t local, index_t global, index_t count) { put_weights(row, global, count, to + local); });
  });
  return share;
}

// A number of some rows of a matrix, whoever has their parts: those of all workers add up to it.
template <class T>
std::uint64_t hash_of_rows(const distributed_device_matrix<T>& a, const std::vector<index_t>& rows) {
  std::uint64_t sum = 0;
  for (const index_t row : rows) {
    if (a.row_axis().indxg2p(row) != a.at().row() || a.local().cols() == 0) continue;
    const matrix<T> part =
        to_host(a.at().context(), a.local().block(a.row_axis().indxg2l(row), 0, 1, a.local().cols()));
    for (index_t j = 0; j < part.cols(); ++j) sum += detail::hash_of(row, a.global_col(j), part(0, j));
  }
  return sum;
}

// For a checkpoint; it goes with what is in it.
class temporary_folder {
 public:
  temporary_folder() : path_(std::filesystem::temp_directory_path() / ("kleene_scale_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct outcome {
  std::vector<double> seconds;
  std::uint64_t hash = 0;
};

// Runs the operation on a grid; on one without workers beside, as one device does it without a grid.
outcome measure(const grid& g, const std::string& operation, index_t n, index_t block, int rounds, bool alone,
                const checkpoint_options& checkpoint = {}) {
  outcome found;
  std::atomic<std::uint64_t> hash{0};
  std::vector<index_t> rows{0, n / 2 + 1, n - 1};
  if (n <= checked)
    for (rows.clear(); static_cast<index_t>(rows.size()) < n;) rows.push_back(static_cast<index_t>(rows.size()));
  const bool closes = operation != "gemm", with_paths = operation == "closure with predecessors";
  g.run([&](worker& w) {
    auto a = filled(w, n, block);
    std::optional<distributed_device_matrix<float>> b, c;
    std::optional<distributed_device_matrix<std::int32_t>> p;
    if (!closes) b = filled(w, n, block), c.emplace(w, a.layout());
    if (with_paths) p.emplace(w, a.layout());
    const bool warms_up = n < large;
    for (int round = 0; round < rounds + warms_up; ++round) {
      if (with_paths && round > 0) a = filled(w, n, block);  // every arc of a closed matrix is a best path
      w.comm().barrier();
      const auto start = clock_type::now();
      bool exists = true;
      if (p && alone) exists = closure(w.context(), S{}, a.local(), p->local()).exists;
      else if (p) exists = closure(w, S{}, a, *p).exists;
      else if (closes && alone) exists = closure(w.context(), S{}, a.local()).exists;
      else if (closes) exists = closure(w, S{}, a, {.checkpoint = checkpoint}).exists;
      else if (alone) gemm(w.context(), S{}, a.local(), b->local(), c->local());
      else gemm(w, S{}, a, *b, *c);
      w.context().synchronise();
      w.comm().barrier();
      if (!exists) throw error(fault_code::internal, "a closure that is there was not found");
      if (w.rank() == 0 && round >= warms_up)
        found.seconds.push_back(std::chrono::duration<double>(clock_type::now() - start).count());
      if (round > 0) continue;
      hash += hash_of_rows(closes ? a : *c, rows);
      if (p) hash += hash_of_rows(*p, rows);
    }
  });
  std::ranges::sort(found.seconds);
  found.hash = hash;
  return found;
}

// A closure of a matrix in pinned host memory by one device, of which it takes a part.
outcome measure_from_host(index_t n) {
  matrix<float> a(n, n, uninitialised{});
  task_queue tasks;
  run_tasks(default_threads(), [&](const team_member&) {
    for (index_t i; (i = tasks.next()) < n;) put_weights(i, 0, n, &a(i, 0));
  });
  const context ctx = context::cuda(cuda_devices().front().ordinal);
  const detail::device_scope here(ctx.device()->ordinal);
  const detail::pinned_range pinned(a.data(), static_cast<std::size_t>(a.size()) * sizeof(float));
  const closure_info info = closure_from_host(ctx, S{}, a.view(), {.memory = limit_for(n)});
  if (!info.exists) throw error(fault_code::internal, "a closure that is there was not found");
  outcome found{.seconds = {info.seconds}};
  for (const index_t row : {index_t{0}, n / 2 + 1, n - 1})
    for (index_t j = 0; j < n; ++j) found.hash += detail::hash_of(row, j, a(row, j));
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
    for (index_t i = 0; i < problem_size; ++i)
      put_weights(b * problem_size + i, 0, problem_size, values + i * problem_size);
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
      for (index_t n : {index_t{16384}, index_t{32768}, large})
        for (int devices = 1; devices <= there; devices *= 2) deliver(operation, n, devices);
    deliver("closure from host memory", large, 1);
    for (int devices = 1; devices <= there; devices *= 2) deliver("closure with predecessors", large, devices);
    if (there >= 2) deliver("closure", 2 * large, there >= 4 ? 4 : 2);
    if (there >= 4) deliver("closure with predecessors", 2 * large, 4);
    deliver("closure with a checkpoint", large, 1);
    if (there >= 4) deliver("closure with a checkpoint", 2 * large, 4);
    if (has_room_for_131072()) deliver("closure from host memory", 2 * large, 1);
    return std::move(rows_);
  }

 private:
  static grid grid_of(int devices) {
    std::vector<int> ordinals;
    for (int d = 0; d < devices; ++d) ordinals.push_back(cuda_devices()[static_cast<std::size_t>(d)].ordinal);
    return grid::cuda(ordinals);
  }

  void deliver(const std::string& operation, index_t n, int devices) {
    if (n > options_.largest) return;
    scale_row row;
    row.operation = operation, row.n = n, row.devices = devices, row.rounds = n < large ? options_.rounds : 1;
    const bool is_batch = n == problem_size;
    row.work = (is_batch ? std::to_string(problems) + " " : "") + operation +
               " min_plus f32, n = " + std::to_string(n) + ", " + std::to_string(devices) +
               (devices == 1 ? " GPU" : " GPUs");
    row.problems = is_batch ? problems : 1;
    if (row.work.find(options_.only) == std::string::npos) return;
    row.share_at_least = asked_share(row);
    try {
      if (is_batch) fill_batch(row, grid_of(devices));
      else if (operation == "closure from host memory") fill_from_host(row);
      else if (operation == "closure with a checkpoint") fill_saved(row, grid_of(devices));
      else fill(row, grid_of(devices));
    } catch (const std::exception& wrong) {
      row.failure = wrong.what();
    }
    done_(row);
    rows_.push_back(row);
  }

  // 0: nothing is asked of it.
  static double asked_share(const scale_row& row) {
    if (row.operation == "closures on devices") return row.devices == 4 ? 0.9 : 0;
    if (row.operation == "closure from host memory") return 1 / (row.n > large ? 1.1 : 1.15);
    if (row.operation == "closure with a checkpoint") return 0;
    if (row.operation == "gemm") return row.n == large && row.devices == 4 ? 0.95 : 0;
    if (row.operation == "closure with predecessors") return row.n > large ? 0.95 / 1.08 : 0;
    if (row.n > large) return 0.95;
    return row.n < large ? 0 : row.devices == 2 ? 0.97 : row.devices == 4 ? 0.92 : 0;
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
    const bool closes = row.operation != "gemm";
    const outcome& one = alone(closes ? "closure" : "gemm", std::min(row.n, most_on_one));
    const outcome got = measure(g, row.operation, row.n, row.block, row.rounds, false);
    if (row.n <= most_on_one && got.hash != one.hash)
      throw error(fault_code::internal, "the result is not one device's");
    take(row, got);
    row.one_tops = tops(std::min(row.n, most_on_one), one.seconds[one.seconds.size() / 2]);
    if (row.operation == "closure") row.modelled = modelled(row);
  }
  // The closure that the suite has measured already, or measures now.
  outcome plain_closure(index_t n, const grid& g) {
    const auto done = std::ranges::find_if(rows_, [&](const scale_row& row) {
      return row.operation == "closure" && row.n == n && row.devices == g.size() && row.failure.empty();
    });
    return done != rows_.end() ? outcome{{done->seconds}, done->hash}
                               : measure(g, "closure", n, block_for(n, g), 1, false);
  }
  // Beside the same closure in the memory of one device.
  void fill_from_host(scale_row& row) {
    row.rows = row.cols = 1;
    const outcome in_core = plain_closure(row.n, grid_of(1)), got = measure_from_host(row.n);
    if (got.hash != in_core.hash) throw error(fault_code::internal, "the result is not that of the device's memory");
    take(row, got);
    row.one_tops = tops(row.n, in_core.seconds.front());
  }
  // Beside the same closure without.
  void fill_saved(scale_row& row, const grid& g) {
    row.rows = g.rows(), row.cols = g.cols();
    row.block = block_for(row.n, g);
    const outcome without = plain_closure(row.n, g);
    const temporary_folder folder;
    const checkpoint_options save{.folder = folder.path(), .every = without.seconds.front() / 5};
    const outcome got = measure(g, "closure", row.n, row.block, 1, false, save);
    if (got.hash != without.hash) throw error(fault_code::internal, "the result is not that of the closure without");
    take(row, got);
    row.one_tops = tops(row.n, without.seconds.front()) / row.devices;
    row.saving = (got.seconds.front() - without.seconds.front()) / 600;
  }
  // By kleene model, from the rate of products on one device in this run.
  double modelled(const scale_row& row) {
    const outcome& one = alone("gemm", most_on_one);
    const double pairs = 1e12 * tops(most_on_one, one.seconds[one.seconds.size() / 2]) / 2;
    const double memory = static_cast<double>(cuda_devices().front().memory);
    return model_closure({.gpus = row.devices, .pairs = pairs, .memory = memory}, row.n, 4, row.block).seconds;
  }
  static void take(scale_row& row, const outcome& got) {
    row.hash = got.hash;
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
