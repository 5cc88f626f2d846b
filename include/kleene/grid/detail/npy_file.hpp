// Where the elements of a .npy are, for those who read and write parts of it.
#pragma once

#include "kleene/data/view.hpp"
#include "kleene/io/npy.hpp"

#include <cstdint>
#include <string>

namespace kleene::detail {

struct npy_elements {
  index_t rows = 0, cols = 0;
  std::uint64_t at = 0;  // the first byte
};

// Of a file of rows of T, little-endian and plain, whose elements are all there; error(bad_input) else.
template <io::npy_element T>
npy_elements find_elements(const std::string& path);

// All that stands before the elements: a multiple of 64 bytes.
template <io::npy_element T>
std::string npy_start(index_t rows, index_t cols);

}  // namespace kleene::detail
