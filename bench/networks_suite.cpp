#include "networks_suite.hpp"

#include "kleene/data/splitmix64.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/networks/problems.hpp"
#include "kleene/networks/solve.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

namespace kleene::bench {

namespace {

// Pairs of vertices u < v, each once.
using edge_list = std::vector<std::pair<std::int32_t, std::int32_t>>;

edge_list regular_edges(std::int32_t n, int degree, std::uint64_t seed) {
  splitmix64 random{seed};
  for (;;) {
    std::vector<std::int32_t> ends;
    for (std::int32_t v = 0; v < n; ++v) ends.insert(ends.end(), static_cast<std::size_t>(degree), v);
    for (std::size_t i = ends.size() - 1; i > 0; --i) std::swap(ends[i], ends[random() % (i + 1)]);
    std::set<std::pair<std::int32_t, std::int32_t>> edges;
    for (std::size_t e = 0; e + 1 < ends.size(); e += 2)
      if (ends[e] != ends[e + 1]) edges.insert(std::minmax(ends[e], ends[e + 1]));
    if (edges.size() == ends.size() / 2) return {edges.begin(), edges.end()};
  }
}

// A grid of n x n, neighbours beside and below each other; a King's graph has diagonals, too.
edge_list grid_edges(std::int32_t n, bool diagonals) {
  edge_list edges;
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = 0; j < n; ++j) {
      const std::int32_t v = i * n + j;
      if (j + 1 < n) edges.emplace_back(v, v + 1);
      if (i + 1 < n) edges.emplace_back(v, v + n);
      if (diagonals && i + 1 < n && j + 1 < n) edges.emplace_back(v, v + n + 1);
      if (diagonals && i + 1 < n && j > 0) edges.emplace_back(v, v + n - 1);
    }
  return edges;
}

coo<std::int32_t> weighted(std::int32_t n, const edge_list& edges, const std::function<std::int32_t()>& weight) {
  coo<std::int32_t> list;
  list.rows = list.cols = n;
  for (const auto& [u, v] : edges) list.add(u, v, weight());
  return list;
}

class suite {
 public:
  suite(const context& ctx, const networks_suite_options& options, const std::function<void(const networks_row&)>& done)
      : ctx_(ctx), options_(options), done_(done) {}

  std::vector<networks_row> run() {
    for (const std::int32_t n : {100, 150, 200}) regular(n);
    spins(16, false);
    spins(24, false);
    spins(16, true);
    kings(12);
    kings(16);
    for (const std::string& path : options_.graphs) file(path);
    return rows_;
  }

 private:
  bool on_device() const { return ctx_.kind() == device_kind::cuda; }

  // One row: ask(options) is asked twice, and the second answer is timed.
  template <class Ask>
  void row(networks_row r, const Ask& ask) {
    if (r.work.find(options_.only) == std::string::npos) return;
    try {
      solve_options options;
      options.order.seconds = options_.seconds;
      ask(r, options);
      ask(r, options);
    } catch (const std::exception& wrong) {
      r.failure = wrong.what();
    }
    done_(r);
    rows_.push_back(std::move(r));
  }
  static void take(networks_row& r, double answer, const solve_report& report) {
    r.answer = answer, r.operations = report.cost.operations, r.largest = report.cost.largest;
    r.method = report.method, r.order = report.order_seconds, r.contract = report.contract_seconds;
    r.peak_bytes = static_cast<double>(report.bytes);
  }
  template <class P>
  void value(const std::string& work, const P& p, bool assignment, double contract_most, double all_most) {
    networks_row r{work + (assignment ? ", one configuration" : "")};
    r.contract_most = contract_most, r.all_most = all_most;
    row(r, [&](networks_row& to, solve_options options) {
      options.assignment = assignment;
      const auto found = optimum(ctx_, p, options);
      take(to, static_cast<double>(found.value), found.report);
    });
  }
  template <class P>
  void count(const std::string& work, const P& p) {
    row({work + ", count"}, [&](networks_row& to, const solve_options& options) {
      const auto found = count_optima(ctx_, p, options);
      take(to, found.about, found.report);
    });
  }

  void regular(std::int32_t n) {
    const auto p = independent_set(undirected(weighted(n, regular_edges(n, 3, 1), [] { return 1; })));
    const std::string work = "independent set, 3-regular " + std::to_string(n);
    value(work, p, false, n != 200 ? 0 : on_device() ? 0.02 : 0.36, 0);
    value(work, p, true, 0, n == 200 ? 10 : 0);
    if (n <= 150) count(work, p);
  }
  void spins(std::int32_t n, bool field) {
    splitmix64 random{1};
    const auto sign = [&] { return random() >> 63 ? 1 : -1; };
    const auto couplings = undirected(weighted(n * n, grid_edges(n, false), sign));
    std::vector<std::int32_t> fields;
    if (field)
      for (std::int32_t v = 0; v < n * n; ++v) fields.push_back(sign());
    const auto p = ising(couplings, fields);
    const std::string work = "+-J " + std::to_string(n) + " x " + std::to_string(n) + (field ? " in a field" : "");
    value(work, p, true, 0, 0);
    if (n <= 16) count(work, p);
  }
  void kings(std::int32_t n) {
    const auto p = independent_set(undirected(weighted(n * n, grid_edges(n, true), [] { return 1; })));
    const std::string work = "independent set, King's graph " + std::to_string(n) + " x " + std::to_string(n);
    value(work, p, true, 0, 0);
    count(work, p);
  }
  void file(const std::string& path) {
    const io::graph_file read = io::read_graph(path);
    std::visit(
        [&](const auto& list) {
          using T = typename std::remove_cvref_t<decltype(list)>::value_type;
          coo<T> once;
          once.rows = once.cols = list.rows;
          for (std::size_t e = 0; e < list.row.size(); ++e)
            if (list.row[e] != list.col[e]) once.add(list.row[e], list.col[e], T(1));
          value("independent set, " + std::filesystem::path(path).filename().string(),
                independent_set(undirected(once)), true, 0, 60);
        },
        read.edges);
  }

  const context& ctx_;
  const networks_suite_options& options_;
  const std::function<void(const networks_row&)>& done_;
  std::vector<networks_row> rows_;
};

}  // namespace

std::vector<networks_row> run_networks_suite(const context& ctx, const networks_suite_options& options,
                                             const std::function<void(const networks_row&)>& done) {
  return suite(ctx, options, done).run();
}

}  // namespace kleene::bench
