#include "solve_numbers.hpp"

#include "kleene/data/error.hpp"
#include "text.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numbers>

namespace kleene::cli {

namespace {

constexpr int most_decimals = 9;
constexpr double i32_limit = 0x1p28 - 1, i64_limit = 0x1p60 - 1;  // algebra/semirings.hpp
constexpr double exact_in_f64 = 0x1p53;

using reals = std::vector<double>;

bool is_real(const number_list& list) { return std::holds_alternative<reals>(list); }

// All weights, as reals.
reals weights_of(const solve_input& input) {
  reals all;
  for (const number_list* list : {&input.edges, &input.weights})
    std::visit(
        [&](const auto& numbers) {
          for (const auto n : numbers) all.push_back(static_cast<double>(n));
        },
        *list);
  for (const io::cnf_clause& c : input.clauses.clauses)
    if (!c.is_hard) all.push_back(static_cast<double>(c.weight));
  return all;
}

double magnitude_of(const reals& all) {
  double sum = 0;
  for (const double n : all) sum += std::abs(n);
  return sum;
}

// Whether 53 bits hold every sum of the numbers: in units of the last bit that any of them has.
bool sums_are_exact(const reals& all, double magnitude) {
  int last = std::numeric_limits<int>::max();
  for (const double n : all) {
    if (n == 0) continue;
    int exponent = 0;
    const auto bits = static_cast<std::uint64_t>(std::ldexp(std::abs(std::frexp(n, &exponent)), 53));
    last = std::min(last, exponent - 53 + std::countr_zero(bits));
  }
  return last == std::numeric_limits<int>::max() || magnitude < std::ldexp(exact_in_f64, last);
}

// Whether a number is a whole one in units of 1 / scale, as the shortest decimal that is read as it.
bool is_whole(double n, double scale) {
  return std::nearbyint(n * scale) / scale == n && std::abs(n * scale) < exact_in_f64;
}

// How many places after the point all numbers have; -1: too many.
int decimals_of(const reals& all, double magnitude) {
  int decimals = 0;
  double scale = 1;
  for (const double n : all)
    while (!is_whole(n, scale)) {
      scale *= 10;
      if (++decimals > most_decimals) return -1;
    }
  return magnitude * scale < i64_limit ? decimals : -1;
}

bool are_powers_of_two(const io::uai_file& file) {
  int exponent = 0;
  for (const io::uai_factor& f : file.factors)
    for (const double element : f.table)
      if (element != 0 && std::frexp(element, &exponent) != 0.5) return false;
  return true;
}

// "the weights of w.csv", as a message names them.
std::string place_of_weights(const solve_input& input, const solve_flags& flags) {
  if (!flags.weights.empty()) return flags.weights + ": the weights";
  if (!flags.fields.empty()) return fmt::format("{} and {}: the couplings and fields", input.path, flags.fields);
  return input.path + ": the weights";
}

}  // namespace

double sum_as_read(double a, double b) {
  double scale = 1;
  for (int decimals = 0; decimals <= most_decimals; ++decimals, scale *= 10) {
    const double sum = std::nearbyint(a * scale) + std::nearbyint(b * scale);
    if (is_whole(a, scale) && is_whole(b, scale) && std::abs(sum) < exact_in_f64) return sum / scale;
  }
  return a + b;
}

solve_numbers numbers_of(const solve_input& input, const solve_flags& flags) {
  using enum solve_numbers::type;
  if (flags.kind == solve_kind::factors) {
    const bool exact = are_powers_of_two(input.factors);
    return {.computed = f64, .is_log2 = exact, .is_exact = exact};
  }
  const reals all = weights_of(input);
  const double magnitude = magnitude_of(all);
  const bool has_reals = is_real(input.edges) || is_real(input.weights);
  if (!(magnitude <= std::numeric_limits<double>::max()) || (!has_reals && magnitude >= i64_limit))
    throw error(fault_code::bad_input,
                fmt::format("{} add up to {}, and sums end below {}", place_of_weights(input, flags),
                            magnitude < 1e19 ? fmt::format("{:.0f}", magnitude) : fmt::format("{:.3g}", magnitude),
                            has_reals ? "1.8e308" : "2^60 = 1152921504606846976"));
  // Weights of one each, and the numbers of edges, are added up as well.
  const double ones = static_cast<double>(input.graph.edges.size()) + static_cast<double>(input.parts);
  if (!has_reals) return {.computed = magnitude + ones < i32_limit ? i32 : i64};
  if (sums_are_exact(all, magnitude)) return {.computed = f64};
  if (const int decimals = decimals_of(all, magnitude); decimals >= 0) return {.computed = i64, .decimals = decimals};
  return {.computed = f64, .is_exact = false};
}

solve_value value_of_number(std::int64_t value, const solve_numbers& numbers) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  const auto places = static_cast<std::size_t>(numbers.decimals);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) {
    digits.insert(digits.size() - places, ".");
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
  }
  if (value < 0) digits.insert(0, "-");
  return {digits, digits};
}

solve_value value_of_number(double value, const solve_numbers& numbers) {
  if (numbers.is_log2) value *= std::numbers::ln2;
  return {number_json(value), number_text(value)};
}

}  // namespace kleene::cli
