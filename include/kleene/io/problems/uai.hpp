// Factor graphs as the UAI competitions have them (https://uaicompetition.github.io/uci-2022/file-formats/), plain or
// compressed: numbers separated by blanks and line ends, as they like to stand.
//
//   MARKOV      or BAYES: then each table is the probability of its last variable, given the others
//   3           variables
//   2 2 3       how many values each takes
//   2           factors
//   2 0 1       of so many variables, and these, from 0
//   2 1 2
//   4           the table of each factor: its size,
//   0.1 0.9 0.5 0.5      and its elements, the last variable fastest
//   6
//   1 2 3 4 5 6
//
// Elements are finite and not negative. Every refusal is error(bad_input) "file:line: what": another preamble, a word
// that is no number, a variable that there is not or twice in a factor, more than 64 in one, a table of another size
// than its variables call for, a file that ends before its last table or goes on behind it.
#pragma once

#include "kleene/io/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io {

struct uai_factor {
  std::vector<int> variables;
  std::vector<double> table;  // row-major
};

struct uai_file {
  bool is_bayes = false;
  std::vector<index_t> values;  // how many each variable takes
  std::vector<uai_factor> factors;
};

uai_file read_uai(const std::string& path);
// From a text in memory (`file` names it in messages), or from a scanner that no line was asked of.
uai_file parse_uai(std::string_view text, std::string_view file);
uai_file parse_uai(scanner& in);

}  // namespace kleene::io
