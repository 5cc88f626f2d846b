// Random copies with another order of axes, for every kernel that makes them.
#pragma once

#include "kleene/kernels/contract/permute_arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

namespace kleene::test {

inline kernels::permute_arguments permutation(const std::vector<index_t>& extents, const std::vector<index_t>& from,
                                              const std::vector<index_t>& to, std::size_t element, int threads = 1) {
  kernels::permute_arguments p;
  p.rank = static_cast<int>(extents.size()), p.element = element, p.threads = threads;
  std::copy(extents.begin(), extents.end(), p.extents.begin());
  std::copy(from.begin(), from.end(), p.from_strides.begin());
  std::copy(to.begin(), to.end(), p.to_strides.begin());
  return p;
}

// The reverse of as many axes of two values as make up `bytes`.
inline kernels::permute_arguments reversed_bits(std::size_t bytes, std::size_t element) {
  std::vector<index_t> extents, from, to;
  for (int axes = 0; (element << axes) < bytes; ++axes) extents.push_back(2), from.push_back(index_t{1} << axes);
  to.assign(from.rbegin(), from.rend());
  return permutation(extents, from, to, element, 2);
}

struct permute_sample {
  kernels::permute_arguments p;      // without pointers
  index_t first = 0;                 // element of the source that the copy begins with
  std::size_t source = 0, size = 0;  // bytes of the source, and of what holds the copy
};

// Extents of 1 to 8 and now and then to 300; any order on both sides, holes, reversed axes and axes that stand still.
inline permute_sample random_permutation(std::mt19937& random) {
  const auto draw = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  constexpr std::size_t sizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24};
  const int rank = draw(7), large = draw(3) == 0 ? draw(7) : -1;
  std::vector<index_t> extents, from(static_cast<std::size_t>(rank)), to(from);
  for (int r = 0; r < rank; ++r) extents.push_back(r == large ? 1 + draw(300) : draw(4) == 0 ? 2 : 1 + draw(5));
  std::vector<std::size_t> order(from.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  permute_sample s;
  index_t reach = 1;
  for (const std::size_t r : order) {
    if (draw(8) == 0) continue;
    from[r] = reach;
    reach *= extents[r] + (draw(6) == 0);
    if (draw(8) == 0) s.first += from[r] * (extents[r] - 1), from[r] *= -1;
  }
  std::shuffle(order.begin(), order.end(), random);
  index_t size = 1;
  for (const std::size_t r : order) to[r] = size, size *= extents[r] + (draw(6) == 0);
  const std::size_t element = sizes[draw(10)];
  s.source = static_cast<std::size_t>(reach + 1) * element, s.size = static_cast<std::size_t>(size + 1) * element;
  s.p = permutation(extents, from, to, element, 1 + draw(3));
  return s;
}

}  // namespace kleene::test
