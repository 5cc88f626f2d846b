#include "kleene/operations/detail/checks.hpp"

#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>

namespace kleene::detail {

void require_reach(const context& ctx, const char* name, memory space) {
  if (ctx.reaches(space)) return;
  throw error(fault_code::device, std::string(name) + " is in " + (space == memory::host ? "host" : "device") +
                                      " memory, which " + ctx.describe() + " cannot reach: copy it with " +
                                      (space == memory::host ? "to_device" : "to_host"));
}

void require_address(const context& ctx, const char* name, const void* p) {
  if (ctx.kind() != device_kind::cuda || p == nullptr) return;
  if (const std::string why = backend.why_unreachable(ctx.device()->ordinal, p); !why.empty())
    throw error(fault_code::device, std::string(name) + " " + why);
}

std::string shape_of(const batch_extents& extents) {
  const std::string matrix = std::to_string(extents[1]) + "x" + std::to_string(extents[2]);
  return extents[0] == 1 ? matrix : std::to_string(extents[0]) + "x" + matrix;
}

void refuse_missing_data(const char* name, index_t rows, index_t cols) {
  throw argument_error(std::string(name) + " has " + std::to_string(rows) + " x " + std::to_string(cols) +
                       " elements, but its data is a null pointer");
}

void refuse_wrapping_sums(const std::string& algebra, const wrapping_sums& of) {
  const auto number = [](double x) { return std::to_string(static_cast<index_t>(x)); };
  throw value_error(algebra + ": " + number(of.products) + (of.products == 1 ? " product" : " products") +
                    " of magnitudes up to " + number(of.a) + " and " + number(of.b) +
                    (of.has_alpha ? ", times alpha" : "") + (of.has_source ? ", and the source" : "") +
                    (of.has_alpha || of.has_source ? "," : "") + " can leave " + std::to_string(of.bits) + " bits");
}

void require_product_shapes(const product_call& call, const batch_extents& a, const batch_extents& b,
                            const batch_extents& c) {
  const auto operands = [&] {
    return std::string(call.a) + " is " + shape_of(a) + ", " + call.b + " is " + shape_of(b) + ": ";
  };
  if (b[1] != a[2])
    throw shape_error(operands() + "inner extents " + std::to_string(a[2]) + " and " + std::to_string(b[1]) +
                      " differ");
  if (c[1] != a[1] || c[2] != b[2])
    throw shape_error(operands() + call.c + " is " + shape_of(c) + ", not " + std::to_string(a[1]) + "x" +
                      std::to_string(b[2]));
}

void require_witness_shape(const product_call& call, const batch_extents& witness, const batch_extents& c, index_t k) {
  if (witness[0] != c[0])
    throw shape_error("the witness is " + shape_of(witness) + ", " + call.c + " is " + shape_of(c));
  if (k > std::numeric_limits<std::int32_t>::max())
    throw shape_error("a witness is int32: k = " + std::to_string(k) + " is too large");
}

void refuse_shape(const char* name, const batch_extents& extents, index_t batch, index_t rows, index_t cols) {
  throw shape_error(std::string(name) + " is " + shape_of(extents) + " where " +
                    (batch == 1 ? "" : std::to_string(batch) + "x") + std::to_string(rows) + "x" +
                    std::to_string(cols) + " is needed");
}

void require_shape(const char* name, const batch_facts& v, index_t batch, index_t rows, index_t cols) {
  const bool batch_fits = v.extents[0] == batch || v.extents[0] == 1;
  if (!batch_fits || v.extents[1] != rows || v.extents[2] != cols) refuse_shape(name, v.extents, batch, rows, cols);
  if (!v.data && !is_empty(v)) refuse_missing_data(name, v.extents[1], v.extents[2]);
}

namespace {

// Whether steps of x and of y elements reach a common address: a x = b y for some 0 < a < most_x and 0 < b < most_y.
constexpr bool steps_meet(std::uint64_t x, index_t most_x, std::uint64_t y, index_t most_y) {
  const std::uint64_t both = std::gcd(x, y);
  return y / both < static_cast<std::uint64_t>(most_x) && x / both < static_cast<std::uint64_t>(most_y);
}

}  // namespace

bool may_share_elements(const batch_extents& extents, const batch_extents& strides) {
  struct direction {
    std::uint64_t step;
    index_t extent;
  };
  direction used[3];  // by rising step
  int count = 0;
  for (int r = 0; r < 3; ++r) {
    if (extents[r] == 0) return false;
    if (extents[r] == 1) continue;
    const direction next{static_cast<std::uint64_t>(std::abs(strides[r])), extents[r]};
    int at = count++;
    for (; at > 0 && next.step < used[at - 1].step; --at) used[at] = used[at - 1];
    used[at] = next;
  }
  bool nested = true;
  std::uint64_t reach = 0;
  for (int r = 0; r < count; ++r) {
    nested &= used[r].step > reach;
    reach += used[r].step * static_cast<std::uint64_t>(used[r].extent - 1);
  }
  if (nested) return false;
  return count == 3 || used[0].step == 0 || steps_meet(used[0].step, used[0].extent, used[1].step, used[1].extent);
}

void require_distinct_elements(const char* name, const batch_facts& v) {
  const batch_extents &extents = v.extents, &strides = v.strides;
  const bool empty = is_empty(v);
  if (!v.data && !empty) refuse_missing_data(name, extents[1], extents[2]);
  for (int r = 0; r < 3 && !empty; ++r)
    if (extents[r] > 1 && strides[r] == 0)
      throw argument_error(std::string(name) + " is written, but has stride 0 along an extent of " +
                           std::to_string(extents[r]));
  if (!may_share_elements(extents, strides)) return;
  std::string text;
  for (int r = extents[0] > 1 ? 0 : 1; r < 3; ++r) text += (text.empty() ? "" : ", ") + std::to_string(strides[r]);
  throw argument_error(std::string(name) + " is written, but elements of it share an address: it is " +
                       shape_of(extents) + " with strides " + text);
}

namespace {

// The addresses that a batch can touch: [first, last).
std::pair<const char*, const char*> address_range(const batch_facts& x) {
  index_t low = 0, high = 0;
  for (int r = 0; r < 3; ++r) {
    const index_t reach = (x.extents[r] - 1) * x.strides[r];
    (reach < 0 ? low : high) += reach;
  }
  const char* const data = static_cast<const char*>(x.data);
  return {data + low * x.element, data + (high + 1) * x.element};
}

}  // namespace

bool may_overlap(const batch_facts& x, const batch_facts& y) {
  if (is_empty(x) || is_empty(y)) return false;
  const auto [x0, x1] = address_range(x);
  const auto [y0, y1] = address_range(y);
  if (x1 <= y0 || y1 <= x0) return false;
  if (x.element != y.element || x.extents[0] != 1 || y.extents[0] != 1) return true;
  for (const int outer : {1, 2}) {
    const int inner = 3 - outer;
    const index_t leading = x.strides[outer], width_x = x.extents[inner], width_y = y.extents[inner];
    const bool blocks = x.strides[inner] == 1 && y.strides[inner] == 1 && leading == y.strides[outer] &&
                        leading >= width_x && leading >= width_y;
    const index_t bytes = static_cast<const char*>(y.data) - static_cast<const char*>(x.data);
    if (!blocks || bytes % x.element != 0) continue;
    const index_t offset = bytes / x.element;
    const index_t start = ((offset % leading) + leading) % leading;  // y's first column, counted from x's
    const index_t row = (offset - start) / leading;
    const bool columns_meet = start < width_x || start + width_y > leading;
    const bool rows_meet = row < x.extents[outer] && row + y.extents[outer] >= 0;
    return columns_meet && rows_meet;
  }
  return true;
}

void require_disjoint(const char* input, const batch_facts& x, const char* output, const batch_facts& y) {
  if (may_overlap(x, y))
    throw argument_error(std::string(input) + " overlaps " + output + ", which the same call writes");
}

}  // namespace kleene::detail
