// kleene solve: files as graphs, sets, clauses or factors.
#include "solve_input.hpp"

#include "any_file.hpp"
#include "graph_input.hpp"
#include "kleene/data/detail/to_text.hpp"
#include "session.hpp"
#include "solve_numbers.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace kleene::cli {

const solve_row& problem_row_of(solve_kind kind) {
  using enum solve_kind;
  static constexpr std::array rows{
      solve_row{ising, "ising", "spins of least energy", "the energy is the sum over edges and fields", "spin", true,
                false, false, false},
      solve_row{cut, "cut", "two sides, and as much weight as can be between them",
                "the value is the weight of edges between the sides", "side", true, false, true, false},
      solve_row{independent_set, "independent_set", "the most vertices, no two of them neighbours",
                "no two that are chosen are neighbours", "chosen", true, true, false, true},
      solve_row{vertex_cover, "vertex_cover", "the fewest vertices that touch every edge",
                "each edge has an end that is chosen", "chosen", true, true, false, true},
      solve_row{clique, "clique", "the most vertices, each two of them neighbours",
                "each two that are chosen are neighbours", "chosen", true, true, true, true},
      solve_row{coloring, "coloring", "as few edges as can be with one colour at both ends",
                "the value is the number of such edges", "color", true, false, false, false},
      solve_row{dominating_set, "dominating_set", "the fewest vertices, one of them in or beside each vertex",
                "each vertex is chosen, or a neighbour is", "chosen", true, true, true, true},
      solve_row{set_packing, "set_packing", "the most sets, no two of which share an element",
                "no two that are chosen share an element", "chosen", false, true, true, true},
      solve_row{sat, "sat", "truth values that satisfy the hard clauses, and soft ones of as much weight as can be",
                "each hard clause is satisfied, and the value is the weight of satisfied soft ones", "value", false,
                false, true, true},
      solve_row{factors, "factors", "the assignment with the greatest product of all factors",
                "the value is the sum of the factors' logarithms", "value", false, false, true, false}};
  return rows[static_cast<std::size_t>(kind)];
}

std::string aim_of(const solve_flags& flags) {
  const std::string aim = problem_row_of(flags.kind).aim;
  if (flags.weights.empty()) return aim;
  const std::size_t best = aim.find(' ', aim.find(' ') + 1);  // behind "the most", "the fewest"
  return (aim.starts_with("the most ") ? "the greatest" : "the least") + (" sum of weights of" + aim.substr(best));
}

void require_solvable(const solve_flags& flags) {
  const solve_row& row = problem_row_of(flags.kind);
  const auto refuse = [&](const char* flag, const char* what) {
    throw error(fault_code::usage, fmt::format("{} {}, and not for {}", flag, what, row.name));
  };
  if (!flags.weights.empty() && !row.takes_weights) refuse("--weights", "is for problems that choose vertices or sets");
  if (!flags.fields.empty() && flags.kind != solve_kind::ising) refuse("--fields", "is for ising");
  if (flags.colors != 0 && flags.kind != solve_kind::coloring) refuse("--colors", "is for coloring");
  if (flags.colors == 0 && flags.kind == solve_kind::coloring)
    throw error(fault_code::usage, "coloring takes --colors Q, the number of colours");
  if (flags.soft && flags.kind != solve_kind::sat) refuse("--soft", "is for sat");
  if (flags.partition && flags.kind != solve_kind::factors) refuse("--partition", "is for factors");
  if (flags.drop_loops && !row.takes_graph) refuse("--drop-loops", "is for graphs");
  if (!flags.svg.empty() && !row.takes_graph) refuse("--svg", "draws an answer on a graph");
  if (flags.svg.empty() != flags.coordinates.empty())
    throw error(fault_code::usage, "a map takes both --svg FILE and --coordinates FILE");
}

namespace {

bool has_loop(const io::graph_file& file) {
  return std::visit(
      [](const auto& arcs) {
        for (std::size_t e = 0; e < arcs.row.size(); ++e)
          if (arcs.row[e] == arcs.col[e]) return true;
        return false;
      },
      file.edges);
}

// Takes loops out, or refuses the first.
template <class W>
void drop_loops(coo<W>& arcs, const solve_flags& flags, const shared_flags& shared, const entry_source& source) {
  const solve_row& row = problem_row_of(flags.kind);
  index_t dropped = 0;
  std::size_t left = 0;
  for (std::size_t e = 0; e < arcs.row.size(); ++e) {
    if (arcs.row[e] == arcs.col[e]) {
      const std::int32_t v = arcs.row[e];
      if (!row.drops_loops && !flags.drop_loops)
        throw error(
            fault_code::bad_input,
            fmt::format(
                "{}: vertex {} has an edge to itself, and {} asks about edges between two vertices; --drop-loops "
                "leaves such edges out",
                place_of(source, v, v, static_cast<double>(arcs.value[e])), source.names.text(v), row.name));
      ++dropped;
      continue;
    }
    arcs.row[left] = arcs.row[e], arcs.col[left] = arcs.col[e], arcs.value[left] = arcs.value[e];
    ++left;
  }
  arcs.row.resize(left), arcs.col.resize(left), arcs.value.resize(left);
  note(shared, fmt::format("{}: {} from a vertex to itself {} left out", source.path,
                           dropped == 1 ? "an edge" : grouped(dropped) + " edges", dropped == 1 ? "is" : "are"));
}

// "weight 4", or "weights that add up to 4" where the file has the edge several times.
template <class W>
std::string weight_words(const coo<W>& listed, std::int32_t u, std::int32_t v, W weight) {
  int times = 0;
  for (std::size_t e = 0; e < listed.row.size(); ++e) times += listed.row[e] == u && listed.col[e] == v;
  return fmt::format("{} {}", times > 1 ? "weights that add up to" : "weight", weight);
}

// Refuses an edge whose directions have different weights, in the words of the file; undirected() has numbers.
template <class W>
void refuse_unlike_directions(const csr<W>& arcs, const coo<W>& listed, const entry_source& source) {
  for (std::int32_t u = 0; u < arcs.rows; ++u)
    for (auto e = arcs.offsets[u]; e < arcs.offsets[u + 1]; ++e) {
      const std::int32_t v = arcs.columns[e];
      const auto begin = arcs.columns.begin() + arcs.offsets[v], end = arcs.columns.begin() + arcs.offsets[v + 1];
      const auto back = std::lower_bound(begin, end, u);
      if (v < u || back == end || *back != u) continue;
      const W there = arcs.values[e], here = arcs.values[back - arcs.columns.begin()];
      if (there == here) continue;
      throw error(
          fault_code::bad_input,
          fmt::format("{}: the edge from {} to {} has {}, and {} the other way; an edge has one weight",
                      place_of(source, v, u, static_cast<double>(here)), source.names.text(u), source.names.text(v),
                      weight_words(listed, u, v, there), weight_words(listed, v, u, here)));
    }
}

bool asks_for_weights(solve_kind kind) { return kind == solve_kind::ising || kind == solve_kind::cut; }

// An edge that stands there several times has the sum of its weights.
template <class W>
csr<W> summed_rows(const coo<W>& arcs, const std::string& path) {
  try {
    return make_csr(arcs, [](W a, W b) {
      if constexpr (std::is_floating_point_v<W>) return sum_as_read(a, b);
      else return kleene::detail::add_weights<W>(a, b);
    });
  } catch (const value_error&) {
    throw error(fault_code::bad_input, path +
                                           ": the weights of an edge that stands there several times add up to more "
                                           "than 64 bits hold");
  }
}

template <class W>
void put_edges(solve_input& input, const coo<W>& arcs, const solve_flags& flags, bool is_pattern) {
  if (!asks_for_weights(flags.kind) || is_pattern) {  // an edge that stands there twice is one
    coo<bool> only{arcs.rows, arcs.cols, arcs.row, arcs.col, sparse_values<bool>(arcs.row.size(), true)};
    auto g = undirected(only);
    input.edges = std::vector<std::int64_t>(asks_for_weights(flags.kind) ? g.edges.size() : 0, 1);
    input.graph = std::move(g);
    return;
  }
  const csr<W> rows = summed_rows(arcs, input.path);
  refuse_unlike_directions(rows, arcs, {input.path, input.format, input.names});
  auto g = undirected(rows);
  input.edges = std::vector<W>(g.weights.begin(), g.weights.end());
  input.graph = std::move(g);
}

void read_graph_of(solve_input& input, const solve_flags& flags, const shared_flags& shared) {
  shared_flags as_weights = shared;
  as_weights.dtype = "f64";  // no number stands for "no path" here: a spin glass of all pairs has weights of -1
  io::graph_file file = read_graph_file(flags.input, as_weights, io::real_type::f64);
  input.format = file.format + (file.symmetric ? ", undirected" : "");
  input.description = file.description;
  input.names = labels(std::move(file.names), file.first_vertex);
  input.parts = file.vertices;
  const double bytes = static_cast<double>(file.vertices) * 64 + static_cast<double>(file.arcs) * 64;
  require_memory(bytes, fmt::format("{}: a graph of {} and {}", input.path,
                                    counted(file.vertices, "vertex", "vertices"), counted(file.arcs, "arc", "arcs")));
  const bool loops = has_loop(file);
  std::visit(
      [&](auto& arcs) {
        if (loops) drop_loops(arcs, flags, shared, {input.path, file.format, input.names});
        put_edges(input, arcs, flags, file.pattern);
      },
      file.edges);
}

// Gives the vertices that are listed new numbers, in their order; how many there are.
index_t number_anew(std::vector<std::int32_t>& listed, index_t vertices) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(vertices), 0);
  for (const std::int32_t v : listed) number[static_cast<std::size_t>(v)] = 1;
  std::int32_t count = 0;
  for (std::int32_t& n : number) n = n > 0 ? count++ : -1;
  for (std::int32_t& v : listed) v = number[static_cast<std::size_t>(v)];
  return count;
}

// The sets of a matrix are its rows, its columns the elements; those of an edge list the vertices that arcs leave, and
// that they lead to.
template <class W>
void put_sets(solve_input& input, coo<W>& entries, const labels& names, bool is_matrix) {
  if (is_matrix) {
    input.parts = entries.rows, input.elements = entries.cols;
    input.names = names;
  } else {
    std::vector<std::int32_t> leaving = entries.row;
    std::ranges::sort(leaving);
    leaving.erase(std::unique(leaving.begin(), leaving.end()), leaving.end());
    std::vector<std::string> called;
    for (const std::int32_t s : leaving) called.push_back(names.plain(s));
    input.names = labels(std::move(called), 0);
    input.parts = number_anew(entries.row, entries.rows);
    input.elements = number_anew(entries.col, entries.cols);
  }
  input.sets.resize(static_cast<std::size_t>(input.parts));
  for (std::size_t e = 0; e < entries.row.size(); ++e)
    input.sets[static_cast<std::size_t>(entries.row[e])].push_back(entries.col[e]);
}

// "set,element" is no title of arcs, so that it is read as one of them.
void refuse_title(const solve_input& input, const solve_flags& flags, const io::graph_file& graph) {
  const auto begins_with_set = [&](const auto& entries) {
    if (entries.row.empty() || graph.names.empty()) return false;
    return graph.names[static_cast<std::size_t>(entries.row[0])] == "set";
  };
  if (!flags.input.lists.header && std::visit(begins_with_set, graph.edges))
    throw error(fault_code::bad_input, input.path +
                                           ": the first line has a set called 'set'; --header says that it "
                                           "names the columns, --no-header that it is a set");
}

void read_sets(solve_input& input, const solve_flags& flags, const shared_flags& shared) {
  any_file file = read_any_file(flags.input, shared);
  input.format = file.format;
  if (auto* const sparse = std::get_if<sparse_file>(&file.content))
    return std::visit([&](auto& entries) { put_sets(input, entries, labels({}, sparse->first_row), true); },
                      sparse->entries);
  auto* const graph = std::get_if<io::graph_file>(&file.content);
  if (!graph || graph->symmetric)
    throw error(
        fault_code::bad_input,
        fmt::format("{}: set_packing takes a sparse matrix with a row for each set, or an edge list from sets to "
                    "their elements, and this is {}",
                    input.path, graph ? "an undirected graph" : file.format + ", a dense matrix"));
  input.description = graph->description;
  const bool is_list = graph->format == io::row_of(io::file_format::edge_list).name ||
                       graph->format == io::row_of(io::file_format::parquet).name;
  refuse_title(input, flags, *graph);
  const labels names(std::move(graph->names), graph->first_vertex);
  std::visit([&](auto& entries) { put_sets(input, entries, names, !is_list); }, graph->edges);
}

// Flags about vertices and arcs, of a file that has none.
void refuse_graph_flags(const input_flags& flags, std::string_view what) {
  refuse_list_flags(flags, what);
  const char* const given = !flags.names.empty()                       ? "--names"
                            : !flags.no_arc.empty()                    ? "--no-arc"
                            : flags.format != io::file_format::unknown ? "--input-format"
                                                                       : nullptr;
  if (given) throw error(fault_code::usage, fmt::format("{} holds {}: {} is for graphs", flags.file, what, given));
}

void read_clauses(solve_input& input, const solve_flags& flags) {
  refuse_graph_flags(flags.input, "clauses");
  input.clauses = io::read_cnf(input.path);
  input.format = input.clauses.is_weighted ? "DIMACS wcnf" : "DIMACS cnf";
  if (flags.soft && input.clauses.is_weighted)
    throw error(fault_code::usage, "--soft is for .cnf, and " + input.path + " says which clauses are soft");
  for (io::cnf_clause& c : input.clauses.clauses) c.is_hard = c.is_hard && !flags.soft;
  input.parts = input.clauses.variables;
  input.names = labels({}, 1);
}

void read_factors(solve_input& input, const solve_flags& flags) {
  refuse_graph_flags(flags.input, "a factor graph");
  input.factors = io::read_uai(input.path);
  input.format = input.factors.is_bayes ? "UAI, BAYES" : "UAI, MARKOV";
  input.parts = static_cast<index_t>(input.factors.values.size());
  input.names = labels({}, 0);
}

}  // namespace

solve_input read_solve_input(const solve_flags& flags, const shared_flags& shared) {
  solve_input input{.path = flags.input.file};
  if (flags.kind == solve_kind::sat) read_clauses(input, flags);
  else if (flags.kind == solve_kind::factors) read_factors(input, flags);
  else if (flags.kind == solve_kind::set_packing) read_sets(input, flags, shared);
  else read_graph_of(input, flags, shared);
  const std::string& numbers = flags.weights.empty() ? flags.fields : flags.weights;
  if (!numbers.empty()) input.weights = read_vertex_numbers(numbers, input.names, input.parts);
  return input;
}

}  // namespace kleene::cli
