// What is said of views that no memory can have.
#include "kleene/data/view.hpp"

namespace kleene::detail {

std::string extents_text(std::span<const index_t> extents) {
  std::string text;
  for (index_t extent : extents) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

void refuse_extent(const char* what, index_t extent) {
  throw shape_error(std::string(what) + " has a negative extent (" + std::to_string(extent) + ")");
}
void refuse_extents(const char* what, std::span<const index_t> extents) {
  throw shape_error(std::string(what) + " of " + extents_text(extents) + " elements is too large to be counted");
}
void refuse_strides(std::span<const index_t> extents, std::span<const index_t> strides) {
  throw shape_error("a view of " + extents_text(extents) + " elements with strides " + extents_text(strides) +
                    " reaches further than memory does");
}

void refuse_block(index_t row, index_t col, index_t rows, index_t cols, std::span<const index_t> of) {
  throw shape_error("a block of " + std::to_string(rows) + " x " + std::to_string(cols) + " elements at (" +
                    std::to_string(row) + ", " + std::to_string(col) + ") reaches outside its matrix, which is " +
                    extents_text(of));
}

void refuse_leading(index_t leading, index_t cols) {
  throw shape_error("leading dimension " + std::to_string(leading) + " is below " + std::to_string(cols) + " columns");
}
void refuse_span(std::size_t size, index_t rows, index_t cols) {
  throw shape_error("a span of " + std::to_string(size) + " elements is no " + std::to_string(rows) + " x " +
                    std::to_string(cols) + " matrix");
}

}  // namespace kleene::detail
