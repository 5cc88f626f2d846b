#include "graph_input.hpp"

#include "kleene/io/formats.hpp"
#include "kleene/io/names.hpp"
#include "no_arc.hpp"
#include "session.hpp"

#include <algorithm>
#include <type_traits>

namespace kleene::cli {

std::vector<std::int32_t> graph_input::vertices(const std::string& list, const char* flag) const {
  std::vector<std::int32_t> found;
  for (const std::string& word : io::split_list(list, flag)) found.push_back(vertex(word, flag));
  return found;
}

namespace {

// Over max_times weights are probabilities, and a cycle of larger ones has no best path.
std::string weight_above_one(const graph_input& input) {
  if (input.algebra != "max_times") return {};
  return std::visit(
      [&](const auto& arcs) -> std::string {
        const auto first = std::ranges::find_if(arcs.value, [](auto weight) { return weight > 1; });
        if (first == arcs.value.end()) return {};
        const auto e = first - arcs.value.begin();
        const entry_source source{input.path, input.file.format, input.names};
        return fmt::format("{}: arc {} -> {} has weight {}, and probabilities are at most 1",
                           place_of(source, arcs.row[e], arcs.col[e], static_cast<double>(*first)),
                           input.names.text(arcs.row[e]), input.names.text(arcs.col[e]), *first);
      },
      input.file.edges);
}

template <class W>
bool has_arc(const coo<W>& arcs, std::int32_t u, std::int32_t v) {
  for (std::size_t e = 0; e < arcs.row.size(); ++e)
    if (arcs.row[e] == u && arcs.col[e] == v) return true;
  return false;
}

// Removes all arcs u -> v.
template <class W>
void erase_arcs(coo<W>& arcs, std::int32_t u, std::int32_t v) {
  std::size_t left = 0;
  for (std::size_t e = 0; e < arcs.row.size(); ++e) {
    if (arcs.row[e] == u && arcs.col[e] == v) continue;
    arcs.row[left] = arcs.row[e], arcs.col[left] = arcs.col[e], arcs.value[left] = arcs.value[e];
    ++left;
  }
  arcs.row.resize(left), arcs.col.resize(left), arcs.value.resize(left);
}

// What all of --without say. Each is of the graph as it was read: an edge may be named from both of its ends.
void leave_out(graph_input& input, const std::vector<std::string>& words) {
  std::vector<std::pair<std::int32_t, std::int32_t>> left_out;
  for (const std::string& word : words) {
    const std::vector<std::string> ends = io::split_list(word, "--without");
    if (ends.size() != 2)
      throw error(fault_code::usage, fmt::format("--without takes an arc, FROM,TO, and not '{}'", as_utf8(word)));
    left_out.emplace_back(input.vertex(ends[0], "--without"), input.vertex(ends[1], "--without"));
  }
  std::visit(
      [&](auto& arcs) {
        for (const auto& [u, v] : left_out)
          if (!has_arc(arcs, u, v))
            throw error(fault_code::usage,
                        fmt::format("--without: {} has no arc from {} to {}{}", input.path, input.names.text(u),
                                    input.names.text(v), has_arc(arcs, v, u) ? " (the other way there is one)" : ""));
        for (const auto& [u, v] : left_out) {
          erase_arcs(arcs, u, v);
          if (input.file.symmetric) erase_arcs(arcs, v, u);
        }
        input.file.arcs = arcs.entries();
      },
      input.file.edges);
}

}  // namespace

void refuse_list_flags(const input_flags& flags, std::string_view what) {
  if (flags.lists.any())
    throw error(fault_code::usage,
                fmt::format("{} is no edge list ({}): --columns, --separator, --header, --no-header, --directed, "
                            "--undirected and --vertices are for edge lists",
                            flags.file, what));
}

io::graph_file read_graph_file(io::input& in, const input_flags& flags, const shared_flags& shared,
                               io::real_type reals) {
  io::edge_list_options lists = flags.lists;
  lists.threads = shared.threads;
  std::variant<io::graph_file, io::dense_file> content = io::read_graph_or_dense(in, reals, lists, flags.format);
  const auto* dense = std::get_if<io::dense_file>(&content);
  io::graph_file file =
      dense ? graph_of_dense(*dense, flags, shared.algebra_name()) : std::move(std::get<io::graph_file>(content));
  content = io::graph_file();
  if (!dense && !flags.no_arc.empty())
    throw error(fault_code::usage, fmt::format("--no-arc is about dense matrices, and {} is none ({}): what it does "
                                               "not list is no arc",
                                               flags.file, file.format));
  if (!file.doubt.empty()) note(shared, file.doubt);
  if (!dense && shared.dtype.empty()) refuse_no_path_weights(file, flags.file);
  return add_names(std::move(file), flags);
}

io::graph_file add_names(io::graph_file file, const input_flags& flags) {
  const bool is_list = file.format == io::row_of(io::file_format::edge_list).name ||
                       file.format == io::row_of(io::file_format::parquet).name;
  if (!is_list) refuse_list_flags(flags, file.format);
  if (flags.names.empty()) return file;
  if (!file.names.empty())
    throw error(fault_code::usage, fmt::format("--names: the vertices of {} have names already", flags.file));
  file.names = io::read_names(flags.names);
  if (static_cast<index_t>(file.names.size()) != file.vertices)
    throw shape_error(fmt::format("{} has {}, and {} has {}", flags.names,
                                  counted(std::ssize(file.names), "name", "names"), flags.file,
                                  counted(file.vertices, "vertex", "vertices")));
  return file;
}
io::graph_file read_graph_file(const input_flags& flags, const shared_flags& shared, io::real_type reals) {
  io::input in(flags.file);
  return read_graph_file(in, flags, shared, reals);
}

graph_input read_graph_input(const input_flags& flags, const shared_flags& shared) {
  const std::string& path = flags.file;
  require_algebra(path_algebras::need, shared.algebra_name(), shared.dtype);
  const algebra_facts facts = facts_of(shared.algebra_name());
  const bool narrow = shared.dtype == "f32" && !facts.ignores_weights;
  graph_input input{read_graph_file(flags, shared, narrow ? io::real_type::f32 : io::real_type::f64), path,
                    shared.algebra_name(), shared.dtype};
  input.names = labels(std::move(input.file.names), input.file.first_vertex);
  if (!flags.without.empty()) leave_out(input, flags.without);
  // What take_arcs will hold at once: offsets and the starts of two counting sorts (a file of a few bytes can
  // promise 2^31 vertices), and 52 bytes for an arc: its weight in the element type, twice it and a vertex, the result.
  const double vertices = static_cast<double>(input.file.vertices), stored = static_cast<double>(input.file.arcs);
  require_memory(vertices * 3 * sizeof(index_t) + stored * 52,
                 fmt::format("{}: a graph of {} and {}", path, counted(input.file.vertices, "vertex", "vertices"),
                             counted(input.file.arcs, "arc", "arcs")));
  input.doubt = weight_above_one(input);
  if (!input.dtype.empty()) {
    if (const auto* arcs = std::get_if<coo<std::int64_t>>(&input.file.edges))
      note_rounding(shared, path, arcs->value, input.dtype);
    return input;
  }
  input.dtype = "f64";
  if (const auto* arcs = std::get_if<coo<std::int64_t>>(&input.file.edges)) {
    double largest = 0;
    for (std::int64_t w : arcs->value) largest = std::max(largest, std::abs(static_cast<double>(w)));
    input.dtype = type_for_integers(input.algebra, largest, std::max(vertices, 3.0));
  } else if (facts.ignores_weights) {
    input.dtype = "i32";
  }
  return input;
}

template <class T>
csr<T> take_arcs(graph_input& input, const element_rules<T>& rules) {
  return std::visit(
      [&](auto& entries) {
        coo<T> arcs{entries.rows,
                    entries.cols,
                    {},
                    {},
                    values_as(rules, entries, {input.path, input.file.format, input.names}, true)};
        arcs.row = std::move(entries.row);
        arcs.col = std::move(entries.col);
        return make_csr(arcs, rules.add);
      },
      input.file.edges);
}
template csr<f32> take_arcs(graph_input&, const element_rules<f32>&);
template csr<f64> take_arcs(graph_input&, const element_rules<f64>&);
template csr<i32> take_arcs(graph_input&, const element_rules<i32>&);
template csr<i64> take_arcs(graph_input&, const element_rules<i64>&);
template csr<bool> take_arcs(graph_input&, const element_rules<bool>&);

void add_description(json_object& json, const graph_input& input) {
  if (!input.file.description.empty()) json.text("read_as", input.file.description);
}

std::string arcs_text(std::size_t count) { return counted(static_cast<index_t>(count), "arc", "arcs"); }

std::string graph_size(const graph_input& input, index_t arcs) {
  return fmt::format("{}, {}{}", counted(input.file.vertices, "vertex", "vertices"),
                     arcs_text(static_cast<std::size_t>(arcs)), input.file.symmetric ? " (undirected)" : "");
}

void refuse_negative_cycle(const graph_input& input, const std::vector<std::int32_t>& cycle) {
  std::vector<std::int32_t> closed = cycle;
  closed.push_back(cycle.front());
  const algebra_facts facts = facts_of(input.algebra);
  throw value_error(input.path + ": distances do not exist, for there is a " +
                    (!facts.sums_weights  ? "cycle that improves without end"
                     : facts.prefers_less ? "negative cycle"
                                          : "positive cycle") +
                    ": " + input.names.route(closed, 20));
}

}  // namespace kleene::cli
