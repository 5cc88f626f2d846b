// A network, its tensors and its order, checked once: contracted slice by slice. The contract is in contract.hpp.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/data/sparse.hpp"
#include "kleene/data/tensor.hpp"
#include "kleene/networks/contract_options.hpp"
#include "kleene/networks/detail/contract_checks.hpp"
#include "kleene/networks/detail/contract_on_cuda.hpp"
#include "kleene/networks/detail/contract_run.hpp"
#include "kleene/networks/detail/contract_small.hpp"
#include "kleene/networks/detail/contract_walk.hpp"
#include "kleene/networks/detail/slice_turns.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kleene::detail {

template <contractible S>
class network_contraction {
 public:
  using T = value_of<S>;

  network_contraction(const context& ctx, const network& n, std::span<const tensor_view<const T>> tensors,
                      const contraction_order& order, const contract_options& options)
      : ctx_(&ctx),
        n_(n),
        order_(order),
        options_(options),
        pairs_(order.pairs.begin(), order.pairs.end()),
        fixed_(n.extents.size(), 0),
        open_(n.extents.size(), 0),
        values_(n.extents.size(), 0) {
    static_assert(!multiplies_by_gemm<S> || product_is_compiled<S, none, T> || is_defined<gemm_definitions, S>,
                  "contract over this algebra is not compiled into the library: include "
                  "kleene/networks/own/contract.inl.hpp, which compiles it here");
    if (on_device() && !find_device_contraction<S>())
      throw error(fault_code::device, "contract has no CUDA kernels for " + name_of<S>() + ": use a CPU context");
    operands_.axes = network_axes(n, std::vector<tensor_facts>(tensors.begin(), tensors.end()));
    slices_ = require_contraction_order(n, order);
    if (options.check_domain)
      for (std::size_t t = 0; t < tensors.size(); ++t)
        if constexpr (has_domain<S>) require_tensor_domain<S>("tensor " + std::to_string(t), tensors[t]);
    for (const tensor_view<const T>& t : tensors) operands_.data.push_back(t.data());
    for (const int label : order.sliced) fixed_[static_cast<std::size_t>(label)] = 1;
    for (const int label : n.open) open_[static_cast<std::size_t>(label)] = 1;
    sum_before_pairs();
    if (on_device() && slices_ > 0) contract_small_pairs();
    if (on_device()) pack_operands();
  }

  tensor<T> value() {
    axis_values extents;
    for (const int label : n_.open) extents.push_back(n_.extents[static_cast<std::size_t>(label)]);
    if (n_.size() == 0) return tensor<T>(extents, S::one());
    tensor<T> result(extents, S::zero());
    if (result.empty() || slices_ == 0) return result;
    const contraction_plan plan = planned();
    const axis_values to = strides_in_result(plan);
    report(for_each_slice(plan, on_device() ? 0 : static_cast<std::size_t>(result.size()) * sizeof(T),
                          [&](index_t slice, const T* values) { add_slice(plan, to, slice, values, result.data()); }));
    return result;
  }

  configuration<T> best() {
    if (!n_.open.empty())
      throw argument_error("best_configuration: the network has " + std::to_string(n_.open.size()) + " open indices");
    if (n_.size() == 0) return {S::one(), true, values_};
    if (slices_ == 0) return {S::zero(), false, {}};
    std::size_t bytes = slices_ > 1 ? fix_best_slice() : 0;
    configuration_walk<S> walk(*ctx_, operands_, packed(), pairs_, options_.memory, fixed_, values_);
    const T value = walk.run();
    report(std::max(bytes, walk.bytes()));
    if (value == S::zero()) return {value, false, {}};
    if (forest_) forest_->choose(values_);
    return {value, true, values_};
  }

 private:
  // A tensor alone is contracted with one(), and so are two of a pair, right before it, that both have indices which no
  // other tensor has: their product would be summed over each combination of these.
  void sum_before_pairs() {
    static const T one = S::one();
    const int leaves = static_cast<int>(operands_.axes.size());
    std::vector<int> holders(n_.extents.size(), 0);
    for (const std::vector<network_axis>& axes : operands_.axes)
      for (const network_axis& x : axes) ++holders[static_cast<std::size_t>(x.label)];
    const auto has_own = [&](int t) {
      return t < leaves && std::ranges::any_of(
                               operands_.axes[static_cast<std::size_t>(t)],
                               [&](const network_axis& x) {
                                 const auto label = static_cast<std::size_t>(x.label);
                                 return x.extent > 1 && holders[label] == 1 && !open_[label] && !fixed_[label];
                               });
    };
    const auto needs_sums = [&](const std::pair<int, int>& p) { return has_own(p.first) && has_own(p.second); };
    const int ones = leaves == 1 ? 1 : 2 * static_cast<int>(std::ranges::count_if(pairs_, needs_sums));
    if (ones == 0) return;

    std::vector<std::pair<int, int>> all;
    std::vector<int> now(static_cast<std::size_t>(leaves));  // where each tensor of the order is
    std::iota(now.begin(), now.end(), 0);
    const auto add_pair = [&](int x, int y) {
      all.emplace_back(x, y);
      return leaves + ones + static_cast<int>(all.size()) - 1;
    };
    const auto sum = [&](int t) {
      operands_.axes.emplace_back();
      operands_.data.push_back(&one);
      now[static_cast<std::size_t>(t)] = add_pair(t, static_cast<int>(operands_.axes.size()) - 1);
    };
    if (leaves == 1) sum(0);
    for (const auto& [x, y] : pairs_) {
      if (needs_sums({x, y})) sum(x), sum(y);
      now.push_back(add_pair(now[static_cast<std::size_t>(x)], now[static_cast<std::size_t>(y)]));
    }
    pairs_ = std::move(all);
  }

  bool on_device() const { return ctx_->kind() == device_kind::cuda; }

  // Where the context is a device: the processor contracts the small pairs, once for all slices. A network that has no
  // others never sees the device.
  void contract_small_pairs() {
    if (!options_.small_on_processor) return;
    std::vector<std::uint8_t> kept = open_;
    for (const int label : order_.sliced) kept[static_cast<std::size_t>(label)] = 1;
    processor_.emplace(context::cpu());
    forest_.emplace(*processor_, operands_, pairs_, kept, most_of_small_pair<S>);
    if (forest_->is_all()) {
      ctx_ = &*processor_;
      forest_.reset();
      return;
    }
    operands_ = forest_->rest(), pairs_ = forest_->pairs_of_rest();
  }

  // All elements in one piece, as a device gets them.
  void pack_operands() {
    std::vector<std::size_t> starts;
    for (std::size_t t = 0; t < operands_.data.size(); ++t) {
      std::vector<network_axis>& axes = operands_.axes[t];
      std::vector<loop_axis> from;
      for (const network_axis& x : axes) from.push_back({x.extent, x.stride, 0, 0});
      index_t elements = 1;
      for (std::size_t r = axes.size(); r-- > 0; elements *= axes[r].extent) axes[r].stride = elements;
      starts.push_back(packed_.size());
      if (elements == 0) continue;
      loop_position at(from, 0);
      for (index_t e = 0; e < elements; ++e, at.next()) packed_.push_back(operands_.data[t][at.a]);
    }
    for (std::size_t t = 0; t < starts.size(); ++t)
      operands_.data[t] = reinterpret_cast<const T*>(packed_.data()) + starts[t];
  }

  contraction_plan planned() const {
    plan_request request{operands_.axes, pairs_, fixed_, open_};
    request.element = sizeof(T), request.threads = ctx_->threads();
    request.multiplies = multiplies_by_gemm<S> && !on_device();
    request.sums_are_long = is_long<S> && !on_device();
    return plan_contraction(request);
  }

  contraction_runner<S> runner(const context& ctx, const contraction_plan& plan) const {
    contraction_runner<S> run(ctx, plan);
    for (std::size_t t = 0; t < operands_.data.size(); ++t) run.set_leaf(t, operands_.data[t]);
    return run;
  }

  std::span<const T> packed() const { return {reinterpret_cast<const T*>(packed_.data()), packed_.size()}; }

  auto device_runner(const contraction_plan& plan) const {
    auto run = find_device_contraction<S>()(*ctx_, plan, packed());
    for (std::size_t t = 0; t < operands_.data.size(); ++t) run->set_leaf(t, operands_.data[t]);
    return run;
  }

  // use(slice, elements of its result) for each in turn. Gives the bytes that it took, `others` among them.
  template <class Use>
  std::size_t for_each_slice(const contraction_plan& plan, std::size_t others, const Use& use) {
    if (on_device()) others += device_contraction_bytes<S>(packed_.size());
    require_contraction_memory(*ctx_, static_cast<double>(plan.bytes + others), options_.memory);
    const std::vector<std::size_t> sliced = sliced_tensors();
    if (!on_device() && threads_take_slices(plan.bytes, others)) {
      share_slices(sliced, use);
      return static_cast<std::size_t>(ctx_->threads()) * plan.bytes + others;
    }
    const auto run_all = [&](auto& run) {
      for (index_t slice = 0; slice < slices_; ++slice)
        run_slice(run, sliced, slice, values_), use(slice, run.result());
    };
    if (on_device()) {
      const auto machine = device_runner(plan);
      run_all(*machine);
    } else {
      contraction_runner<S> run = runner(*ctx_, plan);
      run_all(run);
    }
    return plan.bytes + others;
  }

  // Those that lie elsewhere in each slice.
  std::vector<std::size_t> sliced_tensors() const {
    std::vector<std::size_t> sliced;
    for (std::size_t t = 0; t < operands_.axes.size(); ++t)
      if (std::any_of(operands_.axes[t].begin(), operands_.axes[t].end(),
                      [&](const network_axis& x) { return fixed_[static_cast<std::size_t>(x.label)] != 0; }))
        sliced.push_back(t);
    return sliced;
  }

  template <class Run>
  void run_slice(Run& run, std::span<const std::size_t> sliced, index_t slice, std::span<std::int32_t> values) const {
    set_slice(slice, values);
    for (const std::size_t t : sliced) run.set_leaf(t, operands_.begin(t, fixed_, values));
    run.run();
  }

  // Whether a thread contracts a slice instead of a share of each pair, many of which are too small to be shared: where
  // all threads have slices to the end, and memory holds a workspace for each.
  bool threads_take_slices(std::size_t workspace, std::size_t others) const {
    const index_t threads = ctx_->threads();
    if (threads == 1 || slices_ < threads || (slices_ % threads != 0 && slices_ < 4 * threads)) return false;
    const std::size_t allowed = options_.memory > 0 ? options_.memory : ctx_->available();
    return double(threads) * double(workspace) + double(others) <= double(allowed);
  }

  template <class Use>
  void share_slices(std::span<const std::size_t> sliced, const Use& use) const {
    slice_turns turns;
    task_queue queue;
    run_tasks(ctx_->threads(), [&](const team_member&) {
      try {
        const context alone = context::cpu({1, to_string(ctx_->isa())});
        const contraction_plan plan = planned();  // has places of its own for copies
        contraction_runner<S> run = runner(alone, plan);
        std::vector<std::int32_t> values = values_;
        for (index_t slice = queue.next(); slice < slices_ && !turns.has_ended(); slice = queue.next()) {
          run_slice(run, sliced, slice, values);
          turns.take(slice, [&] { use(slice, run.result()); });
        }
      } catch (...) {
        turns.end();
        throw;
      }
    });
  }

  void set_slice(index_t slice, std::span<std::int32_t> values) const {
    for (std::size_t i = order_.sliced.size(); i-- > 0;) {
      const auto label = static_cast<std::size_t>(order_.sliced[i]);
      values[label] = static_cast<std::int32_t>(slice % n_.extents[label]);
      slice /= n_.extents[label];
    }
  }

  // For each axis of the last pair's result, its stride in the tensor that is given back.
  axis_values strides_in_result(const contraction_plan& plan) const {
    axis_values to;
    for (const network_axis& x : plan.axes_of(plan.pairs.back().c)) {
      index_t stride = 1;
      for (std::size_t r = n_.open.size(); r-- > 0 && n_.open[r] != x.label;)
        stride *= n_.extents[static_cast<std::size_t>(n_.open[r])];
      to.push_back(stride);
    }
    return to;
  }

  void add_slice(const contraction_plan& plan, const axis_values& to, index_t slice, const T* values, T* result) const {
    std::vector<loop_axis> axes;
    for (const network_axis& x : plan.axes_of(plan.pairs.back().c))
      axes.push_back({x.extent, x.stride, to[static_cast<int>(axes.size())], 0});
    loop_position at(axes, 0);
    const index_t elements = plan.elements_of(plan.pairs.back().c);
    bool overflow = false;
    for (index_t e = 0; e < elements; ++e, at.next()) {
      T& c = result[at.b];
      if (slice == 0) {
        c = values[at.a];
        continue;
      }
      const accumulator_of<S> sum = S::add(widen<S>(c), widen<S>(values[at.a]));
      if constexpr (can_overflow<S>) overflow |= S::overflows(sum);
      c = normalise<S>(sum);
    }
    if (overflow)
      throw value_error(name_of<S>() + ": a finite result is too large for the element type; use a wider one");
  }

  // Leaves the values of the first slice whose result is the whole result; gives the bytes that it took.
  std::size_t fix_best_slice() {
    T value = S::zero();
    index_t best = 0;
    const std::size_t bytes = for_each_slice(planned(), 0, [&](index_t slice, const T* values) {
      const T sum = normalise<S>(S::add(widen<S>(value), widen<S>(*values)));
      if (!(sum == value)) value = sum, best = slice;
    });
    set_slice(best, values_);
    return bytes;
  }

  void report(std::size_t bytes) const {
    if (!options_.report) return;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
    *options_.report = {static_cast<int>(order_.pairs.size()), on_device() ? static_cast<int>(pairs_.size()) : 0,
                        slices_, bytes, passed.count()};
  }

  const context* ctx_;
  std::optional<context> processor_;  // of a device, for small pairs
  const network& n_;
  const contraction_order& order_;
  const contract_options& options_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  network_operands<T> operands_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<std::uint8_t> fixed_, open_;
  std::vector<std::int32_t> values_;
  std::optional<small_forest<S>> forest_;
  sparse_values<T> packed_;  // a byte for each bool
  index_t slices_ = 1;
};

}  // namespace kleene::detail
