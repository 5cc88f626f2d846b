// Clauses (.cnf, .wcnf) and factor graphs (.uai): what is read is in range, and comes back when it is written.
#include "fuzz/finding.hpp"
#include "kleene/io/problems/cnf.hpp"
#include "kleene/io/problems/uai.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

using namespace kleene;
using namespace kleene::fuzz;

namespace {

void check_clauses(const io::cnf_file& file) {
  std::string again;  // as the MaxSAT evaluations since 2022 have it
  for (const io::cnf_clause& c : file.clauses) {
    require(c.weight >= 1, "a weight below 1");
    require(file.is_weighted || c.is_hard, "a soft clause of a .cnf");
    again += c.is_hard ? std::string("h") : std::to_string(c.weight);
    for (const std::int32_t l : c.literals) {
      require(l != 0 && std::abs(index_t{l}) <= file.variables, "a literal of no variable");
      again += fmt::format(" {}", l);
    }
    again += " 0\n";
  }
  if (file.clauses.empty()) return;
  const io::cnf_file back = io::parse_cnf(again, "f.wcnf");
  require(back.clauses.size() == file.clauses.size() && back.variables <= file.variables, "other clauses come back");
  for (std::size_t c = 0; c < back.clauses.size(); ++c)
    require(back.clauses[c].literals == file.clauses[c].literals &&
                back.clauses[c].is_hard == file.clauses[c].is_hard &&
                (back.clauses[c].is_hard || back.clauses[c].weight == file.clauses[c].weight),
            "another clause comes back");
}

void check_factors(const io::uai_file& file) {
  std::string again = fmt::format("{}\n{}\n", file.is_bayes ? "BAYES" : "MARKOV", file.values.size());
  for (const index_t values : file.values) again += fmt::format("{} ", values);
  again += fmt::format("\n{}\n", file.factors.size());
  for (const io::uai_factor& f : file.factors) {
    index_t elements = 1;
    again += std::to_string(f.variables.size());
    for (const int v : f.variables) {
      require(v >= 0 && static_cast<std::size_t>(v) < file.values.size(), "a variable that there is not");
      elements *= file.values[static_cast<std::size_t>(v)];
      again += fmt::format(" {}", v);
    }
    again += "\n";
    require(std::set(f.variables.begin(), f.variables.end()).size() == f.variables.size(), "a variable twice");
    require(std::ssize(f.table) == elements, "a table of another size");
  }
  for (const io::uai_factor& f : file.factors) {
    again += fmt::format("{}\n", f.table.size());
    for (const double element : f.table) {
      require(element >= 0 && std::isfinite(element), "an element below 0, or infinite");
      again += fmt::format("{} ", element);
    }
  }
  const io::uai_file back = io::parse_uai(again, "f");
  require(back.is_bayes == file.is_bayes && back.values == file.values && back.factors.size() == file.factors.size(),
          "another factor graph comes back");
  for (std::size_t f = 0; f < back.factors.size(); ++f)
    require(back.factors[f].variables == file.factors[f].variables && back.factors[f].table == file.factors[f].table,
            "another factor comes back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool plain = reads([&] { check_clauses(io::parse_cnf(text, "f")); });
  const bool weighted = reads([&] { check_clauses(io::parse_cnf(text, "f.wcnf")); });
  require(weighted || !plain, "a .wcnf is refused that a .cnf is read of");
  reads([&] { check_factors(io::parse_uai(text, "f")); });
  return 0;
}
