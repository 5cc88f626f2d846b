// A graph file, the element type its weights call for, and its arcs in that type.
#pragma once

#include "commands.hpp"
#include "dispatch.hpp"
#include "elements.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/kernels/contract/closure_overflow.hpp"
#include "labels.hpp"
#include "text.hpp"

#include <string>
#include <string_view>
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

// The arcs as elements of an algebra, duplicates combined. Takes them out of the input. value_error for a weight that
// the type cannot hold, or outside the algebra's domain. T: f32, f64, i32, i64, bool.
template <class T>
csr<T> take_arcs(graph_input& input, const element_rules<T>& rules);

// Calls work(). The library does not know which file a graph is from: its refusals get the file's name in front.
template <class Work>
auto of_file(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const overflow_error&) {
    throw;  // of a type: another may be chosen
  } catch (const value_error& wrong) {
    const std::string_view words = wrong.what();
    throw value_error(words.starts_with(path) ? std::string(words) : path + ": " + std::string(words));
  }
}

// The same of work over S. Where a length is too large for an integer type, the refusal says which type there is.
template <class S, class Work>
auto lengths_of_file(const graph_input& input, const Work& work) {
  using T = value_of<S>;
  try {
    return of_file(input.path, work);
  } catch (const overflow_error&) {
    if constexpr (std::is_floating_point_v<T>) throw;
    throw value_error(fmt::format("{}: a length is too large for {}: {}", input.path, type_name<T>,
                                  wider_types(input.algebra, type_name<T>)));
  }
}

// "read_as": how an edge list was read.
void add_description(json_object& json, const graph_input& input);

// "34 vertices, 156 arcs".
std::string graph_size(const graph_input& input, index_t arcs);
std::string arcs_text(std::size_t count);  // "1 arc", "34 arcs"

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
