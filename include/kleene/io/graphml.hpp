// GraphML (Brandes, Eiglsperger, Herman, Himsolt, Marshall: "GraphML progress report", 2001;
// http://graphml.graphdrawing.org), plain or compressed, by expat where the build has it: one graph of nodes and edges.
//
//   <graphml>
//     <key id="d0" for="edge" attr.name="weight" attr.type="double"><default>1</default></key>
//     <graph edgedefault="directed">
//       <node id="Fulda"/> <node id="Essen"/>
//       <edge source="Fulda" target="Essen" directed="false"><data key="d0">292.5</data></edge>
//
//   vertices   the nodes, in the order of the file. Their names are the ids, but where these are whole numbers that
//              count up by one the vertices have those numbers. Where they are n0, n1, n2, ..., as igraph writes them,
//              and a key for nodes is called name and has another name for each, those are the names.
//   direction  as edgedefault says, unless the edge itself does. An undirected edge is returned in both directions, a
//              loop once.
//   weights    those of the key for edges (or all) that is called weight, else of the only one under another title of a
//              weight (docs/formats.md): int or long, which become 64-bit integers, or float or double. Several keys of
//              one title are one weight, of which an edge has one, and without defaults. Without such a key, or where
//              no edge has a weight, every arc weighs 1.
//
// Descriptions and all other data are not read, nor is what other namespaces put into them.
//
// Strict: error(bad_input) "file:line: what" for what is no XML, a hyperedge, a port, a graph in a node or an edge, a
// second graph, an element that GraphML does not have, a node twice or without an id, an edge between others than the
// nodes, data of a key that is not declared before the graph, a weight that is no finite number, an edge without a
// weight where others have one and there is no default. A DOCTYPE that declares anything (entities) is refused,
// elements nest at most 64 deep, and a tag has at most a megabyte: memory is in proportion to nodes and edges.
#pragma once

#include "kleene/data/sparse.hpp"
#include "kleene/io/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kleene::io {

struct graphml_file {
  std::variant<coo<std::int64_t>, coo<double>> edges;
  std::vector<std::string> names;  // of each vertex; empty: they are numbered from first_vertex
  int first_vertex = 0;
  bool weighted = false;
  bool undirected = false;  // all of it
  std::string description;  // "directed, weights (double, unsaid 1), 4 vertices by name"
};

// Whether this build has expat; else every GraphML file is refused with a word about it.
bool reads_graphml();

graphml_file read_graphml(const std::string& path, real_type reals = real_type::f64);
// From a text in memory (`file` names it in messages), or from a scanner that no line was asked of.
graphml_file parse_graphml(std::string_view text, std::string_view file, real_type reals = real_type::f64);
graphml_file parse_graphml(scanner& in);

// Whether a text is XML in whose start an element graphml begins.
bool looks_like_graphml(std::string_view text);

}  // namespace kleene::io
