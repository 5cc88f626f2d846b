// kleene apsp FILES...: shortest paths of many graphs, by all devices that --device names.
#include "commands.hpp"
#include "devices.hpp"
#include "graph_input.hpp"
#include "kleene/io/npy.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "processes.hpp"
#include "results.hpp"
#include "session.hpp"
#include "text.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace kleene::cli {

namespace {

// What is said of one graph.
struct list_row {
  std::string file, dtype, place;
  index_t vertices = 0, arcs = 0, reachable = 0;
  std::string diameter{}, diameter_shown{};  // as JSON, and for people; empty: no path
  std::string cycle{}, cycle_shown{};        // one that improves without end; empty: none
  double seconds = 0;
};

class graph_list {
 public:
  graph_list(const shared_flags& shared, const apsp_flags& flags) : shared_(shared), flags_(flags) {
    files_.push_back(flags.input.file);
    files_.insert(files_.end(), flags.others.begin(), flags.others.end());
    rows_.resize(files_.size());
    refuse_flags_of_one();
    for (const std::string* folder : {&flags.out.path, &flags.predecessors})
      if (!folder->empty()) require_folder(*folder);
    std::vector<named_file> inputs, outputs;
    for (const std::string& file : files_) {
      inputs.push_back({"FILE", file});
      if (!flags.out.path.empty()) outputs.push_back({"--out", out_of(file).path});
      if (!flags.predecessors.empty()) outputs.push_back({"--predecessors", predecessors_of(file)});
    }
    require_outputs(shared, outputs, inputs);
  }

  // Each context takes one graph after another. What is wrong with the first graph that is refused ends all.
  void run(std::vector<context>& contexts) {
    const stopwatch watch;
    std::vector<std::thread> others;
    for (std::size_t c = 1; c < contexts.size(); ++c) others.emplace_back([&, c] { work(contexts[c]); });
    work(contexts.front());
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    print(watch.seconds());
    refuse_cycles();
  }

 private:
  void refuse_flags_of_one() const {
    if (!flags_.saving.resume.empty())  // one of them is that of the saved words
      throw error(fault_code::usage, "--resume knows its FILE: leave it out");
    const picture_flags& p = flags_.picture;
    const std::initializer_list<std::pair<const char*, bool>> of_one = {{"--sources", !flags_.sources.empty()},
                                                                        {"--targets", !flags_.targets.empty()},
                                                                        {"--within", !flags_.within.empty()},
                                                                        {"--slack", !flags_.slack.empty()},
                                                                        {"--closeness", !flags_.closeness.empty()},
                                                                        {"--top", flags_.top > 0},
                                                                        {"--plot", p.plot},
                                                                        {"--svg", !p.svg.empty()},
                                                                        {"--coordinates", !p.coordinates.empty()},
                                                                        {"--from", !p.from.empty()},
                                                                        {"--names", !flags_.input.names.empty()},
                                                                        {"--checkpoint", flags_.saving.is_on()}};
    for (const auto& [flag, given] : of_one)
      if (given) throw error(fault_code::usage, fmt::format("{} takes one graph, not {}", flag, files_.size()));
    if (is_one_of_several())
      throw error(fault_code::usage,
                  "several processes find the paths of one FILE; the devices of one process those "
                  "of several (--device cuda:all)");
    if (std::ranges::find(files_, "-") != files_.end())
      throw error(fault_code::usage, "standard input (-) is one graph: several are given by the names of their files");
    std::vector<std::string> stems;
    for (const std::string& file : files_) stems.push_back(file_stem(file));
    std::ranges::sort(stems);
    const auto twice = std::ranges::adjacent_find(stems);
    if (twice != stems.end() && !(flags_.out.path.empty() && flags_.predecessors.empty()))
      throw error(fault_code::usage, fmt::format("two FILES are called {}, and one's result would be lost", *twice));
  }
  // Where the results of one graph go.
  output_flags out_of(const std::string& file) const {
    output_flags out = flags_.out;
    out.path += fmt::format("/{}.{}", file_stem(file), out.format.empty() ? "npy" : out.format);
    return out;
  }
  std::string predecessors_of(const std::string& file) const {
    return fmt::format("{}/{}.npy", flags_.predecessors, file_stem(file));
  }
  static void require_folder(const std::string& path) {
    struct stat about{};
    if (::stat(path.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))
      throw error(fault_code::bad_input,
                  fmt::format("{}: results of several graphs go to a folder that is there", path));
  }

  void work(context& ctx) {
    for (std::size_t at; (at = next_++) < files_.size();) try {
        rows_[at] = solve_file(ctx, files_[at]);
      } catch (...) {
        next_ = files_.size();
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
  }

  list_row solve_file(const context& ctx, const std::string& file) {
    input_flags from = flags_.input;
    from.file = file;
    graph_input input = read_graph_input(from, shared_);
    std::optional<list_row> row;
    dispatch<path_algebras>(input.algebra, input.dtype, [&](auto s) { row = solve(s, ctx, input); });
    if (!input.doubt.empty()) note(shared_, input.doubt);
    return *row;
  }

  template <class S>
  list_row solve(S s, const context& ctx, graph_input& input) {
    using T = value_of<S>;
    apsp_options options{.method = apsp_method_from(flags_.method), .predecessors = !flags_.predecessors.empty()};
    options.vertex_name = [&](index_t v) { return input.names.text(v); };
    const double n = static_cast<double>(input.file.vertices);
    require_memory(n * n * (sizeof(T) + (options.predecessors ? 4 : 0)),
                   fmt::format("{}: {:.0f} x {:.0f} distances in {}", input.path, n, n, type_name<T>));
    const csr<T> graph = take_arcs(input, rules_of<S>());
    const auto result = lengths_of_file<S>(input, [&] { return shortest_paths(ctx, s, graph, options); });
    list_row row{.file = input.path,
                 .dtype = input.dtype,
                 .place = ctx.describe(),
                 .vertices = input.file.vertices,
                 .arcs = graph.entries(),
                 .seconds = result.seconds};
    if (!result.negative_cycle.empty()) {
      row.cycle = input.names.json(result.negative_cycle);
      row.cycle_shown = input.names.route(result.negative_cycle, 8);
      return row;
    }
    const auto summary = summarise(result, context::cpu({.threads = shared_.threads, .isa = {}}));
    row.reachable = summary.reachable_pairs;
    if (summary.any_finite) {
      row.diameter = number_json(summary.diameter);
      row.diameter_shown = number_text(summary.diameter);
    }
    const std::lock_guard lock(mutex_);
    write(input, result);
    return row;
  }

  template <class S>
  void write(const graph_input& input, const apsp_result<S>& result) const {
    if (!flags_.out.path.empty())
      write_result<value_of<S>>(
          request_of(out_of(input.path)),
          {result.distances, S::zero(), &input.names, &result.sources, "distance", false, nullptr, S::one()},
          shared_.threads);
    if (!flags_.predecessors.empty()) io::write_npy(predecessors_of(input.path), result.own_predecessors);
  }

  void print(double seconds) const {
    if (shared_.json) {
      std::string all;
      for (const list_row& row : rows_) {
        json_object json;
        json.text("file", row.file).number("vertices", row.vertices).number("arcs", row.arcs).text("dtype", row.dtype);
        json.raw("negative_cycle", row.cycle.empty() ? "null" : row.cycle);
        row.cycle.empty() ? json.number("reachable_pairs", row.reachable) : json.null("reachable_pairs");
        json.raw("diameter", row.diameter.empty() ? "null" : row.diameter);
        json.number("seconds", row.seconds).text("place", row.place);
        all += (all.empty() ? "" : ", ") + json.inner();
      }
      json_object json;
      json.text("algebra", shared_.algebra_name()).number("seconds", seconds);
      add_devices(json, shared_);
      write_answer(json.raw("graphs", "[" + all + "]").str());
    } else if (shared_.prints_text()) {
      answer text;
      for (const list_row& row : rows_) {
        text.line("graph", fmt::format("{}: {}, {}", row.file, counted(row.vertices, "vertex", "vertices"),
                                       arcs_text(static_cast<std::size_t>(row.arcs))));
        if (!row.cycle.empty()) text.line("cycle", row.cycle_shown + " -> back: distances do not exist");
        else
          text.line("", fmt::format("{} a path{}; {} on {}", counted(row.reachable, "pair has", "pairs have"),
                                    row.diameter.empty() ? "" : ", the farthest " + row.diameter_shown,
                                    seconds_text(row.seconds), row.place));
      }
      text.line("time", fmt::format("{} for {}", seconds_text(seconds), counted(std::ssize(rows_), "graph", "graphs")));
      write_answer(text.str());
    }
  }

  void refuse_cycles() const {
    const auto has_cycle = [](const list_row& row) { return !row.cycle.empty(); };
    if (const auto first = std::ranges::find_if(rows_, has_cycle); first != rows_.end())
      throw value_error(fmt::format("{}: the cycle {} improves without end ({} of {} one)", first->file,
                                    first->cycle_shown, std::ranges::count_if(rows_, has_cycle),
                                    counted(std::ssize(rows_), "graph has", "graphs have")));
  }

  const shared_flags& shared_;
  const apsp_flags& flags_;
  std::vector<std::string> files_;
  std::vector<list_row> rows_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void run_apsp_list(const shared_flags& shared, const apsp_flags& flags) {
  graph_list list(shared, flags);
  std::vector<context> contexts;
  const std::vector<int> devices = devices_of(shared.device);
  if (devices.size() > 1)
    for (const int device : devices) contexts.push_back(context::cuda(device));
  else contexts.push_back(make_context(shared));
  list.run(contexts);
}

}  // namespace kleene::cli
