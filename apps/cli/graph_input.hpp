// A graph file, the element type its weights call for, and its arcs in that type.
#pragma once

#include "commands.hpp"
#include "dispatch.hpp"
#include "kleene/data/sparse.hpp"
#include "kleene/io/graph.hpp"
#include "labels.hpp"
#include "text.hpp"

#include <string>
#include <variant>

namespace kleene::cli {

struct graph_input {
  io::graph_file file;
  std::string path, algebra, dtype;
  labels names{};       // of the vertices, or their numbers
  std::string doubt{};  // to be noted beside an answer: what is odd about the weights; empty: nothing

  // The vertex that a flag means; error(usage) when the graph has no such vertex.
  std::int32_t vertex(const std::string& word, const char* flag) const {
    return names.find(word, flag, path, file.vertices);
  }
  // The same of a list: 1,5,9.
  std::vector<std::int32_t> vertices(const std::string& list, const char* flag) const;
};

// error(usage) if there are flags for edge lists: the file is something else.
void refuse_list_flags(const input_flags& flags, std::string_view what);

// Reads a graph as the flags say. error(usage) for flags that are for other formats than the file's. The names of
// --names are in it as if they were of the file: bad input where they are not as many as the vertices.
io::graph_file read_graph_file(const input_flags& flags, const shared_flags& shared, io::real_type reals);
io::graph_file read_graph_file(io::input& in, const input_flags& flags, const shared_flags& shared,
                               io::real_type reals);

// The graph with the names of --names, where it is given.
io::graph_file add_names(io::graph_file file, const input_flags& flags);

// Reads the file and chooses the element type: --dtype if given, f64 for real weights, type_for_integers for others.
// error(memory) where the vertices alone are too many.
graph_input read_graph_input(const input_flags& flags, const shared_flags& shared);

// The entries of a file in the algebra's element type; value_error for one that the type cannot hold.
template <class S, class From>
sparse_values<value_of<S>> values_as(const coo<From>& entries, const std::string& path, const labels& names,
                                     bool as_arcs) {
  using T = value_of<S>;
  sparse_values<T> values;
  values.reserve(entries.value.size());
  for (std::size_t e = 0; e < entries.value.size(); ++e) {
    const std::optional<T> value = ignores_weights<S> ? T(1) : converted<T>(entries.value[e]);
    // Asked here, of each entry: duplicates are combined next, and spread out over zero(), to which a value outside the
    // domain may lose.
    const auto refuse = [&](const std::string& why) {
      const std::string i = names.text(entries.row[e]), j = names.text(entries.col[e]);
      throw value_error(as_arcs ? fmt::format("{}: arc {} -> {} has weight {}, {}", path, i, j, entries.value[e], why)
                                : fmt::format("{}: entry ({}, {}) is {}, {}", path, i, j, entries.value[e], why));
    };
    if (!value) refuse(fmt::format("which is no {}{}", type_name<T>, range_hint<T>));
    if constexpr (has_domain<S> && !ignores_weights<S>)
      if (!S::in_domain(*value)) refuse(domain_words<S>());
    if constexpr (std::is_integral_v<T> && !ignores_weights<S>)
      if (S::zero() != T(0) && *value == S::zero())
        refuse(fmt::format("which stands for \"no path\" in {} on {}{}", S::name, type_name<T>, range_hint<T>));
    values.push_back(*value);
  }
  return values;
}

// The algebra's add on elements: the better of two duplicates.
template <class S>
value_of<S> better(value_of<S> earlier, value_of<S> later) {
  return normalise<S>(S::add(widen<S>(earlier), widen<S>(later)));
}

// The arcs, duplicates combined. Takes them out of the input.
template <class S>
csr<value_of<S>> take_arcs(graph_input& input) {
  return std::visit(
      [&](auto& entries) {
        coo<value_of<S>> arcs{entries.rows, entries.cols, {}, {}, values_as<S>(entries, input.path, input.names, true)};
        arcs.row = std::move(entries.row);
        arcs.col = std::move(entries.col);
        return make_csr(arcs, better<S>);
      },
      input.file.edges);
}

// "read_as": how an edge list was read.
void add_description(json_object& json, const graph_input& input);

// "34 vertices, 156 arcs".
std::string graph_size(const graph_input& input, index_t arcs);

// The weight of arc u -> v, which is there.
template <class T>
T weight_of(const csr<T>& graph, std::int32_t u, std::int32_t v) {
  const auto begin = graph.columns.begin();
  const auto at = std::lower_bound(begin + graph.offsets[u], begin + graph.offsets[u + 1], v);
  return graph.values[at - begin];
}

// value_error that names the cycle; subcommands throw it after they have printed their answer.
[[noreturn]] void refuse_negative_cycle(const graph_input& input, const std::vector<std::int32_t>& cycle);

}  // namespace kleene::cli
