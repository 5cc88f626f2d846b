#include "networks_suite.hpp"

#include "kleene/algebra/counting.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/networks/clusters.hpp"
#include "kleene/networks/problems.hpp"
#include "kleene/networks/residues.hpp"
#include "kleene/networks/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
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

double median(std::vector<double> of) {
  std::nth_element(of.begin(), of.begin() + std::ssize(of) / 2, of.end());
  return of[of.size() / 2];
}

struct sought {
  contraction_order order;
  double seconds = 0;
};

// How an order is looked for.
struct search_limits {
  double seconds;
  std::size_t element = sizeof(std::int32_t);  // bytes, of the largest that is asked
  bool is_included = false;                    // the search counts: no longer than the contraction is likely to take
  double memory = 0;                           // bytes; 0: what there is
};

struct answered {
  double value;
  solve_report report;
};

class suite {
 public:
  suite(const context& ctx, const networks_suite_options& options, const std::function<void(const networks_row&)>& done)
      : ctx_(ctx), options_(options), done_(done) {}

  std::vector<networks_row> run() {
    many_regular(200, 20);
    for (const std::int32_t n : {100, 150, 200}) regular(n);
    if (on_device()) dense_regular(260);
    for (const std::int32_t n : {16, 24}) spins(n, false), spins(n, true);
    if (on_device()) spins(32, false), spins(32, true);
    for (const std::int32_t n : {12, 16}) kings(n);
    if (on_device()) kings(28);
    for (const std::string& path : options_.graphs) file(path);
    return rows_;
  }

 private:
  static constexpr double least_search = 0.25;    // seconds, where the search is included
  static constexpr double long_contraction = 1;   // seconds, that are not measured again
  static constexpr double tensors_at_a_time = 5;  // as optimum() reckons
  static constexpr std::size_t count_bytes = sizeof(counted<double, first_residues<8>::value_type>);

  bool on_device() const { return ctx_.kind() == device_kind::cuda; }
  bool wants(const std::string& work) const { return work.find(options_.only) != std::string::npos; }

  // Operations and elements moved.
  static double work_of(const contraction_cost& cost) { return std::exp2(cost.operations) + std::exp2(cost.traffic); }

  // Two variables become one where that pays. Where the search is included, one of a quarter of a second, then of twice
  // as much while that is likely to pay.
  template <class T>
  sought look(problem<T>& p, const search_limits& limits) const {
    const double memory = limits.memory > 0 ? limits.memory : static_cast<double>(ctx_.available());
    const auto begun = std::chrono::steady_clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };
    const double rate = on_device() ? 3e11 : 3e9;
    const auto pays = [&](const contraction_cost& best) { return work_of(best) > passed() * rate; };
    order_options options;
    options.seconds = limits.is_included ? least_search : limits.seconds;
    options.most_elements = static_cast<index_t>(memory / (tensors_at_a_time * static_cast<double>(limits.element)));
    options.threads = on_device() ? default_threads() : ctx_.threads();
    if (limits.is_included) options.progress = [&](double, const contraction_cost& best) { return pays(best); };
    p = clustered(std::move(p));
    const network n = p.factors.to_network();
    sought found{find_order(n, options)};
    while (limits.is_included && pays(found.order.cost) && passed() < limits.seconds) {
      options.seconds *= 2;
      contraction_order other = find_order(n, options);
      if (work_of(other.cost) < work_of(found.order.cost)) found.order = std::move(other);
    }
    found.seconds = passed();
    return found;
  }

  // ask() until its time is known.
  template <class Ask>
  static void measure(networks_row& r, const Ask& ask) {
    answered found = ask();
    r.contract = found.report.contract_seconds;
    if (r.contract < long_contraction) {
      std::vector<double> seconds;
      for (int i = 0; i < 3; ++i) seconds.push_back((found = ask()).report.contract_seconds);
      r.contract = median(std::move(seconds));
    }
    r.answer = found.value, r.operations = found.report.cost.operations, r.largest = found.report.cost.largest;
    r.slices = static_cast<double>(found.report.slices), r.method = found.report.method;
    r.peak_bytes = static_cast<double>(found.report.bytes);
  }

  // measured(row), or why it could not be.
  template <class Measured>
  void row(networks_row r, const Measured& measured) {
    if (!wants(r.work)) return;
    try {
      measured(r);
    } catch (const std::exception& wrong) {
      r.failure = wrong.what();
    }
    done_(r);
    rows_.push_back(std::move(r));
  }

  // The questions to one problem, by one order, which is looked for when the first is asked.
  template <class T>
  class questions {
   public:
    questions(suite& all, std::string work, problem<T> p, const search_limits& limits)
        : all_(all), work_(std::move(work)), p_(std::move(p)), limits_(limits) {}

    void value(double contract_most = 0, double all_most = 0) { best(work_, false, {contract_most, all_most, 0}); }
    void configuration(double times_most = 0, double all_most = 0) {
      best(work_ + ", one configuration", true, {0, all_most, times_most});
    }
    void count(double contract_most = 0, double times_most = 0) {
      ask({work_ + ", count", contract_most, 0, times_most}, [&](const solve_options& options) {
        const auto found = count_optima(all_.ctx_, p_, options);
        return answered{found.about, found.report};
      });
    }

   private:
    void best(const std::string& work, bool assignment, const std::array<double, 3>& most) {
      ask({work, most[0], most[1], most[2]}, [&](solve_options options) {
        options.assignment = assignment;
        const auto found = optimum(all_.ctx_, p_, options);
        return answered{static_cast<double>(found.value), found.report};
      });
    }
    template <class Question>
    void ask(networks_row r, const Question& question) {
      all_.row(std::move(r), [&](networks_row& to) {
        if (!order_) order_ = all_.look(p_, limits_);
        solve_options options;
        options.found = &order_->order;
        options.memory = static_cast<std::size_t>(limits_.memory);
        measure(to, [&] { return question(options); });
        to.order = order_->seconds, to.beside = to.work == work_ ? 0 : value_seconds_;
        if (to.work == work_) value_seconds_ = to.contract;
      });
    }

    suite& all_;
    std::string work_;
    problem<T> p_;
    search_limits limits_;
    std::optional<sought> order_;
    double value_seconds_ = 0;
  };

  static problem<std::int32_t> sets_of(std::int32_t n, const edge_list& edges) {
    return independent_set(undirected(weighted(n, edges, [] { return 1; })));
  }

  void many_regular(std::int32_t n, int graphs) {
    const std::string work = fmt::format("independent set, {} graphs, 3-regular {}", graphs, n);
    row({work, on_device() ? 0.02 : 0.36}, [&](networks_row& r) {
      std::vector<double> order, contract, operations, largest;
      for (int seed = 1; seed <= graphs; ++seed) {
        problem<std::int32_t> p = sets_of(n, regular_edges(n, 3, static_cast<std::uint64_t>(seed)));
        const sought found = look(p, {2});
        const double before = r.answer;
        measure(r, [&] {
          const auto best = optimum(ctx_, p, {.order = {}, .found = &found.order, .assignment = false});
          return answered{static_cast<double>(best.value), best.report};
        });
        r.answer += before;
        order.push_back(found.seconds), contract.push_back(r.contract);
        operations.push_back(r.operations), largest.push_back(r.largest);
      }
      r.order = median(order), r.contract = median(contract);
      r.operations = median(operations), r.largest = median(largest);
    });
  }

  void regular(std::int32_t n) {
    const auto p = sets_of(n, regular_edges(n, 3, 1));
    const std::string work = fmt::format("independent set, 3-regular {}", n);
    questions<std::int32_t> asked(*this, work, p, {n < 200 ? 1.0 : 5.0, 16});
    asked.value();
    asked.configuration(n == 200 ? 2 : 0);
    asked.count(0, n == 200 ? 4 : 0);
    if (n < 200) return;
    questions<std::int32_t> planned(*this, work + ", planning included", p, {.seconds = 60, .is_included = true});
    planned.configuration(0, 10);
  }
  void dense_regular(std::int32_t n) {
    const auto p = sets_of(n, regular_edges(n, 3, 1));
    questions<std::int32_t> asked(*this, fmt::format("independent set, 3-regular {} in 60 GB, planning included", n), p,
                                  {.seconds = 60, .is_included = true, .memory = 60e9});
    asked.value(0, 180);
  }
  void spins(std::int32_t n, bool field) {
    splitmix64 random{1};
    const auto sign = [&] { return random() >> 63 ? 1 : -1; };
    const auto couplings = undirected(weighted(n * n, grid_edges(n, false), sign));
    std::vector<std::int32_t> fields;
    if (field)
      for (std::int32_t v = 0; v < n * n; ++v) fields.push_back(sign());
    const auto p = ising(couplings, fields);
    const bool large = n > 24;
    const double seconds = large ? 12 : n < 24 ? 1 : 3;
    questions<std::int32_t> asked(*this, fmt::format("+-J {} x {}{}", n, n, field ? " in a field" : ""), p, {seconds});
    asked.value(large ? 8 : 0);
    if (!large) asked.configuration();
    if (field) return;
    questions<std::int32_t> counted(*this, fmt::format("+-J {} x {}", n, n), p, {seconds, count_bytes});
    if (n != 24 || on_device()) counted.count(large ? 30 : 0);
  }
  void kings(std::int32_t n) {
    const auto p = sets_of(n * n, grid_edges(n, true));
    const bool large = n > 16;
    questions<std::int32_t> asked(*this, fmt::format("independent set, King's graph {} x {}", n, n), p,
                                  {large ? 12.0 : 1.0, count_bytes});
    asked.value();
    asked.count(large ? 20 : 0);
  }
  void file(const std::string& path) {
    const io::graph_file read = io::read_graph(path);
    edge_list edges;
    const auto add = [&](const auto& list) {
      for (std::size_t e = 0; e < list.row.size(); ++e)
        if (list.row[e] != list.col[e]) edges.push_back(std::minmax(list.row[e], list.col[e]));
      return static_cast<std::int32_t>(list.rows);
    };
    const std::int32_t n = std::visit(add, read.edges);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    const auto p = sets_of(n, edges);
    questions<std::int32_t> asked(
        *this, fmt::format("independent set, {}, planning included", std::filesystem::path(path).filename().string()),
        p, {.seconds = 60, .is_included = true});
    asked.configuration(0, on_device() ? 10 : 60);
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
