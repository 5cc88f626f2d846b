// Checks of packed bits that several operations make.
#pragma once

#include "kleene/operations/bits.hpp"

#include <string>

namespace kleene::detail {

template <class V>
std::string extents_of(const V& v) {
  return std::to_string(v.rows()) + "x" + std::to_string(v.cols());
}

template <class T>
batch_view<const bit_word> words_as_batch(const bit_view<T>& v) {
  return {v.data(), {1, v.rows(), v.words()}, {0, v.stride(), 1}};
}
template <class T>
void require_apart(const char* input, const bit_view<T>& x, const char* output, const bit_view<bit>& y) {
  require_disjoint(input, words_as_batch(x), output, words_as_batch(y));
}

template <class V>
void require_extents(const char* name, const V& v, index_t rows, index_t cols) {
  if (v.rows() != rows || v.cols() != cols)
    throw shape_error(std::string(name) + " is " + extents_of(v) + " where " + std::to_string(rows) + "x" +
                      std::to_string(cols) + " is needed");
}

}  // namespace kleene::detail
