#include "closure_suite.hpp"

#include "gpu_problem.cuh"
#include "kleene/operations/closure.hpp"

#include <chrono>
#include <optional>

namespace kleene::bench {

namespace {

constexpr std::uint64_t seed_arcs = 4, seed_heights = 5;
enum class arcs : int { one_sign, any_sign, integers, unweighted };
const char* to_string(arcs kind) {
  constexpr const char* names[] = {"one sign", "any sign", "0 .. 2^20", "unweighted, degree 16"};
  return names[static_cast<int>(kind)];
}
values operands_like(arcs kind) {
  return kind == arcs::one_sign ? values::non_negative : kind == arcs::integers ? values::integers : values::any_sign;
}

// The weight of the arc i -> j of matrix b.
template <class S>
KLEENE_FUNCTION value_of<S> arc_weight(arcs kind, index_t n, index_t b, index_t i, index_t j) {
  using T = value_of<S>;
  const std::uint64_t at = static_cast<std::uint64_t>((b * n + i) * n + j);
  if (kind == arcs::unweighted)
    return random_word(seed_arcs, at) % static_cast<std::uint64_t>(n) < 16 ? T(1) : T(S::zero());
  if (kind == arcs::integers) return random_value<T>(values::integers, seed_arcs, at);
  if (kind == arcs::one_sign) return random_value<T>(values::non_negative, seed_arcs, at);
  if constexpr (!std::is_same_v<S, min_plus<T>>) return random_value<T>(values::any_sign, seed_arcs, at);
  const T hi = random_value<T>(values::non_negative, seed_heights, i),
          hj = random_value<T>(values::non_negative, seed_heights, j);
  return T(0.125) + random_value<T>(values::non_negative, seed_arcs, at) + (hi - hj);
}

template <class S>
__global__ void fill_arcs(value_of<S>* a, index_t count, index_t n, arcs kind) {
  const index_t all = count * n * n;
  for (index_t e = blockIdx.x * index_t(blockDim.x) + threadIdx.x; e < all; e += index_t(gridDim.x) * blockDim.x)
    a[e] = arc_weight<S>(kind, n, e / n / n, e / n % n, e % n);
}

template <class S>
class closure_problem {
 public:
  using T = value_of<S>;
  closure_problem(const context& ctx, index_t count, index_t n, arcs kind, bool predecessors)
      : ctx_(ctx), count_(count), n_(n), kind_(kind), a_(ctx, count, n, n) {
    if (predecessors) p_ = device_batch<std::int32_t>(ctx, count, n, n);
  }
  void fill() {
    fill_arcs<S><<<4096, 256, 0, static_cast<cudaStream_t>(ctx_.stream())>>>(a_.data(), count_, n_, kind_);
    require_cuda(cudaGetLastError(), "filling A");
    ctx_.synchronise();
  }
  void close(bool with_predecessors) {
    bool exists;
    if (count_ > 1) exists = with_predecessors ? closure(ctx_, S{}, a_, p_).exists : closure(ctx_, S{}, a_).exists;
    else
      exists = with_predecessors ? closure(ctx_, S{}, a_.view()[0], p_.view()[0]).exists
                                 : closure(ctx_, S{}, a_.view()[0]).exists;
    if (!exists) throw error(fault_code::internal, "wrong: a cycle improves");
  }
  // See closure_definitions. error(internal) with the first element that is wrong.
  void check(bool with_predecessors) const {
    std::vector<T> row(n_);
    std::vector<std::int32_t> before(n_);
    for (std::uint64_t sample = 0; sample < 64; ++sample) {
      const index_t b = static_cast<index_t>(random_word(6, 3 * sample) % std::uint64_t(count_));
      const index_t i = static_cast<index_t>(random_word(6, 3 * sample + 1) % std::uint64_t(n_));
      const index_t j = static_cast<index_t>(random_word(6, 3 * sample + 2) % std::uint64_t(n_));
      const index_t at = (b * n_ + i) * n_;
      require_cuda(cudaMemcpy(row.data(), a_.data() + at, n_ * sizeof(T), cudaMemcpyDefault), "reading A");
      const auto arc = [&](index_t u, index_t v) { return arc_weight<S>(kind_, n_, b, u, v); };
      T best = i == j ? T(S::one()) : T(S::zero());
      for (index_t k = 0; k < n_; ++k) best = S::add(best, S::mul(row[k], arc(k, j)));
      require_same(best, row[j], i, j, "element");
      if (!with_predecessors || i == j) continue;
      require_cuda(cudaMemcpy(before.data(), p_.data() + at, n_ * sizeof(std::int32_t), cudaMemcpyDefault),
                   "reading P");
      T sum = S::one();
      index_t v = j;
      for (index_t steps = 0; v != i; ++steps) {
        const index_t u = before[v];
        if (u < 0 || steps > n_) throw error(fault_code::internal, "wrong: predecessors do not reach the source");
        sum = S::mul(arc(u, v), sum);
        v = u;
      }
      require_same(sum, row[j], i, j, "path");
    }
  }

 private:
  void require_same(T x, T y, index_t i, index_t j, const char* what) const {
    const double bound = std::is_floating_point_v<T> ? 64 * double(std::numeric_limits<T>::epsilon()) : 0;
    if (std::abs(double(x) - double(y)) > bound * std::max(1.0, std::abs(double(y))))
      throw error(fault_code::internal, std::string("wrong: ") + what + " (" + std::to_string(i) + ", " +
                                            std::to_string(j) + ") is " + std::to_string(double(y)) + ", not " +
                                            std::to_string(double(x)));
  }

  const context& ctx_;
  index_t count_, n_;
  arcs kind_;
  device_batch<T> a_;
  device_batch<std::int32_t> p_;
};

class closures {
 public:
  closures(const context& ctx, const closure_suite_options& options,
           const std::function<void(const closure_row&)>& done)
      : ctx_(ctx), options_(options), done_(done) {}

  std::vector<closure_row> run() {
    kind_of_data(min_plus<f32>{}, arcs::one_sign, {.92, .95, .96});
    kind_of_data(min_plus<f32>{}, arcs::any_sign, {});
    kind_of_data(min_plus<i32>{}, arcs::integers, {});
    kind_of_data(min_plus<f64>{}, arcs::one_sign, {});
    kind_of_data(max_min<f32>{}, arcs::one_sign, {});
    kind_of_data(max_min<f32>{}, arcs::any_sign, {});
    short_distances(16384, false, 0, 0);
    short_distances(32768, false, 0, 0);
    short_distances(65536, false, 2.5, 1.6);
    short_distances(32768, true, 0, 0);
    small(1024, 0.8e-3, 0.4e-3);
    small(2048, 0, 0);
    small(4096, 7e-3, 5e-3);
    small(8192, 0, 0);
    for (const index_t n : {1024, 4096, 16384, 32768}) with_predecessors(n);
    batches();
    return rows_;
  }

 private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  template <class S>
  closure_row describe(arcs kind, index_t n, index_t count, bool predecessors) const {
    closure_row row;
    row.algebra = S::name, row.dtype = type_name<value_of<S>>, row.data = to_string(kind);
    row.n = n, row.count = count, row.predecessors = predecessors, row.block = closure_block;
    row.work = row.algebra + " " + row.dtype + ", " + row.data + ", " +
               (count > 1 ? std::to_string(count) + " of " : std::string()) + std::to_string(n) +
               (predecessors ? ", with predecessors" : "");
    return row;
  }
  bool wanted(const closure_row& row) const {
    return row.work.find(options_.only) != std::string::npos && row.n <= options_.largest;
  }

  template <class S>
  void measure(closure_row& row, arcs kind) {
    try {
      closure_problem<S> problem(ctx_, row.count, row.n, kind, row.predecessors);
      row.rounds = options_.rounds > 0 ? options_.rounds
                   : row.n <= 8192     ? 10
                   : row.n <= 16384    ? 5
                   : row.n <= 32768    ? 3
                                       : 1;
      const auto median_of_rounds = [&](bool predecessors) {
        std::vector<double> times;
        for (int round = 0; round <= row.rounds; ++round) {
          if (row.n > 32768 && round == 0) continue;  // tens of seconds: no warm-up
          problem.fill();
          const double start = now();
          problem.close(predecessors);
          const double seconds = now() - start;
          if (round == 0 || times.empty()) problem.check(predecessors);
          if (round > 0) times.push_back(seconds);
        }
        row.fastest = *std::min_element(times.begin(), times.end());
        row.slowest = *std::max_element(times.begin(), times.end());
        return median(times);
      };
      if (row.predecessors) row.plain_seconds = median_of_rounds(false);
      row.seconds = median_of_rounds(row.predecessors);
      row.tops = 2e-12 * double(row.count) * double(row.n) * double(row.n) * double(row.n) / row.seconds;
    } catch (const std::exception& wrong) {
      row.failure = wrong.what();
    }
  }
  void add(closure_row row) {
    done_(row);
    rows_.push_back(std::move(row));
  }

  // The yardstick, 8192 cubed.
  template <class S>
  double product_tops(arcs kind) {
    product_problem<S> problem(ctx_, {8192, 8192, 8192}, operands_like(kind));
    gpu_timer timer(ctx_.stream());
    std::vector<double> times;
    for (int round = 0; round < 8; ++round) {
      timer.start();
      problem.multiply(ctx_);
      timer.stop();
      ctx_.synchronise();
      if (round >= 3) times.push_back(timer.seconds());
    }
    return 2e-12 * 8192.0 * 8192.0 * 8192.0 / median(times);
  }

  template <class S>
  void kind_of_data(S, arcs kind, std::array<double, 3> aims) {
    constexpr index_t sizes[] = {16384, 32768, 65536};
    constexpr double bars[] = {.85, .88, .90};
    double yardstick = 0;
    for (int s = 0; s < 3; ++s) {
      closure_row row = describe<S>(kind, sizes[s], 1, false);
      if (!wanted(row)) continue;
      if (yardstick == 0) yardstick = product_tops<S>(kind);
      row.gemm_tops = yardstick, row.share_at_least = bars[s], row.share_aim = aims[s];
      measure<S>(row, kind);
      add(row);
    }
  }
  void small(index_t n, double at_most, double aim) {
    closure_row row = describe<min_plus<f32>>(arcs::one_sign, n, 1, false);
    if (!wanted(row)) return;
    row.seconds_at_most = at_most, row.seconds_aim = aim;
    measure<min_plus<f32>>(row, arcs::one_sign);
    add(row);
  }
  // Hop distances: by exponents on the tensor cores.
  void short_distances(index_t n, bool predecessors, double at_most, double aim) {
    closure_row row = describe<min_plus<f32>>(arcs::unweighted, n, 1, predecessors);
    if (!wanted(row)) return;
    row.seconds_at_most = at_most, row.seconds_aim = aim;
    measure<min_plus<f32>>(row, arcs::unweighted);
    add(row);
  }
  void with_predecessors(index_t n) {
    closure_row row = describe<min_plus<f32>>(arcs::one_sign, n, 1, true);
    if (!wanted(row)) return;
    if (n == 32768) row.extra_at_most = 0.15, row.extra_aim = 0.05;
    measure<min_plus<f32>>(row, arcs::one_sign);
    add(row);
  }
  void batches() {
    struct {
      index_t n, count;
      double at_most, aim;
    } constexpr cases[] = {
        {16, 100000, 0, 0}, {32, 100000, 0, 0}, {64, 100000, 15e-3, 5e-3}, {128, 20000, 0, 0}, {256, 5000, 0, 0}};
    for (const auto& [n, count, at_most, aim] : cases) {
      closure_row row = describe<min_plus<f32>>(arcs::one_sign, n, count, true);
      if (!wanted(row)) continue;
      row.seconds_at_most = at_most, row.seconds_aim = aim;
      measure<min_plus<f32>>(row, arcs::one_sign);
      add(row);
    }
  }

  const context& ctx_;
  closure_suite_options options_;
  const std::function<void(const closure_row&)>& done_;
  std::vector<closure_row> rows_;
};

}  // namespace

std::vector<closure_row> run_closure_suite(const context& ctx, const closure_suite_options& options,
                                           const std::function<void(const closure_row&)>& done) {
  require_cuda(cudaSetDevice(ctx.device()->ordinal), "choosing the device");
  return closures(ctx, options, done).run();
}

}  // namespace kleene::bench
