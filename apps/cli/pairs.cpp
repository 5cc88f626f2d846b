// kleene path --pairs: the distances of a list of pairs, as many as there are.
#include "commands.hpp"
#include "graph_input.hpp"
#include "io/column_titles.hpp"
#include "io/edge_list_comments.hpp"
#include "io/edge_list_sample.hpp"
#include "kleene/io/atomic_file.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/parquet.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "session.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace kleene::cli {

namespace {

struct pair_list {
  std::vector<std::int32_t> from, to;  // vertices of the graph

  index_t size() const { return static_cast<index_t>(from.size()); }
};

bool is_parquet(std::string_view text) { return io::format_at_start(text) == io::file_format::parquet; }

// To the next line that is no comment and not blank.
bool next_pair_line(io::scanner& in) {
  while (in.next_filled_line())
    if (!io::detail::is_comment(in.line())) return true;
  return false;
}

// Refuses pair `index` of a list of `count` at its place: "pairs.csv:7", or a row of a table. The lines before the
// first pair are headers, comments and blank ones.
[[noreturn]] void refuse_pair(std::string_view text, const std::string& path, index_t index, index_t count,
                              const std::string& why) {
  if (is_parquet(text)) throw error(fault_code::bad_input, fmt::format("{}: row {}: {}", path, index + 1, why));
  std::vector<index_t> lines;
  for (io::scanner in(text, path); next_pair_line(in);) lines.push_back(in.line_number());
  const bool is_first = index == 0 && std::ssize(lines) == count;
  throw error(fault_code::bad_input,
              fmt::format("{}:{}: {}{}", path, lines[lines.size() - static_cast<std::size_t>(count - index)], why,
                          is_first ? " (if this line names the columns: call them from and to)" : ""));
}

// Words as vertices of a graph.
class vertex_lookup {
 public:
  explicit vertex_lookup(const graph_input& graph) : graph_(graph) {
    for (index_t v = 0; graph.names.named() && v < graph.file.vertices; ++v)
      known_.emplace(graph.names.plain(v), static_cast<std::int32_t>(v));
  }
  bool has(const std::string& word) const { return known_.contains(word); }
  // error(usage) for none.
  std::int32_t operator()(const std::string& word) const {
    const auto at = known_.find(word);
    return at != known_.end() ? at->second : graph_.vertex(word, "--pairs");
  }

 private:
  const graph_input& graph_;
  std::unordered_map<std::string, std::int32_t> known_;  // names
};

struct column_titles {
  std::vector<std::string> titles{};
  std::array<int, 2> ends = {-1, -1};  // the columns that are called from and to, or alike
  std::string place{};                 // of a refusal
  bool is_line = false;                // the first line of a text
  bool recur = false;                  // words that look like titles, and are vertices
};

// Whether one of the next lines has a word as a field. Titles occur once: what occurs again are vertices, to the reader
// of edge lists, too, which looks at a hundred lines.
bool occur_again(io::scanner& in, char separator, const std::array<std::string, 2>& words) {
  for (int line = 1; line < 100 && next_pair_line(in); ++line) {
    const std::vector<std::string> fields = io::detail::fields_of(in.line(), separator);
    if (std::ranges::find_first_of(fields, words) != fields.end()) return true;
  }
  return false;
}

// The titles of a table; of a text those that its first line, or the comment above it, has by any separator.
column_titles titles_of(std::string_view text, const std::string& path) {
  column_titles found{.place = path};
  if (is_parquet(text)) {
    found.titles = io::parquet_columns(text, path);
    found.ends = io::detail::named_ends(found.titles);
    return found;
  }
  io::scanner in(text, path);
  std::string_view comment;
  index_t comment_line = 0;
  while (in.next_filled_line() && io::detail::is_comment(in.line()))
    comment = in.line(), comment_line = in.line_number();
  comment.remove_prefix(std::min(comment.find_first_not_of("#% \t"), comment.size()));
  const std::string_view first = in.line();
  const index_t first_line = in.line_number();
  for (const char separator : {'\t', ';', ',', '|', ' '}) {
    found.titles = io::detail::fields_of(first, separator);
    const std::size_t fields = found.titles.size();
    found.ends = io::detail::named_ends(found.titles);
    if (found.ends[0] >= 0) {
      if (occur_again(in, separator, {found.titles[found.ends[0]], found.titles[found.ends[1]]}))
        return {.recur = true};
      found.place = fmt::format("{}:{}", path, first_line);
      found.is_line = true;
      return found;
    }
    found.titles = io::detail::fields_of(comment, separator);
    found.ends = io::detail::named_ends(found.titles);
    found.place = fmt::format("{}:{}", path, comment_line);
    if (found.ends[0] >= 0 && found.titles.size() == fields) return found;
  }
  return {};
}

// Which columns are the ends of the pairs: those that are called so, as in an edge list, else the first two.
std::vector<std::string> columns_of(const column_titles& found, const vertex_lookup& graph) {
  if (found.ends[0] < 0) return {"1", "2"};
  const std::string &from = found.titles[found.ends[0]], &to = found.titles[found.ends[1]];
  const auto refuse = [&](const std::string& what) {
    throw error(fault_code::bad_input, fmt::format("{}: {}", found.place, what));
  };
  for (const std::string& title : {from, to})
    if (std::ranges::count(found.titles, title) > 1)
      refuse(fmt::format("two columns are called {}, and either may be meant", io::shown(title)));
  if (found.is_line && graph.has(from) && graph.has(to))
    refuse(
        fmt::format("{} and {} may be titles of columns, and are vertices of the graph, too: write other titles above",
                    io::shown(from), io::shown(to)));
  // By number where it makes no difference: a reader that sees no titles finds the columns, too.
  if (found.ends == std::array{0, 1}) return {"1", "2"};
  return {from, to};
}

// error(bad_input) "file:line: what" for a vertex that the graph does not have.
pair_list read_pairs(const std::string& path, const graph_input& graph, int threads) {
  const std::string text = io::read_whole(path);
  const vertex_lookup lookup(graph);
  const column_titles titles = titles_of(text, path);
  const io::edge_list_options columns = {.header = titles.recur ? std::optional(false) : std::nullopt,
                                         .columns = columns_of(titles, lookup),
                                         .directed = true,
                                         .vertices = io::vertex_labels::names,
                                         .threads = threads};
  const io::edge_list_file list =
      is_parquet(text) ? io::parse_parquet(text, path, columns) : io::parse_edge_list(text, path, columns);
  const auto& ends = std::get<coo<std::int64_t>>(list.edges);
  std::vector<std::int32_t> vertex(list.names.size(), -1);  // of each word, once it was looked up
  pair_list pairs;
  for (index_t e = 0; e < ends.entries(); ++e) {
    for (const std::int32_t word : {ends.row[e], ends.col[e]}) {
      if (vertex[word] >= 0) continue;
      try {
        vertex[word] = lookup(list.names[word]);
      } catch (const error& unknown) {
        refuse_pair(text, path, e, ends.entries(), unknown.what());
      }
    }
    pairs.from.push_back(vertex[ends.row[e]]);
    pairs.to.push_back(vertex[ends.col[e]]);
  }
  return pairs;
}

// What is said of them.
struct pairs_report {
  std::string method;
  index_t arcs = 0, pairs = 0, reachable = 0, sources = 0;
  double sum = 0, seconds = 0;  // sum: of the distances
  std::vector<std::int32_t> negative_cycle{};
};

void print(const shared_flags& shared, const path_flags& flags, const graph_input& input, const context& ctx,
           const pairs_report& r) {
  const double mean = r.reachable > 0 ? r.sum / static_cast<double>(r.reachable) : 0;
  if (shared.json) {
    json_object json;
    json.text("file", input.path);
    add_description(json, input);
    json.number("vertices", input.file.vertices).number("arcs", r.arcs);
    json.text("algebra", input.algebra).text("dtype", input.dtype);
    add_place(json, ctx);
    json.text("method", r.method).number("seconds", r.seconds).number("pairs", r.pairs).number("sources", r.sources);
    json.number("reachable_pairs", r.reachable).number("distance_sum", r.sum);
    write_answer(json.str());
  } else if (shared.prints_text()) {
    const std::string unit = flags.picture.unit.empty() ? "" : " " + flags.picture.unit;
    answer text;
    text.line("graph", fmt::format("{}: {}", input.path, graph_size(input, r.arcs)));
    if (!input.file.description.empty()) text.line("read as", input.file.description);
    text.line("pairs", fmt::format("{} from {}, {} reachable", grouped(r.pairs),
                                   counted(r.sources, "vertex", "vertices"), grouped(r.reachable)));
    if (input.algebra != "or_and" && r.reachable > 0) text.line("mean", number_text(mean) + unit);
    text.line("time", fmt::format("{}, {}", seconds_text(r.seconds), r.method));
    write_answer(text.str());
  }
}

// Rows of distances at once: enough for all threads, and no more than 256 MiB where that will do.
template <class T>
index_t rows_at_once(index_t vertices, int threads) {
  const index_t row = std::max<index_t>(1, vertices) * static_cast<index_t>(sizeof(T));
  return std::max<index_t>(threads, (index_t{1} << 28) / row);
}

// The distance of each pair: searches from some of the vertices that pairs start at, after another some.
template <class S>
std::vector<value_of<S>> solve(S s, context& ctx, const path_flags& flags, const graph_input& input,
                               const csr<value_of<S>>& graph, const pair_list& pairs, pairs_report& report) {
  using T = value_of<S>;
  std::vector<index_t> order(pairs.from.size());
  std::iota(order.begin(), order.end(), index_t{0});
  std::ranges::stable_sort(order, {}, [&](index_t e) { return pairs.from[e]; });
  std::vector<std::int32_t> sources = pairs.from;
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  report.sources = static_cast<index_t>(sources.size());

  std::vector<T> distances(pairs.from.size());
  index_t rows = rows_at_once<T>(input.file.vertices, ctx.threads());
  std::size_t at = 0;
  for (index_t first = 0; first < report.sources;) {
    const index_t count = std::min(rows, report.sources - first);
    require_memory(static_cast<double>(count) * static_cast<double>(input.file.vertices) * sizeof(T),
                   fmt::format("{} x {} distances in {}", count, input.file.vertices, type_name<T>));
    apsp_options options{.method = apsp_method_from(flags.method)};
    options.sources = std::span(sources).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    options.vertex_name = [&](index_t v) { return input.names.text(v); };
    const auto result = lengths_of_file<S>(input, [&] { return shortest_paths(ctx, s, graph, options); });
    report.method = to_string(result.method);
    report.negative_cycle = result.negative_cycle;
    if (!report.negative_cycle.empty()) return {};
    // What has computed all rows at once shall not do it again.
    if (result.method == apsp_method::floyd_warshall) rows = report.sources;
    for (index_t i = 0; i < count; ++i)
      for (; at < order.size() && pairs.from[order[at]] == result.sources[i]; ++at)
        distances[order[at]] = result.distances(i, pairs.to[order[at]]);
    first += count;
  }
  return distances;
}

// Typed columns, in which no path is null where it is infinite in text.
template <class S>
void write_parquet(const path_flags& flags, const graph_input& input, const pair_list& pairs,
                   const std::vector<value_of<S>>& distances) {
  using T = value_of<S>;
  constexpr auto type = std::is_integral_v<T>      ? io::parquet_values::i64
                        : std::is_same_v<T, float> ? io::parquet_values::f32
                                                   : io::parquet_values::f64;
  io::parquet_output out(flags.out, input.names.names(), input.names.first(), {.value = "distance", .values = type});
  for (index_t e = 0; e < pairs.size(); ++e) {
    const bool is_null = distances[e] == S::zero() && distances[e] != T(0);
    is_null ? out.add(pairs.from[e], pairs.to[e]) : out.add(pairs.from[e], pairs.to[e], distances[e]);
  }
  out.commit();
}

template <class S>
void write(const path_flags& flags, const graph_input& input, const pair_list& pairs,
           const std::vector<value_of<S>>& distances) {
  const char separator = flags.out.ends_with(".tsv") ? '\t' : ',';
  const std::string absent =
      absent_text<value_of<S>>({.path = flags.out, .format = result_format::csv, .rows = true}, S::zero());
  io::atomic_file out(flags.out);
  out.write(fmt::format("from{0}to{0}distance\n", separator));
  const auto name = [&](std::int32_t v) { return quoted(input.names.plain(v), separator); };
  for (index_t e = 0; e < pairs.size(); ++e) {
    const std::string ends = fmt::format("{1}{0}{2}{0}", separator, name(pairs.from[e]), name(pairs.to[e]));
    if (distances[e] == S::zero()) out.write(fmt::format("{}{}\n", ends, absent));
    else if (const double far = as_number<S>(distances[e]); std::isinf(far))
      out.write(fmt::format("{}{}\n", ends, far));
    else out.write(fmt::format("{}{}\n", ends, +distances[e]));
  }
  out.commit();
}

template <class S>
void run(S s, context& ctx, const shared_flags& shared, const path_flags& flags, graph_input& input) {
  const pair_list pairs = read_pairs(flags.pairs, input, shared.threads);
  const csr<value_of<S>> graph = take_arcs(input, rules_of<S>());
  pairs_report report{.method = "no search", .arcs = graph.entries(), .pairs = pairs.size()};
  const stopwatch watch;
  const auto distances = [&] {
    const progress_bar bar(ctx, "path", shared.prints_text());
    return solve(s, ctx, flags, input, graph, pairs, report);
  }();
  report.seconds = watch.seconds();
  if (!report.negative_cycle.empty()) refuse_negative_cycle(input, report.negative_cycle);
  for (const auto distance : distances) {
    if (distance == S::zero()) continue;
    ++report.reachable;
    report.sum += as_number<S>(distance);
  }
  is_parquet_name(flags.out) ? write_parquet<S>(flags, input, pairs, distances)
                             : write<S>(flags, input, pairs, distances);
  print(shared, flags, input, ctx, report);
}

}  // namespace

void run_pairs(const shared_flags& shared, const path_flags& flags) {
  apsp_method_from(flags.method);
  if (!flags.picture.from.empty() || !flags.picture.svg.empty() || !flags.picture.coordinates.empty() ||
      flags.picture.plot)
    throw error(fault_code::usage,
                "--pairs stands for FROM and TO: it goes without them, and without --svg, --plot and --coordinates");
  if (flags.out.empty())
    throw error(fault_code::usage, "--pairs needs --out FILE for the distances (--out - is standard output)");
  require_outputs(shared, {{"--out", flags.out}},
                  {{"FILE", flags.input.file}, {"--names", flags.input.names}, {"--pairs", flags.pairs}});
  require_pairs_name("--out", flags.out);
  auto [ctx, input] = make_context_while(
      shared, false, flags.input.file, [&] { return read_graph_input(flags.input, shared); },
      [](const graph_input& input) { return input.file.vertices; });
  dispatch<path_algebras>(input.algebra, input.dtype,
                          [&, &ctx = ctx, &input = input](auto s) { run(s, ctx, shared, flags, input); });
  if (!input.doubt.empty()) note(shared, input.doubt);
}

}  // namespace kleene::cli
