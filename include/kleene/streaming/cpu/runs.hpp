// Runs: stretches of neighbouring items, each begun by an item for which starts(i) holds (item 0 begins one whatever it
// says). The common ground of reductions and scans by key and by flags.
//
// A part of the sequence may begin and end in the middle of a run. So each part keeps apart what it has of a run begun
// before (its lead) and of the run still open at its end (its tail); one thread joins those afterwards.
#pragma once

#include "kleene/streaming/cpu/parts.hpp"

namespace kleene::detail {

// What a part of a sequence hands on to the next.
template <class T>
struct run_piece {
  bool has_lead = false;   // items before the first start
  bool has_start = false;  // an item that begins a run
  T lead;
  T tail;  // from the last start to the end
};

// Calls head(run, i) for the item i that begins each run, sum(run, value) with the run's items left to right; returns
// the number of runs. starts(i) is asked for i > 0 only.
template <class T, class Starts, class Values, class Op, class Head, class Sum>
index_t reduce_runs(const context& ctx, index_t n, const Starts& starts, Values values, const Op& op, const Head& head,
                    const Sum& sum) {
  if (n == 0) return 0;
  const int parts = parts_for(ctx, n);
  const scratch<index_t> before(ctx, parts + 1);  // runs begun before a part
  for_each_part(parts, [&](int p) {
    index_t begun = p == 0;
    for (index_t i = std::max<index_t>(part_begin(n, parts, p), 1); i < part_begin(n, parts, p + 1); ++i)
      begun += static_cast<bool>(starts(i));
    before[p] = begun;
  });
  const index_t runs = before[parts] = exclusive_sums(before.data(), parts);

  const scratch<run_piece<T>> pieces(ctx, parts);
  for_each_part(parts, [&](int p) {
    run_piece<T>& piece = pieces[p];
    index_t i = part_begin(n, parts, p), run = before[p];
    const index_t end = part_begin(n, parts, p + 1);
    const auto add_up = [&] {  // items i, i + 1, ... until one begins a run
      T total = static_cast<T>(values[i]);
      for (++i; i < end && !starts(i); ++i) total = op(total, static_cast<T>(values[i]));
      return total;
    };
    piece.has_start = before[p + 1] > run;
    piece.has_lead = i > 0 && !starts(i);
    if (piece.has_lead) piece.lead = add_up();
    const index_t runs_end =
        before[p + 1];  // an equality that changes its mind must not lead into the next part's runs
    while (i < end) {
      if (run < runs_end) head(run, i);
      piece.tail = add_up();
      if (i < end && run + 1 < runs_end) sum(run, piece.tail);
      ++run;
    }
  });

  T open = pieces[0].tail;
  for (int p = 1; p < parts; ++p) {
    if (pieces[p].has_lead) open = op(open, pieces[p].lead);
    if (!pieces[p].has_start) continue;
    sum(before[p] - 1, open);
    open = pieces[p].tail;
  }
  sum(runs - 1, open);
  return runs;
}

// write(i, open, before, sum) for each item: `sum` of its run's items up to it, left to right, and the sum `before` it
// where its run is open, that is where it is not the first. In place allowed: values[i] is read before write(i).
template <class T, class Starts, class Values, class Op, class Write>
void scan_runs(const context& ctx, index_t n, const Starts& starts, Values values, const Op& op, const Write& write) {
  if (n == 0) return;
  const int parts = parts_for(ctx, n);
  const scratch<run_piece<T>> pieces(ctx, parts);
  // What each part leaves open: the items from its last start on, or all of them.
  for_each_part(parts, [&](int p) {
    if (p == parts - 1) return;
    const index_t begin = part_begin(n, parts, p), end = part_begin(n, parts, p + 1);
    index_t i = end - 1;
    while (i > begin && !starts(i)) --i;
    pieces[p].has_start = i == 0 || starts(i);
    T tail = static_cast<T>(values[i]);
    for (++i; i < end; ++i) tail = op(tail, static_cast<T>(values[i]));
    pieces[p].tail = tail;
  });
  for (int p = 1; p < parts - 1; ++p)
    if (!pieces[p].has_start) pieces[p].tail = op(pieces[p - 1].tail, pieces[p].tail);

  for_each_part(parts, [&](int p) {
    const index_t begin = part_begin(n, parts, p), end = part_begin(n, parts, p + 1);
    bool open = false;
    T sum = p > 0 ? pieces[p - 1].tail : static_cast<T>(values[begin]);
    for (index_t i = begin; i < end; ++i) {
      const T before = sum, value = static_cast<T>(values[i]);
      if (i > 0) open = !starts(i);
      sum = open ? op(before, value) : value;
      write(i, open, before, sum);
    }
  });
}

}  // namespace kleene::detail
