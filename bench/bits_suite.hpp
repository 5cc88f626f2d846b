// The suite of packed bits: products, transposition, packing, closure and eliminations on a GPU. Plain C++; compiled in
// with -DKLEENE_BENCHES=ON.
#pragma once

#include "kleene/data/context.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kleene::bench {

struct bits_row {
  std::string work;                              // for people
  double amount = 0;                             // operations, or bytes that have to be moved
  std::string unit;                              // Tops or GB/s
  double seconds = 0, fastest = 0, slowest = 0;  // the median, the extremes
  double at_least = 0;                           // in `unit`; 0: no promise
  std::string failure{};

  double rate() const { return seconds > 0 ? (unit == "Tops" ? 1e-12 : 1e-9) * amount / seconds : 0; }
  bool met() const { return failure.empty() && rate() >= at_least; }
};

struct bits_suite_options {
  int rounds = 10;
  std::string only;  // rows whose `work` holds this
};

inline constexpr const char* bits_definitions =
    "Tops count 2 operations for each pair of bits: 2 n^3 for products, closures and inverses, 2/3 n^3 for ranks. GB/s "
    "count what has to be read and written. seconds: CUDA events around the whole call, operands packed in memory "
    "before and the result after, on a warm context, median of the rounds after 3 warm-ups. Products: bits set with "
    "probability 1/128. Closures: a random directed graph without cycles, 16 arcs to smaller vertices from each, and "
    "one with 16 arcs to any vertices. 64 elements of each result are checked against the host; of the closures, the "
    "rows of 4 vertices against a search. Ranks and inverses over GF(2): random bits; the rank is compared with the "
    "CPU's, 128 elements of the product of the inverse and its matrix with the identity's.";

std::vector<bits_row> run_bits_suite(const context& ctx, const bits_suite_options& options,
                                     const std::function<void(const bits_row&)>& done);

}  // namespace kleene::bench
