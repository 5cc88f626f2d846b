#include "plan_pair.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace kleene::detail {

namespace {

constexpr double few_operations = 4096;   // below, plain loops take less than what anything else has to set up
constexpr index_t least_run = 16;         // elements in line that are worth a vector
constexpr index_t good_run = 128;         // that are worth no more effort
constexpr index_t least_of_product = 16;  // rows, columns and k that gemm is faster with
constexpr index_t least_columns = 4;      // that go by a panel of a large operand and make up for its copy
constexpr index_t most_repeated = 1024;   // elements of a small operand that are repeated along a run
constexpr index_t most_terms = 4096;      // that are tabulated
constexpr index_t copied_by_hand = 4096;  // elements of a copy that needs no plan of its own

}  // namespace

pair_planner::pair_planner(contraction_plan& plan, const plan_request& request, std::vector<int> death)
    : plan_(plan), request_(request), death_(std::move(death)), place_(death_.size(), -1) {}

bool pair_planner::dies_before(const index& x, const index& y) const {
  const int dx = death_[static_cast<std::size_t>(x.label)], dy = death_[static_cast<std::size_t>(y.label)];
  return dx != dy ? dx < dy : x.label < y.label;
}

void pair_planner::sort_by_death(indices& list) const {
  std::sort(list.begin(), list.end(), [&](const index& x, const index& y) { return dies_before(x, y); });
}

index_t pair_planner::size(role kind) const {
  index_t n = 1;
  for (const index& i : all_)
    if (i.kind == kind) n *= i.extent;
  return n;
}

void pair_planner::collect(int s, std::span<const network_axis> a, std::span<const network_axis> b) {
  all_.clear();
  for (const network_axis& x : a) {
    place_[static_cast<std::size_t>(x.label)] = static_cast<int>(all_.size());
    all_.push_back({x.label, x.extent, x.stride, 0, true, false, role::row});
  }
  for (const network_axis& x : b) {
    const int at = place_[static_cast<std::size_t>(x.label)];
    if (at < 0) all_.push_back({x.label, x.extent, 0, x.stride, false, true, role::column});
    else all_[static_cast<std::size_t>(at)].b = x.stride, all_[static_cast<std::size_t>(at)].in_b = true;
  }
  for (const network_axis& x : a) place_[static_cast<std::size_t>(x.label)] = -1;
  for (index& i : all_) {
    if (death_[static_cast<std::size_t>(i.label)] <= s) i.kind = role::summed;
    else if (i.in_a && i.in_b) i.kind = role::batch;
  }
}

// All that is kept, in the order in which it dies.
void pair_planner::order_result() {
  result_.clear();
  for (const index& i : all_)
    if (i.kind != role::summed) result_.push_back(i);
  sort_by_death(result_);
}

void pair_planner::add(int s, int x, int y) {
  planned_pair p;
  p.a = x, p.b = y, p.c = static_cast<int>(plan_.tensors.size());
  if (plan_.elements_of(x) < plan_.elements_of(y)) std::swap(p.a, p.b);
  collect(s, plan_.axes_of(p.a), plan_.axes_of(p.b));
  double operations = 1;
  for (const index& i : all_) operations *= static_cast<double>(i.extent);
  if (operations > few_operations) {
    plan_large(p);
  } else {
    order_result();
    find_run(p);
  }
  const int first = static_cast<int>(plan_.axes.size());
  index_t stride = 1;
  for (const index& i : result_) plan_.axes.push_back({i.label, i.extent, 0});
  for (std::size_t r = plan_.axes.size(); r-- > static_cast<std::size_t>(first);)
    plan_.axes[r].stride = stride, stride *= plan_.axes[r].extent;
  plan_.tensors.push_back({first, static_cast<int>(result_.size())});
  if (p.mode != pair_mode::product) add_loops(p), add_terms(p);
  plan_.pairs.push_back(p);
}

// Streams where one operand is small beside the other, multiplies as gemm does where neither is, or where there is
// little but a sum.
void pair_planner::plan_large(planned_pair& p) {
  const index_t rows = size(role::row), columns = size(role::column), k = size(role::summed),
                kept = rows * columns * size(role::batch);
  const bool is_gemm = std::min({rows, columns, k}) >= least_of_product;
  if (request_.multiplies && (is_gemm || kept < 2 * least_run || (k > 1 && request_.sums_are_long)))
    return plan_product(p);
  index_t run = 1;
  std::size_t suffix = 0;  // axes of a, innermost, that lie together and are kept
  std::vector<const index*> by_stride;
  for (const index& i : all_)
    if (i.in_a) by_stride.push_back(&i);
  std::stable_sort(by_stride.begin(), by_stride.end(), [](const index* x, const index* y) { return x->a < y->a; });
  while (suffix < by_stride.size() && run < good_run) {
    const index& i = *by_stride[suffix];
    if (i.kind == role::summed || i.a != run || (i.kind == role::batch && avoids_batch(p))) break;
    run *= i.extent, ++suffix;
  }
  const bool needs_panels = k >= least_of_product && columns >= least_columns;
  if (needs_panels || run < std::min(good_run / 4, rows * size(role::batch))) {
    if (rows * size(role::batch) < least_run) return plan_short(p);
    copy_a(p);
    return find_run(p);
  }
  result_.clear();
  indices inner;
  for (std::size_t r = suffix; r-- > 0;) inner.push_back(*by_stride[r]);
  for (const index& i : all_) {
    const bool is_inner = std::any_of(inner.begin(), inner.end(), [&](const index& x) { return x.label == i.label; });
    if (i.kind != role::summed && !is_inner) result_.push_back(i);
  }
  sort_by_death(result_);
  result_.insert(result_.end(), inner.begin(), inner.end());
  find_run(p);
  if (p.mode == pair_mode::scalar) plan_short(p);
}

// What has no stretch to run along.
void pair_planner::plan_short(planned_pair& p) {
  if (request_.multiplies) return plan_product(p);
  order_result();
}

// Along a batch index b has to be repeated: that should stay in a cache.
bool pair_planner::avoids_batch(const planned_pair& p) const {
  return size(role::row) >= good_run / 4 && plan_.elements_of(p.b) > most_repeated;
}

// a, copied: what is kept as it dies, and before the last of that, a good run, what is summed over. So all that a run
// sums up is one panel, which stays in a cache while the columns of b go by. (Rows that lie a power of two apart push
// each other out.) The result has the same order, with the columns outside of the run.
void pair_planner::copy_a(planned_pair& p) {
  indices kept, summed, columns;
  for (const index& i : all_) (i.kind == role::summed ? summed : i.in_a ? kept : columns).push_back(i);
  sort_by_death(kept);
  if (avoids_batch(p))
    std::stable_partition(kept.begin(), kept.end(), [](const index& i) { return i.kind == role::batch; });
  std::size_t outer = kept.size();
  for (index_t run = 1; outer > 0 && run < good_run; --outer) run *= kept[outer - 1].extent;
  const auto middle = kept.begin() + static_cast<std::ptrdiff_t>(outer);
  std::vector<index*> order;
  for (auto i = kept.begin(); i != middle; ++i) order.push_back(&*i);
  for (index& i : summed)
    if (i.in_a) order.push_back(&i);
  for (auto i = middle; i != kept.end(); ++i) order.push_back(&*i);
  std::vector<loop_axis> axes;
  for (const index* i : order) axes.push_back({i->extent, i->a, 0, 0});
  index_t stride = 1;
  for (std::size_t r = order.size(); r-- > 0;) order[r]->a = stride, stride *= order[r]->extent;
  p.copy_a = add_copy(axes);
  result_.assign(kept.begin(), middle);
  result_.insert(result_.end(), columns.begin(), columns.end());
  sort_by_death(result_);
  result_.insert(result_.end(), middle, kept.end());
  all_ = summed;
  all_.insert(all_.end(), result_.begin(), result_.end());
}

// How far the result lies as a does, and what b does along that: stays the same, runs along, or is repeated in a copy
// that does.
void pair_planner::find_run(planned_pair& p) {
  index_t run = 1, constant = 1, along = 1, any = 1;
  std::size_t axes = 0, constant_axes = 0, along_axes = 0, any_axes = 0;
  bool lacks = true, follows = true;
  for (std::size_t r = result_.size(); r-- > 0 && (lacks || follows || run < good_run);) {
    const index& i = result_[r];
    if (!i.in_a || i.a != run) break;
    lacks = lacks && !i.in_b;
    follows = follows && i.in_b && i.b == run;
    run *= i.extent, ++axes;
    if (lacks) constant = run, constant_axes = axes;
    if (follows) along = run, along_axes = axes;
    any = run, any_axes = axes;
  }
  run_axes_ = 0;
  const index_t least = std::max(constant, along);
  if (least < good_run / 2 && any >= 2 * least && any >= least_run) {
    double others = static_cast<double>(any), operations = static_cast<double>(any);
    for (std::size_t r = 0; r < all_.size(); ++r) {
      const bool is_run = std::any_of(result_.end() - static_cast<std::ptrdiff_t>(any_axes), result_.end(),
                                      [&](const index& x) { return x.label == all_[r].label; });
      if (is_run) continue;
      operations *= static_cast<double>(all_[r].extent);
      if (all_[r].in_b) others *= static_cast<double>(all_[r].extent);
    }
    const bool only_reorders = operations > few_operations && others <= 2 * static_cast<double>(plan_.elements_of(p.b));
    if (8 * others <= operations || only_reorders) return repeat_b(p, static_cast<index_t>(any_axes), any);
  }
  if (least < least_run) return;  // scalar
  p.mode = pair_mode::streamed, p.run = least;
  p.b_runs = along > constant;
  run_axes_ = p.b_runs ? along_axes : constant_axes;
}

// b, repeated along the last axes of the result.
void pair_planner::repeat_b(planned_pair& p, index_t run_axes, index_t run) {
  const auto inner = result_.end() - static_cast<std::ptrdiff_t>(run_axes);
  std::vector<loop_axis> axes;
  index_t stride = run;
  for (index& i : all_) {
    const bool is_run = std::any_of(inner, result_.end(), [&](const index& x) { return x.label == i.label; });
    if (i.in_b && !is_run) axes.push_back({i.extent, i.b, 0, 0});
  }
  for (auto i = inner; i != result_.end(); ++i) axes.push_back({i->extent, i->b, 0, 0});
  for (std::size_t r = all_.size(); r-- > 0;) {  // the copy's strides, the last axis innermost
    index& i = all_[r];
    const bool is_run = std::any_of(inner, result_.end(), [&](const index& x) { return x.label == i.label; });
    if (!i.in_b || is_run) continue;
    i.b = stride, stride *= i.extent;
    for (index& c : result_)
      if (c.label == i.label) c.b = i.b;
  }
  p.copy_b = add_copy(axes);
  p.mode = pair_mode::streamed, p.run = run, p.b_runs = true;
  run_axes_ = static_cast<std::size_t>(run_axes);
}

// The axes of the result, the run left out. What a lacks goes inside, so that its elements are read once.
void pair_planner::add_loops(planned_pair& p) {
  const std::size_t count = result_.size() - (p.mode == pair_mode::streamed ? run_axes_ : 0);
  p.loops = {static_cast<int>(plan_.loops.size()), 0};
  const auto result = plan_.axes_of(p.c);
  const auto append = [&](const loop_axis& x) {
    if (p.loops.count > 0) {
      loop_axis& last = plan_.loops.back();
      if (last.a == x.extent * x.a && last.b == x.extent * x.b && last.c == x.extent * x.c) {
        last = {last.extent * x.extent, x.a, x.b, x.c};
        return;
      }
    }
    plan_.loops.push_back(x);
    ++p.loops.count;
  };
  for (const bool inside : {false, true})
    for (std::size_t r = 0; r < count; ++r) {
      const index& i = result_[r];
      const bool goes_inside = p.mode == pair_mode::streamed && !i.in_a;
      if (goes_inside == inside) append({i.extent, i.a, i.b, result[r].stride});
    }
  for (std::size_t r = 0; r < count; ++r) p.items *= result_[r].extent;
}

void pair_planner::add_terms(planned_pair& p) {
  const std::size_t first = plan_.terms.size();
  plan_.terms.push_back({0, 0});
  p.repeats = {static_cast<int>(plan_.loops.size()), 0};
  for (const index& i : all_) {
    if (i.kind != role::summed) continue;
    const std::size_t count = plan_.terms.size() - first;
    if (i.extent == 0) {
      plan_.terms.resize(first);
      break;
    }
    if (static_cast<index_t>(count) > most_terms / i.extent) {
      plan_.loops.push_back({i.extent, i.a, i.b, 0});
      ++p.repeats.count;
      continue;
    }
    for (index_t v = 1; v < i.extent; ++v)
      for (std::size_t t = 0; t < count; ++t) {
        const term_offset before = plan_.terms[first + t];
        plan_.terms.push_back({before.a + v * i.a, before.b + v * i.b});
      }
  }
  p.terms = {static_cast<int>(first), static_cast<int>(plan_.terms.size() - first)};
}

// Batch, rows and columns as they lie in the operands, so that the product writes without a copy.
void pair_planner::plan_product(planned_pair& p) {
  p.mode = pair_mode::product;
  result_.clear();
  for (const role kind : {role::batch, role::row, role::column}) {
    indices group;
    for (const index& i : all_)
      if (i.kind == kind) group.push_back(i);
    std::stable_sort(group.begin(), group.end(), [&](const index& x, const index& y) {
      return kind == role::column ? std::abs(x.b) > std::abs(y.b) : std::abs(x.a) > std::abs(y.a);
    });
    result_.insert(result_.end(), group.begin(), group.end());
  }
  labelled_axes a, b, c;
  const auto append = [](labelled_axes& to, const index& i, index_t stride) {
    if (to.rank == most_axes) refuse_rank(most_axes + 1);
    to.label[to.rank] = i.label, to.extent[to.rank] = i.extent, to.stride[to.rank++] = stride;
  };
  for (const index& i : all_) {
    if (i.in_a) append(a, i, i.a);
    if (i.in_b) append(b, i, i.b);
  }
  for (const index& i : result_) append(c, i, 0);
  pack(c);
  auto step = std::make_unique<einsum_step>(plan_einsum(a, b, c, false));
  const auto copied = [&](const einsum_operand& x) {
    std::vector<loop_axis> axes;
    for (int r = 0; r < x.axes.rank; ++r) axes.push_back({x.axes.extent[r], x.axes.stride[r], 0, 0});
    return x.is_copied ? add_copy(axes) : -1;
  };
  p.copy_a = copied(step->a), p.copy_b = copied(step->b);
  if (step->c.is_copied) {  // nobody asked for another order: the result stays in the product's
    indices ordered;
    for (int r = 0; r < c.rank; ++r)
      for (const index& i : result_)
        if (i.label == step->c.axes.label[r]) ordered.push_back(i);
    result_ = ordered;
    step->c.is_copied = false;
  }
  p.step = static_cast<int>(plan_.steps.size());
  plan_.steps.push_back(std::move(step));
}

int pair_planner::add_copy(const std::vector<loop_axis>& axes) {
  planned_copy copy;
  copy.axes = {static_cast<int>(plan_.loops.size()), static_cast<int>(axes.size())};
  plan_.loops.insert(plan_.loops.end(), axes.begin(), axes.end());
  copy.elements = 1;
  for (const loop_axis& x : axes) copy.elements *= x.extent;
  if (copy.elements > copied_by_hand) {
    kernels::permute_arguments p;
    p.element = request_.element, p.threads = request_.threads;
    index_t stride = copy.elements;
    for (const loop_axis& x : axes) {
      if (p.rank == most_axes) refuse_rank(most_axes + 1);
      stride /= x.extent;
      p.extents[static_cast<std::size_t>(p.rank)] = x.extent;
      p.from_strides[static_cast<std::size_t>(p.rank)] = x.a;
      p.to_strides[static_cast<std::size_t>(p.rank++)] = stride;
    }
    copy.by = std::make_unique<kernels::cpu::permute_plan>(kernels::cpu::plan_permute(p));
  }
  plan_.copies.push_back(std::move(copy));
  return static_cast<int>(plan_.copies.size()) - 1;
}

}  // namespace kleene::detail
