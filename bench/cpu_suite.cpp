#include "cpu_suite.hpp"

#include "cpu_bits.hpp"
#include "cpu_gemv.hpp"
#include "cpu_small.hpp"
#include "cpu_streaming.hpp"
#include "cpu_tensors.hpp"
#include "interleave.hpp"
#include "kleene/algebra/catalog.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/operations/own/gemm.inl.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include <algorithm>
#include <limits>

namespace kleene::bench {

namespace {

template <class T>
matrix<T> random_matrix(index_t rows, index_t cols, splitmix64& random) {
  matrix<T> m(rows, cols, uninitialised{});
  for (index_t e = 0; e < m.size(); ++e) {
    const std::uint64_t z = random();
    if constexpr (std::is_floating_point_v<T>) m.data()[e] = static_cast<T>(double(z >> 40) * 0x1p-24);
    else m.data()[e] = static_cast<T>(z % (sizeof(T) == 1 ? 32 : 1000));
  }
  return m;
}

// What a user writes: scalar code, no vectors in sight.
struct my_shortest {
  using value_type = float;
  static constexpr const char* name = "my_shortest";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return std::numeric_limits<float>::infinity(); }
  static constexpr float one() { return 0; }
  static constexpr float add(float a, float b) { return b < a ? b : a; }
  static constexpr float mul(float a, float b) { return a + b; }
};

class suite {
 public:
  suite(const cpu_suite_options& options, const std::function<void(const cpu_row&)>& done)
      : options_(options), rows_(options, done), one_(context::cpu({.threads = 1})), all_(context::cpu()) {}

  std::vector<cpu_row> run() {
    products();
    for (const bool with_predecessors : {false, true}) closed(with_predecessors);
    run_cpu_bits(rows_, one_);
    run_cpu_small(rows_, one_);
    run_cpu_gemv(rows_, one_, all_);
    run_cpu_tensors(rows_, one_, all_);
    run_cpu_streaming(rows_, all_);
    if (!options_.graph.empty()) searches();
    return rows_.all();
  }

 private:
  static std::string threads_text(const context& ctx) {
    return std::to_string(ctx.threads()) + (ctx.threads() == 1 ? " thread" : " threads");
  }

  template <class S>
  void product(S s, const context& ctx, index_t n, double at_least) {
    using T = value_of<S>;
    const std::string work =
        std::string("gemm ") + S::name + " " + type_name<T> + ", n = " + std::to_string(n) + ", " + threads_text(ctx);
    if (!rows_.wants(work)) return;
    splitmix64 random{1};
    const matrix<T> a = random_matrix<T>(n, n, random), b = random_matrix<T>(n, n, random);
    matrix<T> c(n, n);
    const measurement m = interleave(
        options_.rounds, double(n) * double(n) * double(n), [&] { gemm(ctx, s, a, b, c, {.check_domain = false}); },
        [&] { return register_roof<S>(ctx.threads()); });
    rows_.add(work, "register roof", "pairs", m, at_least, ctx.threads());
  }

  void products() {
    product(min_plus<f32>{}, one_, 2048, 0.85);
    product(min_plus<f32>{}, all_, 2048, 0.80);
    product(min_plus<f64>{}, one_, 2048, 0.80);
    product(min_plus<i32>{}, one_, 2048, 0.80);
    product(max_min<f32>{}, one_, 2048, 0.80);
    product(min_plus<i16>{}, one_, 2048, 0.75);
    product(min_plus<u8>{}, one_, 2048, 0.70);
    for (const bool wide : {false, true}) log_sums<f32>(wide);
    for (const bool wide : {false, true}) log_sums<f64>(wide);
    user_defined();
  }

  void user_defined() {
    const char* work = "gemm user-defined ring f32, n = 2048, 1 thread";
    if (!rows_.wants(work)) return;
    splitmix64 random{1};
    const index_t n = 2048;
    const matrix<f32> a = random_matrix<f32>(n, n, random), b = random_matrix<f32>(n, n, random);
    matrix<f32> c(n, n);
    const double pairs = double(n) * double(n) * double(n);
    const measurement m = interleave(
        options_.rounds, pairs, [&] { gemm(one_, my_shortest{}, a, b, c); },
        [&] {
          const double start = now();
          gemm(one_, min_plus<f32>{}, a, b, c);
          return pairs / (now() - start);
        });
    rows_.add(work, "built-in min_plus", "pairs", m, 0.85);
  }

  // Log-sum-exp beside the product of numbers, which is all of its work but O(n^2). From [0, 1) sums of products of
  // exponentials are certified; from [-1e4, 1e4) none is, and every element is streamed.
  template <class T>
  void log_sums(bool wide) {
    const index_t n = 1024;
    const std::string work = std::string("gemm log_plus ") + type_name<T> + ", n = 1024, " +
                             (wide ? "values to 1e4, streamed" : "values to 1") + ", 1 thread";
    if (!rows_.wants(work)) return;
    splitmix64 random{1};
    matrix<T> a = random_matrix<T>(n, n, random), b = random_matrix<T>(n, n, random), c(n, n);
    if (wide)
      for (matrix<T>* m : {&a, &b})
        for (index_t i = 0; i < n * n; ++i) m->data()[i] = T(2e4) * m->data()[i] - T(1e4);
    const double pairs = double(n) * double(n) * double(n);
    const measurement m = interleave(
        options_.rounds, pairs, [&] { gemm(one_, log_plus<T>{}, a, b, c); },
        [&] {
          const double start = now();
          gemm(one_, plus_times<T>{}, a, b, c);
          return pairs / (now() - start);
        });
    rows_.add(work, std::string("plus_times ") + type_name<T>, "pairs", m, wide ? 0 : 0.5);
  }

  void closed(bool with_predecessors) {
    const index_t n = 4096, other = 2048;
    const std::string work = std::string("closure min_plus f32") + (with_predecessors ? " with predecessors" : "") +
                             ", n = 4096, " + threads_text(all_);
    if (!rows_.wants(work)) return;
    splitmix64 random{1};
    const matrix<f32> graph = random_matrix<f32>(n, n, random);
    matrix<f32> a(n, n), c(other, other);
    matrix<std::int32_t> p(n, n);
    const matrix<f32> left = random_matrix<f32>(other, other, random), right = random_matrix<f32>(other, other, random);
    const measurement m = interleave(
        std::max(3, options_.rounds - 2), double(n) * double(n) * double(n),
        [&] {
          a = graph;
          if (with_predecessors) (void)closure(all_, min_plus<f32>{}, a, p);
          else (void)closure(all_, min_plus<f32>{}, a);
        },
        [&] {
          const double start = now();
          gemm(all_, min_plus<f32>{}, left, right, c);
          return double(other) * double(other) * double(other) / (now() - start);
        });
    rows_.add(work, "gemm, n = 2048", "pairs", m, with_predecessors ? 0.45 : 0.75, all_.threads());
  }

  // All pairs of a road network, with predecessors, by each method; automatic must be close to the better one.
  void searches() {
    const io::graph_file file = io::read_graph(options_.graph);
    csr<i32> graph;
    std::visit(
        [&](const auto& list) {
          coo<i32> narrow{list.rows, list.cols, list.row, list.col, {}};
          for (const auto& w : list.value) narrow.value.push_back(static_cast<i32>(w));
          graph = make_csr(narrow, [](i32 x, i32 y) { return std::min(x, y); });
        },
        file.edges);
    const auto work_of = [&](apsp_method method) {
      return std::string("all pairs with predecessors, i32, ") + to_string(method) + ", " + std::to_string(graph.rows) +
             " vertices, " + threads_text(all_);
    };
    constexpr apsp_method methods[] = {apsp_method::floyd_warshall, apsp_method::dijkstra, apsp_method::automatic};
    if (std::ranges::none_of(methods, [&](apsp_method method) { return rows_.wants(work_of(method)); })) return;
    double best[3];
    for (const apsp_method method : methods) {
      std::vector<double> times;
      for (int round = 0; round <= options_.rounds; ++round) {
        const double start = now();
        const auto result = shortest_paths(all_, graph, {.method = method, .predecessors = true});
        if (round > 0) times.push_back(now() - start);  // the first run touches new memory
      }
      best[static_cast<int>(method)] = median(times);
      cpu_row row{.work = work_of(method), .seconds = median(times), .share = median(times), .lower_is_better = true};
      if (method == apsp_method::automatic) {
        row.against = "the better method + 10 %";
        row.at_least = 1.1 * std::min(best[static_cast<int>(apsp_method::floyd_warshall)],
                                      best[static_cast<int>(apsp_method::dijkstra)]);
      }
      if (rows_.wants(row.work)) rows_.add(row);
    }
  }

  cpu_suite_options options_;
  cpu_rows rows_;
  context one_, all_;
};

}  // namespace

std::vector<cpu_row> run_cpu_suite(const cpu_suite_options& options, const std::function<void(const cpu_row&)>& done) {
  return suite(options, done).run();
}

}  // namespace kleene::bench
