// What tensors refuse, and the strides of one that is seen with other extents.
#include "kleene/data/tensor.hpp"

#include "kleene/data/memory.hpp"

namespace kleene::detail {

// Copied with another order of axes, each line is in another page than the one before it: pages of 4 KiB are too many
// for the TLB.
void* allocate_tensor(std::size_t bytes) {
  constexpr std::size_t least_of_large_pages = std::size_t{4} << 20;
  void* const p = aligned_allocate(bytes);
  if (bytes >= least_of_large_pages) advise_large_pages(p, bytes);
  return p;
}

void refuse_rank(std::size_t rank) {
  throw shape_error("a tensor of rank " + std::to_string(rank) + ": at most " + std::to_string(most_axes) +
                    " axes are held");
}

axis_values packed_strides(const axis_values& extents) {
  axis_values strides = extents;
  std::uint64_t step = 1;  // wraps where the extents are about to be refused
  for (int r = extents.size() - 1; r >= 0; --r) {
    strides[r] = static_cast<index_t>(step);
    step *= static_cast<std::uint64_t>(extents[r]);
  }
  return strides;
}

namespace {

void require_extents(const axis_values& extents) {
  double elements = 1;
  for (const index_t extent : extents) {
    if (extent < 0) refuse_extent("a tensor", extent);
    elements *= extent > 0 ? static_cast<double>(extent) : 1.0;
  }
  if (elements > most_counted) refuse_extents("a tensor", extents);
}

// An axis for each group of neighbours that lie one after the other; those of one step are left out.
struct joined_axes {
  axis_values extents, strides;
};
joined_axes join(const axis_values& extents, const axis_values& strides) {
  joined_axes joined;
  for (int r = 0; r < extents.size(); ++r) {
    if (extents[r] == 1) continue;
    const int last = joined.extents.size() - 1;
    if (last >= 0 && joined.strides[last] == extents[r] * strides[r]) {
      joined.extents[last] *= extents[r], joined.strides[last] = strides[r];
    } else {
      joined.extents.push_back(extents[r]), joined.strides.push_back(strides[r]);
    }
  }
  return joined;
}

}  // namespace

void require_tensor(const axis_values& extents, const axis_values& strides, std::size_t element) {
  if (extents.size() != strides.size())
    throw shape_error("a tensor of " + std::to_string(extents.size()) + " extents has " +
                      std::to_string(strides.size()) + " strides");
  require_extents(extents);
  double reach = 1;
  for (int r = 0; r < extents.size(); ++r)
    reach += static_cast<double>(std::max<index_t>(extents[r] - 1, 0)) * std::abs(static_cast<double>(strides[r]));
  if (reach * static_cast<double>(element) > most_counted) refuse_strides(extents, strides);
}

std::size_t bytes_of_tensor(const axis_values& extents, std::size_t element) {
  require_extents(extents);
  double count = 1;
  for (const index_t extent : extents) count *= static_cast<double>(extent);
  return checked_bytes(count, element);
}

void require_order(std::span<const int> order, int rank) {
  bool is_order = order.size() == static_cast<std::size_t>(rank);
  bool seen[most_axes] = {};
  for (const int axis : order) {
    is_order = is_order && axis >= 0 && axis < rank && !seen[axis];
    if (is_order) seen[axis] = true;
  }
  if (is_order) return;
  std::string text;
  for (const int axis : order) text += (text.empty() ? "" : ", ") + std::to_string(axis);
  throw argument_error("(" + text + ") is no order of the axes of a tensor of rank " + std::to_string(rank));
}

// Each joined axis is split into wanted extents from the right; an extent that no joined axis is a multiple of would
// need elements of two.
axis_values reshaped_strides(const axis_values& extents, const axis_values& strides, const axis_values& wanted) {
  require_extents(wanted);
  if (size_of(extents) != size_of(wanted))
    throw shape_error("a tensor of " + extents_text(extents) + " elements cannot be seen as " + extents_text(wanted));
  axis_values result = packed_strides(wanted);
  if (size_of(wanted) == 0) return result;
  const joined_axes from = join(extents, strides);
  int axis = from.extents.size() - 1;
  index_t left = axis >= 0 ? from.extents[axis] : 1, step = axis >= 0 ? from.strides[axis] : 1;
  for (int r = wanted.size() - 1; r >= 0; --r) {
    if (wanted[r] == 1) continue;
    if (left == 1 && axis > 0) --axis, left = from.extents[axis], step = from.strides[axis];
    if (left % wanted[r] != 0)
      throw shape_error("a tensor of " + extents_text(extents) + " elements with strides " + extents_text(strides) +
                        " cannot be seen as " + extents_text(wanted) + " without a copy");
    result[r] = step;
    left /= wanted[r], step *= wanted[r];
  }
  return result;
}

}  // namespace kleene::detail
