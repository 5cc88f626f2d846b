// A code that repairs what a channel has lost, by linear algebra over GF(2).
//
// Each of 1000 bits takes part in three of 500 checks, drawn at random (Gallager's low-density parity checks, 1962).
// The code are the words for which all checks are even: the null space of the matrix of checks, a basis of which
// encodes messages. When bits are lost, the checks are equations and the lost bits their unknowns.
#include "kleene/operations/gf2.hpp"

#include <cstdio>
#include <random>
#include <vector>

using kleene::bit_matrix;
using kleene::index_t;

constexpr kleene::xor_and<kleene::bit> gf2;
constexpr index_t length = 1000, checks = 500, lost = 400;

int main() {
  const kleene::context ctx = kleene::context::cpu();
  std::mt19937 random(7);
  const auto draw = [&](index_t below) { return static_cast<index_t>(random() % static_cast<unsigned>(below)); };

  bit_matrix parity(checks, length);
  for (index_t j = 0; j < length; ++j)
    for (int check = 0; check < 3; ++check) parity.set(draw(checks), j, true);

  const bit_matrix generator = null_space(ctx, gf2, parity);
  const index_t dimension = generator.rows();
  bit_matrix message(1, dimension), sent(1, length);
  for (index_t i = 0; i < dimension; ++i) message.set(0, i, draw(2) == 1);
  gemm(ctx, gf2, message, generator, sent);

  std::vector<index_t> places(length);  // the first `lost` of them are lost
  for (index_t j = 0; j < length; ++j) places[j] = j;
  for (index_t j = 0; j < lost; ++j) std::swap(places[j], places[j + draw(length - j)]);

  // What the bits that arrived add to each check, the lost ones must add, too.
  bit_matrix arrived(length, 1), equations(checks, lost), sums(checks, 1), found(lost, 1);
  for (index_t j = lost; j < length; ++j) arrived.set(places[j], 0, sent(0, places[j]));
  gemm(ctx, gf2, parity, arrived, sums);
  for (index_t i = 0; i < checks; ++i)
    for (index_t j = 0; j < lost; ++j) equations.set(i, j, parity(i, places[j]));
  const kleene::gf2_info info = solve(ctx, gf2, equations, sums, found);

  index_t wrong = 0;
  for (index_t j = 0; j < lost; ++j) wrong += found(j, 0) != sent(0, places[j]);
  std::printf("%ld bits carry a message of %ld; %ld were lost, %ld equations are independent, %ld bits are wrong\n",
              long{length}, long{dimension}, long{lost}, long{info.rank}, long{wrong});
  return info.exists && info.rank == lost && wrong == 0 ? 0 : 1;
}
