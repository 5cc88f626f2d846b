// Numbers from remainders: mixed radix digits, then decimal ones.
#include "kleene/networks/residues.hpp"

#include "kleene/data/error.hpp"

#include <cmath>
#include <vector>

namespace kleene {

namespace {

using wide = unsigned __int128;

std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(static_cast<wide>(a) * b % modulus);
}

// What gives 1 with a, modulo m; 0 where they share a factor. Euclid's algorithm, a's multiples alone.
std::uint64_t inverse(std::uint64_t a, std::uint64_t m) {
  __int128 above = m, below = a % m, of_above = 0, of_below = 1;
  while (below > 0) {
    const __int128 quotient = above / below;
    above = std::exchange(below, above - quotient * below);
    of_above = std::exchange(of_below, of_above - quotient * of_below);
  }
  if (above != 1) return 0;
  return static_cast<std::uint64_t>(of_above < 0 ? of_above + m : of_above);
}

void require_residues(std::span<const std::uint64_t> remainders, std::span<const std::uint64_t> moduli) {
  if (remainders.size() != moduli.size())
    throw shape_error("there are " + std::to_string(remainders.size()) + " remainders, by " +
                      std::to_string(moduli.size()) + " moduli");
  for (std::size_t i = 0; i < moduli.size(); ++i) {
    if (moduli[i] < 2 || moduli[i] > std::uint64_t{1} << 62)
      throw argument_error("modulus " + std::to_string(moduli[i]) + " is not from 2 to 2^62");
    if (remainders[i] >= moduli[i])
      throw value_error(std::to_string(remainders[i]) + " is no remainder by " + std::to_string(moduli[i]));
  }
}

// The digits of the number in the radices moduli[0], moduli[1], ...: digit 0 the lowest.
std::vector<std::uint64_t> mixed_digits(std::span<const std::uint64_t> remainders,
                                        std::span<const std::uint64_t> moduli) {
  std::vector<std::uint64_t> digits(remainders.begin(), remainders.end());
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::uint64_t m = moduli[i];
    for (std::size_t j = 0; j < i; ++j) {  // (digit - digits[j]) / moduli[j], modulo m
      const std::uint64_t by = inverse(moduli[j], m);
      if (by == 0)
        throw argument_error("moduli " + std::to_string(moduli[j]) + " and " + std::to_string(m) + " share a factor");
      const std::uint64_t less = digits[j] % m;
      digits[i] = times(digits[i] >= less ? digits[i] - less : digits[i] + (m - less), by, m);
    }
  }
  return digits;
}

// number = number * factor + more, in digits of a thousand million, the lowest first.
void multiply_add(std::vector<std::uint32_t>& number, std::uint64_t factor, std::uint64_t more) {
  constexpr std::uint32_t base = 1'000'000'000;
  std::uint64_t carry = more;
  for (std::uint32_t& digit : number) {
    const wide sum = static_cast<wide>(digit) * factor + carry;
    digit = static_cast<std::uint32_t>(sum % base);
    carry = static_cast<std::uint64_t>(sum / base);
  }
  for (; carry > 0; carry /= base) number.push_back(static_cast<std::uint32_t>(carry % base));
}

std::string decimal(const std::vector<std::uint32_t>& number) {
  if (number.empty()) return "0";
  std::string text = std::to_string(number.back());
  for (std::size_t i = number.size() - 1; i-- > 0;) {
    const std::string digits = std::to_string(number[i]);
    text += std::string(9 - digits.size(), '0') + digits;
  }
  return text;
}

}  // namespace

int residues_needed(double log2_bound) {
  double reach = 0;
  for (int n = 1; n <= most_residues; ++n) {
    reach += std::log2(static_cast<double>(counting_primes[n - 1]));
    if (reach > log2_bound + 1e-9) return n;  // the logarithms' rounding
  }
  throw argument_error("numbers up to 2^" + std::to_string(log2_bound) + ": the " + std::to_string(most_residues) +
                       " primes tell numbers below 2^" + std::to_string(reach) + " apart");
}

std::string number_from_residues(std::span<const std::uint64_t> remainders, std::span<const std::uint64_t> moduli) {
  require_residues(remainders, moduli);
  return detail::with_memory("a number from remainders", 16.0 * static_cast<double>(moduli.size()), [&] {
    const std::vector<std::uint64_t> digits = mixed_digits(remainders, moduli);
    std::vector<std::uint32_t> number;
    for (std::size_t i = digits.size(); i-- > 0;) multiply_add(number, moduli[i], digits[i]);
    return decimal(number);
  });
}

}  // namespace kleene
