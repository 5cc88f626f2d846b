#include "io_suite.hpp"

#include "interleave.hpp"
#include "kleene/data/error.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/io/npy.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace kleene::bench {

namespace {

struct arc {
  int from, to, weight;
};
std::vector<arc> random_arcs(int vertices, int count) {
  std::vector<arc> arcs(static_cast<std::size_t>(count));
  splitmix64 random{1};
  for (arc& a : arcs) {
    a.from = static_cast<int>(random() % vertices);
    do a.to = std::clamp(a.from + static_cast<int>(random() % 2001) - 1000, 0, vertices - 1);
    while (a.to == a.from);
    a.weight = 1 + static_cast<int>(random() % 36946);
  }
  return arcs;
}

// A text of `head` and a line for each arc.
template <class Line>
std::string text_of(std::string head, const std::vector<arc>& arcs, const Line& line) {
  for (const arc& a : arcs) line(std::back_inserter(head), a);
  return head;
}

std::string metis_of(int vertices, const std::vector<arc>& arcs) {
  std::vector<std::vector<std::pair<int, int>>> neighbours(static_cast<std::size_t>(vertices));
  std::size_t edges = 0;
  for (const arc& a : arcs) {
    auto &of_u = neighbours[a.from], &of_v = neighbours[a.to];
    if (std::ranges::any_of(of_u, [&](const auto& n) { return n.first == a.to; })) continue;
    of_u.emplace_back(a.to, a.weight);
    of_v.emplace_back(a.from, a.weight);
    ++edges;
  }
  std::string text = fmt::format("{} {} 1\n", vertices, edges);
  for (const auto& some : neighbours) {
    for (const auto& [v, weight] : some) fmt::format_to(std::back_inserter(text), "{} {} ", v + 1, weight);
    text += '\n';
  }
  return text;
}

class suite {
 public:
  suite(const io_suite_options& options, const std::function<void(const io_row&)>& done)
      : options_(options), done_(done) {
    folder_ = options.keep;
    if (!options.keep.empty()) return;
    std::string folder = (std::filesystem::temp_directory_path() / "kleene-bench-XXXXXX").string();
    if (!::mkdtemp(folder.data())) throw error(fault_code::internal, "no folder for the files of the suite");
    folder_ = folder;
  }
  ~suite() {
    if (!options_.keep.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::vector<io_row> run() {
    new_york();
    arcs();
    undirected();
    dense();
    return std::move(rows_);
  }

 private:
  static constexpr double text_rate = 200e6, share = 0.8;

  void new_york() {
    constexpr int n = 264346, m = 733846;
    if (!wants("New York, DIMACS .gr") && !wants("New York, DIMACS .gr.gz")) return;
    const std::string text = text_of(fmt::format("p sp {} {}\n", n, m), random_arcs(n, m), [](auto out, const arc& a) {
      fmt::format_to(out, "a {} {} {}\n", a.from + 1, a.to + 1, a.weight);
    });
    graph({.work = "New York, DIMACS .gr", .at_least = text_rate}, "ny.gr", text);
    graph({.work = "New York, DIMACS .gr.gz", .seconds_most = 0.25}, "ny.gr.gz", text);
  }

  void arcs() {
    constexpr int n = 400000, m = 4000000;
    const std::vector<arc> all = random_arcs(n, m);
    const auto row = [&](const char* work, const char* name, const std::string& head, const auto& line) {
      const io_row promise{.work = work, .at_least = text_rate, .share_asked = share};
      if (wants(work)) graph(promise, name, text_of(head, all, line));
    };
    row("DIMACS .gr", "a.gr", fmt::format("p sp {} {}\n", n, m),
        [](auto out, const arc& a) { fmt::format_to(out, "a {} {} {}\n", a.from + 1, a.to + 1, a.weight); });
    const std::string size = fmt::format("{} {} {}\n", n, n, m);
    row("Matrix Market, integers", "i.mtx", "%%MatrixMarket matrix coordinate integer general\n" + size,
        [](auto out, const arc& a) { fmt::format_to(out, "{} {} {}\n", a.from + 1, a.to + 1, a.weight); });
    row("Matrix Market, reals", "r.mtx", "%%MatrixMarket matrix coordinate real general\n" + size,
        [](auto out, const arc& a) {
          fmt::format_to(out, "{} {} {:.6f}\n", a.from + 1, a.to + 1, a.weight / 36947.0);
        });
    row("Matrix Market, a pattern", "p.mtx", "%%MatrixMarket matrix coordinate pattern general\n" + size,
        [](auto out, const arc& a) { fmt::format_to(out, "{} {}\n", a.from + 1, a.to + 1); });
    row("CSV, numbers", "n.csv", "from,to,weight\n",
        [](auto out, const arc& a) { fmt::format_to(out, "{},{},{}\n", a.from, a.to, a.weight); });
    row("CSV, numbers and reals", "r.csv", "from,to,weight\n",
        [](auto out, const arc& a) { fmt::format_to(out, "{},{},{:.6f}\n", a.from, a.to, a.weight / 36947.0); });
    row("CSV, names", "v.csv", "from,to,weight\n",
        [](auto out, const arc& a) { fmt::format_to(out, "stop {},stop {},{}\n", a.from, a.to, a.weight); });
    row("SNAP, two columns", "s.txt", "# FromNodeId\tToNodeId\n",
        [](auto out, const arc& a) { fmt::format_to(out, "{}\t{}\n", a.from, a.to); });
  }

  void undirected() {
    constexpr int n = 400000, m = 2000000;
    const std::vector<arc> edges = random_arcs(n, m);
    const io_row gset{.work = "G-set", .at_least = text_rate, .share_asked = share};
    if (wants(gset.work))
      graph(gset, "g.gset", text_of(fmt::format("{} {}\n", n, m), edges, [](auto out, const arc& a) {
              fmt::format_to(out, "{} {} {}\n", a.from + 1, a.to + 1, a.weight);
            }));
    const io_row metis{.work = "METIS", .at_least = text_rate, .share_asked = share};
    if (wants(metis.work)) graph(metis, "m.graph", metis_of(n, edges));
  }

  void dense() {
    const io_row array{.work = "Matrix Market array", .at_least = text_rate, .share_asked = share};
    if (wants(array.work)) {
      constexpr int n = 2048;
      std::string text = fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", n, n);
      splitmix64 random{1};
      for (int e = 0; e < n * n; ++e)
        fmt::format_to(std::back_inserter(text), "{:.6f}\n", double(random() >> 40) * 0x1p-24);
      hold("d.mtx", text);
      measure(array, static_cast<double>(text.size()), [this](int threads) {
        io::input file(path("d.mtx"));
        io::edge_list_options lists;
        lists.threads = threads;
        (void)io::read_graph_or_dense(file, io::real_type::f64, lists);
      });
    }
    const io_row npy{.work = ".npy f32, 8192 x 8192"};
    if (wants(npy.work)) {
      matrix<float> values(8192, 8192, 0.5f);
      io::write_npy(path("d.npy"), values);
      measure(npy, static_cast<double>(values.size()) * sizeof(float), [this](int) { io::read_dense(path("d.npy")); });
    }
  }

  bool wants(const std::string& work) const { return work.find(options_.only) != work.npos; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  void hold(const std::string& name, const std::string& text) const {
    if (name.ends_with(".gz")) {
      const gzFile file = gzopen(path(name).c_str(), "wb6");
      const bool written = file && gzwrite(file, text.data(), static_cast<unsigned>(text.size())) > 0;
      if (!file || gzclose(file) != Z_OK || !written) throw error(fault_code::internal, "cannot write " + path(name));
      return;
    }
    std::ofstream file(path(name), std::ios::binary);
    file << text;
    if (!file.flush()) throw error(fault_code::internal, "cannot write " + path(name));
  }

  void graph(const io_row& row, const std::string& name, const std::string& text) {
    if (!wants(row.work)) return;
    hold(name, text);
    measure(row, static_cast<double>(text.size()), [this, &name](int threads) {
      io::edge_list_options lists;
      lists.threads = threads;
      (void)io::read_graph(path(name), io::real_type::f64, lists);
    });
    if (options_.keep.empty()) std::filesystem::remove(path(name));
  }

  template <class Read>
  void measure(io_row row, double bytes, const Read& read) {
    row.bytes = bytes;
    row.threads = default_threads();
    read(row.threads);
    std::vector<double> one, all;
    for (int round = 0; round < options_.rounds; ++round) {
      double start = now();
      read(1);
      one.push_back(now() - start);
      start = now();
      read(row.threads);
      all.push_back(now() - start);
    }
    row.one_thread = median(one);
    row.all_threads = median(all);
    done_(row);
    rows_.push_back(std::move(row));
  }

  const io_suite_options& options_;
  const std::function<void(const io_row&)>& done_;
  std::filesystem::path folder_;
  std::vector<io_row> rows_;
};

}  // namespace

std::vector<io_row> run_io_suite(const io_suite_options& options, const std::function<void(const io_row&)>& done) {
  return suite(options, done).run();
}

}  // namespace kleene::bench
