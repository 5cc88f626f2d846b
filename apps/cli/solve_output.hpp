// The answer of kleene solve: as text, as JSON, as a file of its configuration, and on a map.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/matrix.hpp"
#include "solve_ask.hpp"

#include <string>

namespace kleene::cli {

void print_text(const solve_input& input, const solve_flags& flags, const solve_answer& answer, double seconds);
void print_json(const solve_input& input, const solve_flags& flags, const solve_answer& answer, const context& ctx,
                double seconds);

// As people count: spins are +-1, colours begin with 1.
std::string_view value_title(solve_kind kind);  // of a value in prose: "colour"
std::int64_t shown_value(solve_kind kind, std::int32_t value);

// "1,323 of 2,642 vertices: 1, 4, 9, ..."; of spins, sides and colours how many there are of each.
std::string configuration_words(const solve_input& input, const solve_flags& flags, const solve_answer& answer);

// A line for each vertex, set or variable: its name and value, with a comma between them, or a tab in a .tsv. Spins are
// 1 and -1, colours count from 1.
void write_configuration(const solve_input& input, const solve_flags& flags, const solve_answer& answer);

// The graph at its coordinates (a row a vertex), its vertices painted by their values, the edges that the answer is
// about, and a legend of both.
std::string draw_solution(const solve_input& input, const solve_flags& flags, const solve_answer& answer,
                          const matrix<double>& coordinates);

}  // namespace kleene::cli
