// How two tensors are contracted by one batch of matrix products.
//
// Neighbouring indices whose strides go on where the next one's end are fused. The indices of a group (batch, rows,
// columns, k) may be fused in any order that is the same for the tensors that have them: each group is tried in the
// order of the strides of each of its tensors, and those orders are taken in which the fewest elements are copied.
#include "kleene/operations/detail/einsum_step.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace kleene::detail {

labelled_axes axes_of(std::span<const int> labels, const axis_values& extents, const axis_values& strides) {
  labelled_axes axes;
  for (std::size_t l = 0; l < labels.size(); ++l) {
    const int r = static_cast<int>(l), at = axes.find(labels[l]);
    if (at >= 0) {
      axes.stride[at] += strides[r];
      continue;
    }
    axes.label[axes.rank] = labels[l], axes.extent[axes.rank] = extents[r], axes.stride[axes.rank] = strides[r];
    ++axes.rank;
  }
  return axes;
}

void pack(labelled_axes& axes) {
  index_t step = 1;
  for (int r = axes.rank - 1; r >= 0; --r) axes.stride[r] = step, step *= axes.extent[r];
}

namespace {

constexpr index_t least_of_vectors = 1024;  // elements of a matrix, on a CPU

enum tensor { A, B, C };
enum group { batch, rows, columns, summed };
constexpr int groups = 4;

// An index of more than one step, with its strides in the three tensors, 0 where it is not.
struct step_index {
  int label;
  index_t extent, stride[3];
  bool in[3];

  group kind() const { return !in[C] ? summed : !in[B] ? rows : !in[A] ? columns : batch; }
};

struct step_indices {
  int count = 0;
  step_index at[2 * most_axes];

  void add(const labelled_axes& axes, tensor t) {
    for (int r = 0; r < axes.rank; ++r) {
      if (axes.extent[r] == 1) continue;
      int found = 0;
      while (found < count && at[found].label != axes.label[r]) ++found;
      if (found == count) at[count++] = {axes.label[r], axes.extent[r], {0, 0, 0}, {false, false, false}};
      at[found].stride[t] = axes.stride[r], at[found].in[t] = true;
    }
  }
};

// A group's indices in one order, and which tensors they can be fused in.
struct fused_group {
  int count = 0;
  std::uint8_t order[2 * most_axes];
  index_t extent = 1, stride[3] = {0, 0, 0};
  double steps = 1;  // the extent, if an index could not hold it
  bool fuses[3] = {true, true, true};

  fused_group() {}
  fused_group(const step_indices& all, group g) {
    for (int i = 0; i < all.count; ++i)
      if (all.at[i].kind() == g) order[count++] = static_cast<std::uint8_t>(i);
  }
  void sort_by(const step_indices& all, tensor t) {
    const auto reach = [&](int i) { return std::abs(all.at[i].stride[t]); };
    std::stable_sort(order, order + count, [&](int x, int y) { return reach(x) > reach(y); });
  }
  void fuse(const step_indices& all) {
    for (int o = 0; o < count; ++o) {
      const step_index& inner = all.at[order[o]];
      steps *= static_cast<double>(inner.extent);
      extent = steps > most_counted ? 0 : extent * inner.extent;
      for (int t = 0; t < 3; ++t) {
        fuses[t] = fuses[t] && (o == 0 || all.at[order[o - 1]].stride[t] == inner.extent * inner.stride[t]);
        stride[t] = inner.stride[t];
      }
    }
  }
};

// The orders in which a group is tried.
struct candidates {
  int count = 0;
  fused_group at[3];

  candidates(const step_indices& all, group g, bool keeps_order) {
    const fused_group first(all, g);
    for (const tensor t : {A, B, C}) {
      const bool has_it = t == A ? g != columns : t == B ? g != rows : g != summed;
      if (!has_it || (count > 0 && (keeps_order || first.count < 2))) continue;
      at[count] = first;
      if (!keeps_order) at[count].sort_by(all, t);
      at[count++].fuse(all);
    }
  }
};

// Which group is where in a tensor seen as a batch of matrices.
constexpr group places[3][3] = {{batch, rows, summed}, {batch, summed, columns}, {batch, rows, columns}};

using chosen_groups = std::array<const fused_group*, groups>;

bool fuses(const chosen_groups& chosen, tensor t) {
  return std::all_of(places[t], places[t] + 3, [&](group g) { return chosen[g]->fuses[t]; });
}
index_t elements_of(const chosen_groups& chosen, tensor t) {
  index_t elements = 1;
  for (const group g : places[t]) elements *= chosen[g]->extent;
  return elements;
}

// Views may repeat a few elements without end, and so have more products than can be counted.
void require_countable_steps(const chosen_groups& chosen) {
  for (const tensor t : {A, B, C}) {
    double steps = 1;
    for (const group g : places[t]) steps *= std::max(chosen[g]->steps, 1.0);
    if (steps > most_counted) throw shape_error("einsum: the indices have more steps together than can be counted");
  }
}

einsum_operand operand_of(const step_indices& all, const chosen_groups& chosen, tensor t) {
  einsum_operand x;
  for (int p = 0; p < 3; ++p) {
    x.extents[p] = chosen[places[t][p]]->extent;
    x.strides[p] = chosen[places[t][p]]->stride[t];
  }
  x.is_copied = x.elements() > 0 && !fuses(chosen, t);
  if (x.is_copied) x.strides = {x.extents[1] * x.extents[2], x.extents[2], 1};
  for (const group g : places[t])
    for (int o = 0; o < chosen[g]->count; ++o) {
      const step_index& i = all.at[chosen[g]->order[o]];
      x.axes.label[x.axes.rank] = i.label, x.axes.extent[x.axes.rank] = i.extent;
      x.axes.stride[x.axes.rank++] = i.stride[t];
    }
  return x;
}

}  // namespace

einsum_step plan_einsum(const labelled_axes& a, const labelled_axes& b, const labelled_axes& c, bool keeps_order) {
  step_indices all;
  all.add(a, A), all.add(b, B), all.add(c, C);
  const candidates tries[groups] = {
      {all, batch, false}, {all, rows, false}, {all, columns, false}, {all, summed, keeps_order}};
  chosen_groups best{};
  double least = -1;
  for (int x = 0; x < tries[batch].count; ++x)
    for (int y = 0; y < tries[rows].count; ++y)
      for (int z = 0; z < tries[columns].count; ++z)
        for (int w = 0; w < tries[summed].count && least != 0; ++w) {
          const chosen_groups chosen{&tries[batch].at[x], &tries[rows].at[y], &tries[columns].at[z],
                                     &tries[summed].at[w]};
          double copied = 0;
          for (const tensor t : {A, B, C})
            if (!fuses(chosen, t)) copied += static_cast<double>(elements_of(chosen, t));
          if (least < 0 || copied < least) least = copied, best = chosen;
        }
  require_countable_steps(best);
  einsum_step step{operand_of(all, best, A), operand_of(all, best, B), operand_of(all, best, C)};
  step.batch = best[batch]->extent, step.m = best[rows]->extent, step.n = best[columns]->extent;
  step.k = best[summed]->extent;
  const bool is_thin = step.m == 1 || step.n == 1;
  step.is_vector = step.batch == 1 && is_thin;
  step.is_vectors = step.batch > 1 && is_thin && step.k > 1 && step.m * step.n * step.k >= least_of_vectors;
  // gemm is as fast along rows or columns that are long and lie together: 0.8 ms for 2^20 elements, beside 2.3 here.
  const int longer = step.m > step.n ? 1 : 2;
  const bool is_short = std::max(step.m, step.n) < 32 ||
                        std::abs(step.c.strides[0]) < std::abs(step.c.strides[static_cast<std::size_t>(longer)]);
  step.is_pointwise = step.batch > 1 && is_thin && step.k == 1 && is_short;
  return step;
}

labelled_axes free_output(const labelled_axes& a, const labelled_axes& b, const std::vector<bool>& kept) {
  labelled_axes c;
  step_indices all;
  all.add(a, A), all.add(b, B);
  for (int i = 0; i < all.count; ++i)
    if (kept[static_cast<std::size_t>(all.at[i].label)]) all.at[i].in[C] = true;
  for (const group g : {batch, rows, columns}) {
    fused_group ordered(all, g);
    ordered.sort_by(all, g == columns ? B : A);
    for (int o = 0; o < ordered.count; ++o) {
      if (c.rank == most_axes) refuse_rank(most_axes + 1);
      c.label[c.rank] = all.at[ordered.order[o]].label, c.extent[c.rank++] = all.at[ordered.order[o]].extent;
    }
  }
  pack(c);
  return c;
}

}  // namespace kleene::detail
