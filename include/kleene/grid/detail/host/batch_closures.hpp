// Closures of a batch by all workers of a grid.
#pragma once

#include "kleene/grid/detail/host/batch_shares.hpp"
#include "kleene/grid/detail/host/device_lanes.hpp"
#include "kleene/operations/own/closure.inl.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kleene::detail {

inline constexpr index_t lane_bytes = 8 << 20;  // of a part in flight
// Problems of a part, of which each has so many elements.
template <class T>
index_t problems_a_part(index_t elements) {
  return std::max<index_t>(1, lane_bytes / std::max<index_t>(1, elements * index_t{sizeof(T)}));
}

// A diagonal block of each matrix, of the sizes that matrices have: what check_values looks at.
template <class S>
void check_problems(const batch_view<value_of<S>>& a, std::span<const std::int32_t> sizes, index_t first) {
  for (index_t b = 0; b < a.extent(0); ++b) {
    const index_t size = sizes.empty() ? a.rows() : index_t{sizes[b]};
    check_values<S>(a[b].block(0, 0, size, size), "A(" + std::to_string(first + b) + ", ");
  }
}

template <class S>
class batch_closure {
 public:
  using T = value_of<S>;

  // Worker 0's arguments; those of others are not looked at.
  batch_closure(worker& w, const batch_view<T>& a, const batch_view<std::int32_t>& p,
                const closure_batch_options& options)
      : worker_(w), sizes_(options.sizes.begin(), options.sizes.end()) {
    w.together([&] {
      if (w.rank() != 0) return;
      const closure_batch_info checked = begin_closure_batch(facts_of(a), facts_of(p), options);
      problem_ = {a.extent(0),  a.rows(),        options.block,       checked.operations,
                  !p.is_null(), !sizes_.empty(), options.check_domain};
    });
    w.comm().broadcast(scope::all, 0, &problem_, sizeof problem_);
    if (problem_.has_sizes) {
      sizes_.resize(static_cast<std::size_t>(problem_.count));
      w.comm().broadcast(scope::all, 0, sizes_.data(), sizes_.size() * sizeof(std::int32_t));
    }
    values_.emplace(w, a, problem_.count, true);
    from_.emplace(w, p, problem_.count, problem_.has_sizes);  // what lies beyond the sizes is left alone
  }

  closure_batch_info run() {
    const auto start = std::chrono::steady_clock::now();
    closure_batch_info info;
    const problem_range range = range_of(worker_, problem_.count);
    worker_.together([&] {
      info.diverging.assign(static_cast<std::size_t>(problem_.count), -1);
      if (range.count > 0 && problem_.n > 0) close_share(range, info.diverging.data() + range.first);
    });
    values_->give_back();
    from_->give_back();
    for (int rank = 0; rank < worker_.size(); ++rank) {
      const problem_range theirs = range_of(rank, worker_.size(), problem_.count);
      worker_.comm().broadcast(scope::all, rank, info.diverging.data() + theirs.first,
                               static_cast<std::size_t>(theirs.count) * sizeof(std::int32_t));
    }
    info.exists = std::ranges::all_of(info.diverging, [](std::int32_t v) { return v < 0; });
    if (info.exists) info.diverging.clear();
    info.operations = problem_.operations;
    info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return info;
  }

 private:
  struct problem {
    index_t count = 0, n = 0, block = 0;
    double operations = 0;
    bool with_predecessors = false, has_sizes = false, check_domain = true;
  };

  std::span<const std::int32_t> sizes_of(const problem_range& range) const {
    if (!problem_.has_sizes) return {};
    return std::span(sizes_).subspan(static_cast<std::size_t>(range.first), static_cast<std::size_t>(range.count));
  }

  void close_share(const problem_range& range, std::int32_t* diverging) {
    const batch_view<T> a = values_->part();
    const batch_view<std::int32_t> p = from_->part();
    if (worker_.context().kind() == device_kind::cuda) return close_by_lanes(range, a, p, diverging);
    if (problem_.check_domain) check_problems<S>(a, sizes_of(range), range.first);
    const auto done = run_closure_batch<S>(worker_.context(), a, p, {sizes_of(range), problem_.block, false});
    std::ranges::copy(done.diverging, diverging);
  }

  void close_by_lanes(const problem_range& range, const batch_view<T>& a, const batch_view<std::int32_t>& p,
                      std::int32_t* diverging) {
    const index_t each = problems_a_part<T>(problem_.n * problem_.n);
    on_lanes(worker_, ceil_div(range.count, each), [&](device_lane& lane, index_t part) {
      const problem_range here{part * each, std::min(each, range.count - part * each)};
      const batch_view<T> values = part_of(a, here);
      const lane_batch<T> there(lane, values.extents());
      there.send(lane, values);
      const problem_range global{range.first + here.first, here.count};
      const closure_batch_options options{sizes_of(global), problem_.block, problem_.check_domain};
      if constexpr (is_selective<S> && has_unit_star<S>)
        if (!p.is_null()) {
          const lane_batch<std::int32_t> before(lane, values.extents());
          // Matrices have less than their share where sizes say so: the rest of P is left alone, too.
          if (problem_.has_sizes) before.send(lane, part_of(p, here));
          note(diverging + here.first, values, global,
               [&] { return closure(lane.ctx(), S{}, there.there(), before.there(), options); });
          before.fetch(lane, part_of(p, here));
          return there.fetch(lane, values);
        }
      note(diverging + here.first, values, global, [&] { return closure(lane.ctx(), S{}, there.there(), options); });
      there.fetch(lane, values);
    });
  }

  // A value that is refused is named by its place in the whole batch: the host's elements are as they were.
  template <class Close>
  void note(std::int32_t* diverging, const batch_view<T>& values, const problem_range& global, const Close& close) {
    try {
      const closure_batch_info done = close();
      std::ranges::copy(done.diverging, diverging);
    } catch (const value_error&) {
      if (problem_.check_domain) check_problems<S>(values, sizes_of(global), global.first);
      throw;
    }
  }

  worker& worker_;
  problem problem_;
  std::vector<std::int32_t> sizes_;
  std::optional<shared_batch<T>> values_;
  std::optional<shared_batch<std::int32_t>> from_;
};

}  // namespace kleene::detail
