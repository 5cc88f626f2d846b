// Graphs as files: .mtx, .gr, .csv, .tsv, .txt, .edges, .parquet, undirected ones as .graph (METIS), .gset and .col, or
// the dense matrix .npy, by their suffix. What the file cannot hold is refused in a sentence.
#pragma once

#include "commands.hpp"
#include "kleene/io/graph.hpp"
#include "labels.hpp"
#include "text.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kleene::cli {

enum class graph_format { mtx, gr, csv, tsv, txt, npy, metis, gset, col, parquet };

// A graph as a file; words as in the flags, empty: not given.
struct graph_output_flags {
  std::string path{}, format{};
  bool lossy = false;
};
// --format and --lossy; the path itself is an option of each subcommand's own.
void add_graph_output_flags(CLI::App& app, graph_output_flags& flags);

struct graph_request {
  std::string path;
  graph_format format = graph_format::mtx;
  bool lossy = false;  // what the format cannot hold is left out

  std::string name() const { return path == "/dev/stdout" ? "standard output" : path; }
};
// By --format, else by suffix; no suffix is Matrix Market. error(usage) for any other, .gz among them; of .parquet as
// require_parquet has them.
graph_request graph_request_of(const graph_output_flags& flags, const char* flag);

// For help and refusals: ".mtx, .gr, ...", those that this build writes; undirected graphs have some more.
std::string graph_suffixes();

// Whether it holds arcs alone, and vertices by the names or numbers that they have in them.
bool is_edge_list(graph_format format);
// What a format that is none calls its first vertex.
int first_number(graph_format format);

// "Matrix Market", "DIMACS", "edge list", "METIS", ...
std::string format_words(graph_format format);

// Writes the file whole or not at all. .mtx keeps whether weights are integers, and of an undirected graph each arc
// once, as edge lists do; .gr has both directions, and 1 where there are no weights. .npy is a matrix of the algebra's
// element type (shared.dtype, else i64 or f64) with the algebra's zero where there is no arc.
// value_error for what the format cannot hold, unless lossy: names in .mtx, .gr and .npy; vertices without an arc in an
// edge list; parallel arcs, and a weight that means no arc, in .npy; weights in .col. Lossy or not, for infinite
// weights in all others than matrices (.mtx, .npy).
struct written_graph {
  std::vector<std::string> lost{};  // what a lossy file is without, in words
  std::string no_arc{};             // of .npy the number that means no arc; else empty
};
written_graph write_graph(const graph_request& request, const io::graph_file& graph, const shared_flags& shared);

// What an answer says of a lossy file, and nothing of others.
void add_lost(answer& text, const graph_request& request, const std::vector<std::string>& lost);
void add_lost(json_object& json, const graph_request& request, const std::vector<std::string>& lost);

// The name or number of each vertex, one a line, as --names reads them.
void write_names(const std::string& path, const labels& names, index_t vertices);

}  // namespace kleene::cli
