// Exact numbers from remainders: published numbers, and all of 120 bits beside the compiler's arithmetic.
#include "kleene/networks/residues.hpp"

#include "support/equal.hpp"

#include <cmath>
#include <random>
#include <type_traits>

namespace kleene::test::residues_test {
namespace {

using numbers = std::vector<std::uint64_t>;

template <class Call>
std::string refused(Call&& call) {
  return refusal<argument_error>(fault_code::bad_input, call);
}

bool is_prime(std::uint64_t n) {
  for (std::uint64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

TEST(residues, the_primes_are_primes) {
  for (int i = 0; i < 32; ++i) {
    EXPECT_TRUE(is_prime(counting_primes[i])) << counting_primes[i];
    EXPECT_LT(counting_primes[i], i == 0 ? std::uint64_t{1} << 31 : counting_primes[i - 1]);
  }
  EXPECT_TRUE((std::is_same_v<first_residues<2>, residues<2147483647, 2147483629>>));
  EXPECT_TRUE((std::is_same_v<first_residues<1, 31>, residues<2147482921>>));
  EXPECT_TRUE(first_residues<32>::is_small);
}

TEST(residues, how_many_are_needed) {
  EXPECT_EQ(residues_needed(0), 1);
  EXPECT_EQ(residues_needed(30), 1);
  EXPECT_EQ(residues_needed(31), 2) << "2^31 is more than the first prime";
  EXPECT_EQ(residues_needed(61), 2);
  EXPECT_EQ(residues_needed(62), 3);
  EXPECT_EQ(residues_needed(200), 7);
  EXPECT_EQ(residues_needed(991), 32);
  EXPECT_TRUE(contains(refused([] { (void)residues_needed(992); }), "the 32 primes"));
  EXPECT_TRUE(contains(refused([] { (void)residues_needed(std::nan("")); }), "2^nan"));
}

TEST(residues, numbers_by_hand) {
  EXPECT_EQ(number_from_residues(numbers{2, 3, 2}, numbers{3, 5, 7}), "23") << "Sun Tzu's";
  EXPECT_EQ(number_from_residues(numbers{0, 0}, numbers{3, 5}), "0");
  EXPECT_EQ(number_from_residues(numbers{2, 4}, numbers{3, 5}), "14");
  EXPECT_EQ(number_from_residues(numbers{}, numbers{}), "0");
  EXPECT_EQ(number_from_residues(numbers{0, 1}, numbers{std::uint64_t{1} << 62, 3}), "4611686018427387904");
  // All of three primes' remainders the largest: their product less one.
  EXPECT_EQ(
      number_from_residues(numbers{2147483646, 2147483628, 2147483586}, numbers{2147483647, 2147483629, 2147483587}),
      "9903519940736477367306812280");
}

TEST(residues, two_to_the_two_hundredth) {
  using R = first_residues<7>;
  value_of<R> power = R::one();
  for (int i = 0; i < 200; ++i) power = R::add(power, power);
  EXPECT_EQ(number_of<R>(power), "1606938044258990275541962092341162602522202993782792835301376");
}

TEST(residues, a_hundred_factorial) {
  using R = first_residues<32>;
  value_of<R> product = R::one();
  for (std::uint64_t i = 2; i <= 100; ++i) product = R::mul(product, R::of(i));
  EXPECT_EQ(
      number_of<R>(product),
      "9332621544394415268169923885626670049071596826438162146859296389521759999322991560894146397615651828625369792"
      "0827223758251185210916864000000000000000000000000");
}

// Independent sets of a path of 500 vertices, by its transfer matrix: the 502nd Fibonacci number, twelve primes in
// three passes of four.
template <int First>
void count_path(numbers& remainders, numbers& moduli) {
  using R = first_residues<4, First>;
  value_of<R> without = R::one(), with = R::one();
  for (int v = 1; v < 500; ++v) {
    const value_of<R> both = R::add(without, with);
    with = without, without = both;
  }
  const value_of<R> all = R::add(without, with);
  remainders.insert(remainders.end(), all.of, all.of + 4);
  moduli.insert(moduli.end(), R::primes, R::primes + 4);
}
TEST(residues, passes_side_by_side) {
  numbers remainders, moduli;
  count_path<0>(remainders, moduli), count_path<4>(remainders, moduli), count_path<8>(remainders, moduli);
  EXPECT_EQ(
      number_from_residues(remainders, moduli),
      "365014740723634211012237077906479355996081581501455497852747829366800199361550174096573645929019489792751");
}

std::string printed(unsigned __int128 n) {
  std::string text;
  for (; n > 0; n /= 10) text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(n % 10)));
  return text.empty() ? "0" : text;
}

TEST(residues, numbers_of_120_bits) {
  std::mt19937_64 random(9);
  const numbers small{2147483647, 2147483629, 2147483587, 2147483579}, wide{4611686018427387847, 4611686018427387817},
      mixed{1000000007, 4, 4611686018427387787, 9, 1000000009};
  for (int round = 0; round < 500; ++round) {
    const unsigned __int128 n = ((static_cast<unsigned __int128>(random()) << 64) | random()) >> (8 + random() % 120);
    for (const numbers& moduli : {small, wide, mixed}) {
      numbers remainders;
      for (const std::uint64_t m : moduli) remainders.push_back(static_cast<std::uint64_t>(n % m));
      EXPECT_EQ(number_from_residues(remainders, moduli), printed(n));
    }
  }
}

TEST(residues, what_is_refused) {
  EXPECT_EQ(refused([] { (void)number_from_residues(numbers{1}, numbers{3, 5}); }),
            "there are 1 remainders, by 2 moduli");
  EXPECT_EQ(refused([] { (void)number_from_residues(numbers{1, 5}, numbers{3, 5}); }), "5 is no remainder by 5");
  EXPECT_EQ(refused([] { (void)number_from_residues(numbers{1, 5}, numbers{10, 15}); }),
            "moduli 10 and 15 share a factor");
  EXPECT_EQ(refused([] { (void)number_from_residues(numbers{0}, numbers{1}); }), "modulus 1 is not from 2 to 2^62");
  EXPECT_TRUE(contains(refused([] { (void)number_from_residues(numbers{0}, numbers{(std::uint64_t{1} << 62) + 1}); }),
                       "4611686018427387905"));
}

}  // namespace
}  // namespace kleene::test::residues_test
