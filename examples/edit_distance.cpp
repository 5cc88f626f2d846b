// The edit distance of two words, as a product of matrices over min_plus.
//
// Position j in the first word is a vertex. A letter of the second word moves from position i to position j >= i: it
// drops the letters between them, and either matches one of those (the others cost 1 each), or is inserted (1). The
// distance is the element (0, length) of the product of all letters' matrices, so that words can be compared from the
// middle, letters appended, and long words cut into parts that different processors multiply (scan_products).
#include "kleene/operations/scan_products.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

using namespace kleene;

using costs = min_plus<std::int32_t>;

// The cost of reading `letter` of the second word while going from position i to j of the first.
int cost(const std::string& word, char letter, kleene::index_t i, kleene::index_t j) {
  const int dropped = static_cast<int>(j - i);
  const bool matches = word.substr(i, j - i).find(letter) != std::string::npos;
  if (dropped == 0) return 1;              // inserted
  return matches ? dropped - 1 : dropped;  // kept, or one letter replaced; the rest dropped
}

// distance[k] = the distance between `word` and the first k + 1 letters of `other`.
std::vector<int> distances(const std::string& word, const std::string& other) {
  const kleene::index_t n = static_cast<kleene::index_t>(word.size()) + 1,
                        letters = static_cast<kleene::index_t>(other.size());
  batch<std::int32_t> steps(letters, n, n, costs::zero());
  for (kleene::index_t k = 0; k < letters; ++k)
    for (kleene::index_t i = 0; i < n; ++i)
      for (kleene::index_t j = i; j < n; ++j) steps(k, i, j) = cost(word, other[k], i, j);
  scan_products(context::cpu(), costs{}, steps, steps);
  std::vector<int> result;
  for (kleene::index_t k = 0; k < letters; ++k) result.push_back(steps(k, 0, n - 1));
  return result;
}

int main() {
  const std::string word = "kitten", other = "sitting";
  const std::vector<int> found = distances(word, other);
  for (std::size_t k = 0; k < other.size(); ++k)
    std::printf("%s -> %-8s %d\n", word.c_str(), other.substr(0, k + 1).c_str(), found[k]);
  return found == std::vector<int>{6, 5, 4, 3, 3, 2, 3} ? 0 : 1;
}
