// What writers of matrices refuse before a file is begun.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"

#include <fmt/format.h>

#include <string>

namespace kleene::io {

// A view may have extents and no data; nothing can be written of it.
template <class T>
void require_data(const std::string& path, const matrix_view<const T>& values) {
  if (!values.data() && !values.empty())
    throw argument_error(fmt::format("{}: the matrix has {} x {} elements, but its data is a null pointer", path,
                                     values.rows(), values.cols()));
}

}  // namespace kleene::io
