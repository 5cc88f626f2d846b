// What writers refuse before a file is begun.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>

namespace kleene::io {

// A view may have extents and no data; nothing can be written of it.
template <class T>
void require_data(const std::string& path, const matrix_view<const T>& values) {
  if (!values.data() && !values.empty())
    throw argument_error(fmt::format("{}: the matrix has {} x {} elements, but its data is a null pointer", path,
                                     values.rows(), values.cols()));
}

// Sizes that readers of coordinate lists refuse.
inline void require_size(const std::string& path, index_t rows, index_t cols) {
  constexpr index_t most = std::numeric_limits<std::int32_t>::max();
  if (rows < 0 || cols < 0 || rows > most || cols > most)
    throw value_error(
        fmt::format("{}: a matrix of {} x {} is not written: rows and columns are 0 to {}", path, rows, cols, most));
}

}  // namespace kleene::io
