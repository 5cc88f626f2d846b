// G-set graphs (Helmberg, Rendl: "A spectral bundle method for semidefinite programming", 2000; written by Rinaldi's
// rudy, https://web.stanford.edu/~yyye/yyye/Gset), plain or compressed: a line "n m", then m lines "u v w".
//
// Undirected: an edge is returned in both directions, a loop once; edges that stand there twice stay. Vertices count
// from 1 in the file, from 0 here; fewer than 2^31. Weights are 64-bit integers, of either sign; a file with any
// other finite number among them is read as real throughout (io/text.hpp). Blank lines may stand anywhere, comments
// nowhere. Every refusal is error(bad_input) "file:line: what".
#pragma once

#include "kleene/data/sparse.hpp"
#include "kleene/io/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace kleene::io {

std::variant<coo<std::int64_t>, coo<double>> read_gset(const std::string& path, real_type reals = real_type::f64);
// From a text in memory (`file` names it in messages), or from a scanner that no line was asked of.
std::variant<coo<std::int64_t>, coo<double>> parse_gset(std::string_view text, std::string_view file,
                                                        real_type reals = real_type::f64);
std::variant<coo<std::int64_t>, coo<double>> parse_gset(scanner& in, int threads = 0);

// Whether a text whose format nothing else gives away can be one: two whole numbers, and three numbers in the line
// after them, which no edge list has.
bool looks_like_gset(std::string_view text);

}  // namespace kleene::io
