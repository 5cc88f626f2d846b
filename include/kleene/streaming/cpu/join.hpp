// Joins on the CPU: a sorted search counts the rows of each item of a, a scan says where they begin, and a
// load-balancing search divides the rows, not the items, among the threads.
#pragma once

#include "kleene/streaming/base/join_kind.hpp"
#include "kleene/streaming/cpu/load_balance.hpp"
#include "kleene/streaming/cpu/scan.hpp"
#include "kleene/streaming/cpu/search.hpp"

namespace kleene {

namespace detail {

// How many rows item i of a makes.
inline index_t join_rows(join_kind kind, index_t matches) {
  switch (kind) {
    case join_kind::left:
    case join_kind::full:
      return std::max<index_t>(matches, 1);
    case join_kind::semi:
      return matches > 0;
    case join_kind::anti:
      return matches == 0;
    default:
      return matches;
  }
}

inline bool keeps_right(join_kind kind) { return kind == join_kind::right || kind == join_kind::full; }
inline bool writes_right(join_kind kind) { return kind != join_kind::semi && kind != join_kind::anti; }

}  // namespace detail

namespace detail::cpu {

class join_plan {
 public:
  template <class A, class B, class Less>
  join_plan(const context& ctx, join_kind kind, A a, index_t a_count, B b, index_t b_count, const Less& less)
      : ctx_(&ctx),
        kind_(kind),
        a_count_(a_count),
        lower_(ctx, a_count),
        upper_(ctx, a_count),
        begin_(ctx, a_count),
        unmatched_(ctx, detail::keeps_right(kind) ? b_count : 0) {
    if (kind < join_kind::inner || kind > join_kind::anti)
      throw argument_error("join: there is no kind " + std::to_string(static_cast<int>(kind)), fault_code::usage);
    if (detail::keeps_right(kind)) {
      const detail::scratch<bool> found(ctx, b_count);
      using outputs = search_outputs<index_t*, index_t*, no_output, no_output, no_output, bool*>;
      searches::sorted_search(ctx, a, a + a_count, b, b + b_count,
                              outputs{.a_lower = lower_.data(), .a_upper = upper_.data(), .b_found = found.data()},
                              less);
      list_unmatched(found.data(), b_count);
    } else {
      using outputs = search_outputs<index_t*, index_t*>;
      searches::sorted_search(ctx, a, a + a_count, b, b + b_count,
                              outputs{.a_lower = lower_.data(), .a_upper = upper_.data()}, less);
    }
    count_rows();
  }

  index_t rows() const { return pairs_ + unmatched_count_; }

  template <class Left, class Right>
  void fill(Left left, Right right) const {
    fill(left, right, rows());
  }

  // The first `limit` rows.
  template <class Left, class Right>
  void fill(Left left, Right right, index_t limit) const {
    const index_t pairs = std::min(detail::require_count("rows of output", limit), pairs_);
    const bool both = detail::writes_right(kind_);
    detail::for_each_trusted_stretch(*ctx_, pairs, begin_.data(), a_count_,
                                     [&](index_t row, index_t end, index_t i, index_t rank) {
                                       for (; row < end; ++row, ++rank) {
                                         left[row] = i;
                                         if (both) right[row] = lower_[i] == upper_[i] ? -1 : lower_[i] + rank;
                                       }
                                     });
    const index_t rest = std::min(limit, rows()) - pairs;
    detail::for_each_range(*ctx_, rest, [&](index_t first, index_t last) {
      for (index_t r = first; r < last; ++r) {
        left[pairs + r] = -1;
        right[pairs + r] = unmatched_[r];
      }
    });
  }

 private:
  // begin_[i] = where the rows of item i begin.
  void count_rows() {
    detail::for_each_range(*ctx_, a_count_, [&](index_t first, index_t last) {
      for (index_t i = first; i < last; ++i) begin_[i] = detail::join_rows(kind_, upper_[i] - lower_[i]);
    });
    if (a_count_ == 0) return;
    const index_t last = begin_[a_count_ - 1];
    scans::exclusive_scan(*ctx_, begin_.data(), begin_.data() + a_count_, begin_.data(), index_t{0}, ops::plus{});
    pairs_ = begin_[a_count_ - 1] + last;
  }

  void list_unmatched(const bool* found, index_t b_count) {
    const int parts = detail::parts_for(*ctx_, b_count);
    const detail::scratch<index_t> before(*ctx_, parts);
    const auto range = [&](int p) {
      return std::pair(detail::part_begin(b_count, parts, p), detail::part_begin(b_count, parts, p + 1));
    };
    detail::for_each_part(parts, [&](int p) {
      const auto [first, last] = range(p);
      before[p] = std::count(found + first, found + last, false);
    });
    unmatched_count_ = detail::exclusive_sums(before.data(), parts);
    detail::for_each_part(parts, [&](int p) {
      const auto [first, last] = range(p);
      index_t* next = unmatched_.data() + before[p];
      for (index_t j = first; j < last; ++j)
        if (!found[j]) *next++ = j;
    });
  }

  const context* ctx_;
  join_kind kind_;
  index_t a_count_;
  index_t pairs_ = 0;                       // rows with a left side
  index_t unmatched_count_ = 0;             // rows without
  detail::scratch<index_t> lower_, upper_;  // of the matches of each item of a
  detail::scratch<index_t> begin_;          // of its rows
  detail::scratch<index_t> unmatched_;      // positions in b
};

struct joins {
  static constexpr const char* header = "streaming/cuda/join";

  template <class A, class B, class Less>
  static join_plan plan_join(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, const Less& less) {
    const index_t a_count = detail::length_of(a, a_last), b_count = detail::length_of(b, b_last);
    return join_plan(ctx, kind, detail::unwrap(a), a_count, detail::unwrap(b), b_count, less);
  }

  template <class A, class B, class Left, class Right, class Less>
  static index_t join(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Left left, Right right,
                      index_t capacity, const Less& less) {
    detail::require_count("rows of output", capacity);
    const join_plan plan = plan_join(ctx, kind, a, a_last, b, b_last, less);
    plan.fill(left, right, capacity);
    return plan.rows();
  }

  template <class A, class B, class Left, class Right, class Count, class Less>
  static void join_to(const context& ctx, join_kind kind, A a, A a_last, B b, B b_last, Left left, Right right,
                      index_t capacity, Count count, const Less& less) {
    *count = join(ctx, kind, a, a_last, b, b_last, left, right, capacity, less);
  }
};

}  // namespace detail::cpu
}  // namespace kleene
