// What is refused of an einsum, and copies of its tensors.
#include "kleene/operations/detail/einsum_checks.hpp"

#include "kleene/kernels/cpu/permute/launch.hpp"
#include "kleene/kernels/cuda/permute/launch.hpp"
#include "kleene/operations/detail/checks.hpp"

#include <algorithm>
#include <cstdlib>
#include <variant>

namespace kleene::detail {

namespace {

struct known_extent {
  index_t extent = -1;  // not known
  int operand = 0;
};

std::string equation_text(const einsum_equation& equation) { return "einsum \"" + equation.text() + "\": "; }

void require_rank(const einsum_equation& equation, const std::string& name, const tensor_facts& x,
                  std::span<const int> labels) {
  if (x.extents->size() == static_cast<int>(labels.size())) return;
  throw shape_error(equation_text(equation) + name + " has rank " + std::to_string(x.extents->size()) +
                    ", but its indices are \"" + equation.names_of(labels) + "\"");
}

void require_elements(const std::string& name, const tensor_facts& x) {
  if (x.data || size_of(*x.extents) == 0) return;
  throw argument_error(name + " has " + extents_text(*x.extents) + " elements, but its data is a null pointer");
}

void require_output(const einsum_equation& equation, const char* name, const tensor_facts& x,
                    const std::vector<known_extent>& known) {
  if (!x) return;
  require_rank(equation, name, x, equation.output());
  for (int r = 0; r < x.extents->size(); ++r) {
    const int label = equation.output()[static_cast<std::size_t>(r)];
    const auto& [extent, operand] = known[static_cast<std::size_t>(label)];
    if (extent != (*x.extents)[r])
      throw shape_error(equation_text(equation) + "index " + equation.name_of(label) + " is " + std::to_string(extent) +
                        " in " + operand_name(operand) + " and " + std::to_string((*x.extents)[r]) + " in " + name);
  }
  require_elements(name, x);
}

}  // namespace

std::string operand_name(int o) { return "operand " + std::to_string(o + 1); }

std::vector<index_t> einsum_extents(const einsum_equation& equation, std::span<const tensor_facts> operands,
                                    const tensor_facts& out, const tensor_facts& witness) {
  if (static_cast<int>(operands.size()) != equation.operands())
    throw argument_error(equation_text(equation) + "it has " + std::to_string(equation.operands()) + " operands, but " +
                         std::to_string(operands.size()) +
                         " are given (an output is followed by options, at least by {})");
  std::vector<known_extent> known(static_cast<std::size_t>(equation.indices()));
  for (int o = 0; o < equation.operands(); ++o) {
    const tensor_facts& x = operands[static_cast<std::size_t>(o)];
    const std::span<const int> labels = equation.operand(o);
    require_rank(equation, operand_name(o), x, labels);
    for (int r = 0; r < x.extents->size(); ++r) {
      const int label = labels[static_cast<std::size_t>(r)];
      auto& [extent, operand] = known[static_cast<std::size_t>(label)];
      if (extent < 0) extent = (*x.extents)[r], operand = o;
      if (extent != (*x.extents)[r])
        throw shape_error(equation_text(equation) + "index " + equation.name_of(label) + " is " +
                          std::to_string(extent) + " in " + operand_name(operand) + " and " +
                          std::to_string((*x.extents)[r]) + " in " + operand_name(o));
    }
    require_elements(operand_name(o), x);
  }
  require_output(equation, "the output", out, known);
  require_output(equation, "the witness", witness, known);
  std::vector<index_t> extents;
  extents.reserve(known.size());
  for (const known_extent& k : known) extents.push_back(k.extent);
  return extents;
}

namespace {

// The addresses that a tensor of at least one element can touch: [first, last).
std::pair<const char*, const char*> address_range(const tensor_facts& x) {
  index_t low = 0, high = 1;
  for (int r = 0; r < x.extents->size(); ++r) {
    const index_t reach = ((*x.extents)[r] - 1) * (*x.strides)[r];
    (reach < 0 ? low : high) += reach;
  }
  const char* data = static_cast<const char*>(x.data);
  const auto bytes = static_cast<index_t>(x.element);
  return {data + low * bytes, data + high * bytes};
}

void require_disjoint(const std::string& input, const tensor_facts& x, const char* output, const tensor_facts& y) {
  if (size_of(*x.extents) == 0 || size_of(*y.extents) == 0) return;
  const auto [x0, x1] = address_range(x);
  const auto [y0, y1] = address_range(y);
  if (x1 > y0 && y1 > x0) throw argument_error(input + " overlaps " + output + ", which the same call writes");
}

// Each stride goes past all that the shorter ones reach; an output in which it does not could be a race.
void require_distinct_elements(const char* name, const tensor_facts& x) {
  if (size_of(*x.extents) == 0) return;
  std::pair<std::uint64_t, index_t> steps[most_axes];
  int count = 0;
  for (int r = 0; r < x.extents->size(); ++r)
    if ((*x.extents)[r] > 1) steps[count++] = {static_cast<std::uint64_t>(std::abs((*x.strides)[r])), (*x.extents)[r]};
  std::sort(steps, steps + count);
  std::uint64_t reach = 0;
  for (int s = 0; s < count; ++s) {
    if (steps[s].first <= reach)
      throw argument_error(std::string(name) + " is written, but elements of it share an address: it is " +
                           extents_text(*x.extents) + " with strides " + extents_text(*x.strides));
    reach += steps[s].first * static_cast<std::uint64_t>(steps[s].second - 1);
  }
}

}  // namespace

void require_einsum_memory(std::span<const tensor_facts> operands, const tensor_facts& out,
                           const tensor_facts& witness) {
  for (const auto& [name, x] : {std::pair{"the output", &out}, std::pair{"the witness", &witness}}) {
    if (!*x) continue;
    require_distinct_elements(name, *x);
    for (std::size_t o = 0; o < operands.size(); ++o)
      require_disjoint(operand_name(static_cast<int>(o)), operands[o], name, *x);
  }
  if (witness) require_disjoint("the output", out, "the witness", witness);
}

std::vector<std::pair<int, int>> einsum_order(int operands, std::span<const std::pair<int, int>> pairs,
                                              bool keeps_order) {
  const int steps = operands - 1;
  if (!pairs.empty() && static_cast<int>(pairs.size()) != steps)
    throw argument_error("einsum: " + std::to_string(operands) + " operands are contracted by " +
                         std::to_string(steps) + " pairs, not " + std::to_string(pairs.size()));
  struct range {
    int first, last;  // the operands that went into it; none once it is taken
  };
  std::vector<range> there;
  for (int o = 0; o < operands; ++o) there.push_back({o, o});
  std::vector<std::pair<int, int>> order;
  for (int s = 0; s < steps; ++s) {
    auto [x, y] = pairs.empty() ? std::pair{s == 0 ? 0 : operands + s - 1, s + 1} : pairs[static_cast<std::size_t>(s)];
    const auto is_there = [&](int t) {
      return t >= 0 && t < static_cast<int>(there.size()) && there[static_cast<std::size_t>(t)].last >= 0;
    };
    const std::string name = "einsum: pair " + std::to_string(s) + " (" + std::to_string(x) + ", " + std::to_string(y);
    if (x == y || !is_there(x) || !is_there(y))
      throw argument_error(name + ") takes a tensor that is not there, or was taken before");
    if (there[static_cast<std::size_t>(y)].first < there[static_cast<std::size_t>(x)].first) std::swap(x, y);
    range &left = there[static_cast<std::size_t>(x)], &right = there[static_cast<std::size_t>(y)];
    if (keeps_order && left.last + 1 != right.first)
      throw argument_error(name + ") are no neighbours, and the algebra does not say that its mul commutes");
    order.push_back({x, y});
    const range both{left.first, std::max(left.last, right.last)};
    left = right = {-1, -1};
    there.push_back(both);
  }
  return order;
}

namespace {

using any_permute_plan = std::variant<kernels::cpu::permute_plan, kernels::cuda::permute_plan>;

any_permute_plan plan_copy(const context& ctx, const labelled_axes& from_axes, const void* from,
                           const labelled_axes& to_axes, void* to, std::size_t element) {
  kernels::permute_arguments p;
  p.from = from, p.to = to, p.element = element, p.rank = to_axes.rank, p.threads = ctx.threads();
  for (int r = 0; r < to_axes.rank; ++r) {
    const int at = from_axes.find(to_axes.label[r]);
    p.extents[r] = to_axes.extent[r];
    p.from_strides[r] = at < 0 ? 0 : from_axes.stride[at];
    p.to_strides[r] = to_axes.stride[r];
  }
  const double tables = 1 << 18;  // at most about so many bytes
  return with_memory("a copy of a tensor", tables, [&]() -> any_permute_plan {
    if (ctx.kind() == device_kind::cuda) return kernels::cuda::plan_permute(p, ctx.device()->shared_memory);
    return kernels::cpu::plan_permute(p);
  });
}

}  // namespace

tensor_copy::tensor_copy(const context& ctx, const labelled_axes& from_axes, const void* from,
                         const labelled_axes& to_axes, void* to, std::size_t element)
    : ctx_(ctx), plan_(plan_copy(ctx, from_axes, from, to_axes, to, element)) {
  if (const auto* plan = std::get_if<kernels::cpu::permute_plan>(&plan_))
    (void)ctx.workspace(kernels::cpu::permute_workspace(*plan));
}

void tensor_copy::run() const {
  if (const auto* plan = std::get_if<kernels::cuda::permute_plan>(&plan_))
    return kernels::cuda::launch_permute(ctx_, *plan);
  const auto& plan = std::get<kernels::cpu::permute_plan>(plan_);
  void* workspace = ctx_.workspace(kernels::cpu::permute_workspace(plan));  // which is there
  if (explain_enabled()) explain(kernels::cpu::describe_permute(plan));
  kernels::cpu::launch_permute(plan, workspace, ctx_.isa());
}

labelled_axes packed(const labelled_axes& axes) {
  labelled_axes result = axes;
  pack(result);
  return result;
}

void spread_witness(const context& ctx, const einsum_operand& c, const std::int32_t* from, const labelled_axes& to_axes,
                    std::int64_t* to) {
  const labelled_axes& axes = c.axes;
  index_t stride[most_axes], at[most_axes] = {};
  for (int r = 0; r < axes.rank; ++r) stride[r] = to_axes.stride[to_axes.find(axes.label[r])];
  if (ctx.kind() == device_kind::cuda) {
    kernels::cuda::spread_arguments p{from, to, c.elements(), axes.rank, {}};
    for (int r = 0; r < axes.rank; ++r) p.axis[r] = {axes.extent[r], stride[r]};
    return kernels::cuda::launch_spread(ctx, p);
  }
  for (;;) {
    *to = *from++;
    int r = axes.rank - 1;
    for (; r >= 0; --r) {
      to += stride[r];
      if (++at[r] < axes.extent[r]) break;
      to -= axes.extent[r] * stride[r];
      at[r] = 0;
    }
    if (r < 0) return;
  }
}

}  // namespace kleene::detail
