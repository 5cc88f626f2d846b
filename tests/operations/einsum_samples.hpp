// Random equations and tensors for them, wherever they are contracted.
#pragma once

#include "kleene/data/tensor.hpp"
#include "kleene/kernels/reference/einsum.hpp"

#include <algorithm>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace kleene::test::einsum_samples {

using kernels::reference::einsum_tensor;

using generator = std::mt19937;
inline int draw(generator& random, int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); }

template <class T>
T value(generator& random) {
  if constexpr (std::is_same_v<T, bool>) return draw(random, 3) == 0;
  else if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(draw(random, 9) - 3);
  else {
    T m{};
    for (int e = 0; e < 4; ++e) m(e / 2, e % 2) = static_cast<typename T::value_type>(draw(random, 5));
    return m;
  }
}

// A tensor somewhere in a buffer of its own, in any order of its axes, with holes, reversed, and, where it is read,
// with strides of 0.
template <class T>
struct placed_tensor {
  std::vector<int> labels;
  axis_values extents, strides;
  std::vector<char> bytes;
  index_t first = 0;

  placed_tensor(generator& random, const std::vector<int>& of, const std::vector<index_t>& sizes, bool repeats)
      : labels(of) {
    std::vector<int> order;
    for (const int l : labels) {
      order.push_back(extents.size());
      extents.push_back(sizes[static_cast<std::size_t>(l)]), strides.push_back(0);
    }
    if (draw(random, 2) == 0) std::shuffle(order.begin(), order.end(), random);
    index_t step = 1;
    for (auto r = order.rbegin(); r != order.rend(); ++r) {
      if (repeats && draw(random, 12) == 0) continue;
      strides[*r] = step;
      step *= extents[*r] + (draw(random, 6) == 0);
      if (draw(random, 10) == 0 && extents[*r] > 0) first += (extents[*r] - 1) * strides[*r], strides[*r] *= -1;
    }
    bytes.resize(static_cast<std::size_t>(step + 1) * sizeof(T));
    for (index_t e = 0; e <= step; ++e) data()[e] = value<T>(random);
  }
  T* data() { return reinterpret_cast<T*>(bytes.data()); }
  tensor_view<T> view() { return {data() + first, extents, strides}; }
  template <class U>
  einsum_tensor<U> plain() {
    return {data() + first, labels, strides};
  }
};

struct random_equation {
  std::vector<std::vector<int>> operands;
  std::vector<int> output, summed;  // summed: in the order in which they first stand
  std::vector<index_t> extents;

  explicit random_equation(generator& random) {
    const int count = draw(random, 8) == 0 ? 1 : draw(random, 6) == 0 ? 3 + draw(random, 2) : 2, indices = 6;
    for (int l = 0; l < indices; ++l) extents.push_back(draw(random, 60) == 0 ? 0 : 1 + draw(random, 4));
    std::vector<int> seen;
    for (int o = 0; o < count; ++o) {
      operands.emplace_back();
      for (int r = draw(random, count > 2 ? 4 : 5); r > 0; --r) {
        const int l = draw(random, indices);
        const auto& here = operands.back();
        if (std::find(here.begin(), here.end(), l) != here.end() && draw(random, 4) > 0) continue;
        operands.back().push_back(l);
        if (std::find(seen.begin(), seen.end(), l) == seen.end()) seen.push_back(l);
      }
    }
    for (const int l : seen) (draw(random, 2) == 0 ? output : summed).push_back(l);
    std::shuffle(output.begin(), output.end(), random);
  }
};

// Random pairs; neighbours alone where the order of a product matters.
inline std::vector<std::pair<int, int>> random_order(generator& random, int operands, bool keeps_order) {
  std::vector<int> left;
  for (int o = 0; o < operands; ++o) left.push_back(o);
  std::vector<std::pair<int, int>> pairs;
  for (int s = 0; s + 1 < operands; ++s) {
    const int x = draw(random, static_cast<int>(left.size()) - 1);
    const int y = keeps_order ? x + 1 : x + 1 + draw(random, static_cast<int>(left.size()) - x - 1);
    pairs.push_back({left[static_cast<std::size_t>(x)], left[static_cast<std::size_t>(y)]});
    if (draw(random, 2) == 0) std::swap(pairs.back().first, pairs.back().second);
    left[static_cast<std::size_t>(x)] = operands + s;
    left.erase(left.begin() + y);
  }
  return pairs;
}

}  // namespace kleene::test::einsum_samples
