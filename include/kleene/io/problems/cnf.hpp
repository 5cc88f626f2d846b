// Clauses, of satisfiability (.cnf) and of its weighted kind (.wcnf), plain or compressed: as the DIMACS challenge of
// 1993 has them (http://www.satcompetition.org/2009/format-benchmarks2009.html), and the MaxSAT evaluations until 2021
// and since (https://maxsat-evaluations.github.io/2022/rules.html).
//
//   .cnf   c comment          .wcnf   p wcnf n m top        or, since 2022, without a p line
//          p cnf n m                  top 1 -2 0   hard     h 1 -2 0     hard
//          1 -2 0                     3 2 5 0      soft     3 2 5 0      soft: of weight 3
//
// A literal is a variable from 1, negated below 0; a clause ends in 0, and may go over several lines where there is a p
// line. Comments and blank lines may stand anywhere; a line that starts with % ends the file, as in SATLIB's. In old
// files a weight of at least `top` makes a clause hard, and without a top none is. Weights are 64-bit integers from 1.
// Every refusal is error(bad_input) "file:line: what": clauses before the p line, a second one, too few or too many, a
// variable above n, a last clause without its 0, anything else that is no integer, neither a p line nor a clause.
#pragma once

#include "kleene/io/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io {

struct cnf_clause {
  std::vector<std::int32_t> literals;  // v + 1 where variable v is to be true, -(v + 1) where false
  std::int64_t weight = 1;             // of soft clauses
  bool is_hard = true;
};

struct cnf_file {
  bool is_weighted = false;
  index_t variables = 0;  // without a p line as many as there are literals of
  std::vector<cnf_clause> clauses;
};

cnf_file read_cnf(const std::string& path);
// From a text in memory (`file` names it in messages, and says by its suffix whether it is weighted where there is no p
// line), or from a scanner that no line was asked of.
cnf_file parse_cnf(std::string_view text, std::string_view file);
cnf_file parse_cnf(scanner& in);

}  // namespace kleene::io
