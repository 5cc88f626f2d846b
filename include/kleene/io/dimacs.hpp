// The shortest-path formats of the 9th DIMACS implementation challenge (Demetrescu, Goldberg, Johnson, 2006;
// http://www.diag.uniroma1.it/challenge9/format.shtml), plain or gzip.
//
//   .gr   c comment            .co   c comment
//         p sp n m                   p aux sp co n
//         a u v w   (m lines)        v id x y   (n lines, each vertex once)
//
// Vertices count from 1 in the file, from 0 here; fewer than 2^31. Weights are 64-bit integers, of either sign; a file
// with any other finite number among its weights is read as real throughout, and a weight that the type of `reals`
// would make infinite or zero is refused (io/text.hpp). Comments and blank lines may stand anywhere. Every refusal is
// error(bad_input) "file:line: what": an unknown line, arcs before the p line, a second p line, too few or too many
// arcs, a vertex outside 1 .. n, one with two coordinates or none.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/data/sparse.hpp"
#include "kleene/io/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace kleene::io {

std::variant<coo<std::int64_t>, coo<double>> read_dimacs_graph(const std::string& path,
                                                               real_type reals = real_type::f64);
// From a text in memory (`file` names it in messages), or from a scanner that no line was asked of.
std::variant<coo<std::int64_t>, coo<double>> parse_dimacs_graph(std::string_view text, std::string_view file,
                                                                real_type reals = real_type::f64);
std::variant<coo<std::int64_t>, coo<double>> parse_dimacs_graph(scanner& in, int threads = 0);

// n x 2, as the file has them (the challenge's road networks: longitude and latitude in millionths of a degree).
matrix<double> read_dimacs_coordinates(const std::string& path);
matrix<double> parse_dimacs_coordinates(std::string_view text, std::string_view file);
matrix<double> parse_dimacs_coordinates(scanner& in);

}  // namespace kleene::io
