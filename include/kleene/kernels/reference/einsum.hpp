// The truth: an einsum in plain loops over all of its indices. Tested by hand on tiny inputs.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/detail/axis_values.hpp"

#include <cstdint>
#include <vector>

namespace kleene::kernels::reference {

// A tensor whose axes are indices, numbered from 0; its strides count elements.
template <class T>
struct einsum_tensor {
  T* data = nullptr;
  std::vector<int> labels;
  axis_values strides;

  T& at(const std::vector<index_t>& index) const {
    index_t offset = 0;
    for (std::size_t r = 0; r < labels.size(); ++r)
      offset += index[static_cast<std::size_t>(labels[r])] * strides[static_cast<int>(r)];
    return data[offset];
  }
};

namespace detail {
// f(index) for every value of these indices, the last one fastest.
template <class F>
void for_each_value(const std::vector<int>& labels, const std::vector<index_t>& extents, std::size_t from,
                    std::vector<index_t>& index, const F& f) {
  if (from == labels.size()) return f();
  const auto label = static_cast<std::size_t>(labels[from]);
  for (index[label] = 0; index[label] < extents[label]; ++index[label])
    for_each_value(labels, extents, from + 1, index, f);
}
}  // namespace detail

// c = the sum over `summed` of the operands' product, from left to right; with accumulate c (+) that. The witness,
// where there is one, counts over `summed`, the last one fastest. extents: of each index.
template <class S>
void einsum(const std::vector<einsum_tensor<const value_of<S>>>& operands, const einsum_tensor<value_of<S>>& c,
            const std::vector<int>& summed, const std::vector<index_t>& extents, bool accumulate,
            const einsum_tensor<std::int64_t>* witness = nullptr) {
  using A = accumulator_of<S>;
  std::vector<index_t> index(extents.size(), 0);
  detail::for_each_value(c.labels, extents, 0, index, [&] {
    A sum = widen<S>(S::zero());
    index_t smallest = -1, count = 0;
    detail::for_each_value(summed, extents, 0, index, [&] {
      A term = widen<S>(operands[0].at(index));
      for (std::size_t o = 1; o < operands.size(); ++o) term = S::mul(term, widen<S>(operands[o].at(index)));
      const A next = S::add(sum, term);
      if (!(next == sum)) smallest = count;
      sum = next;
      ++count;
    });
    if (accumulate) {
      const A held = widen<S>(c.at(index)), both = S::add(sum, held);
      if (both == held) smallest = -1;
      sum = both;
    }
    c.at(index) = normalise<S>(sum);
    if (witness) witness->at(index) = smallest;
  });
}

}  // namespace kleene::kernels::reference
