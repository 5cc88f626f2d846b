// One thread's merging. A merge takes the smaller of two items and cannot know which without looking: on random keys
// every second branch is guessed wrong, and without branches each step waits for the one before. So small keys are
// merged without branches and in many places at once: eight points of the merge path, one step each by turns.
//
// Measured on a Zen 4 core, 2 x 8 M random keys, ns an item: std::merge 3.4 (i32), 4.8 (f32), 5.0 (f64); without
// branches in one place 2.5, 4.2, 4.2; from both ends at once 1.5, 2.1, 2.1; in four places 1.0, 1.4, 1.4; in eight
// 0.9, 1.0, 1.0.
//
// All of it stays within the pieces, and ends, whatever `less` says. If that is no strict
// weak order (as < of floats is with NaN among them), a lane may end elsewhere than the next one began, so that items
// are lost or written twice. This is noticed, and the whole piece is merged again with one branch an item.
#pragma once

#include "kleene/streaming/base/partition.hpp"
#include "kleene/streaming/cpu/parts.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace kleene::detail {

template <class A, class B>
inline constexpr bool are_pointers_alike =
    std::is_pointer_v<A> && std::is_pointer_v<B> && std::is_same_v<value_of_iterator<A>, value_of_iterator<B>>;

// Keys worth merging without branches: cheap to read twice.
template <class A, class B>
inline constexpr bool is_branch_free = are_pointers_alike<A, B> && std::is_trivially_copyable_v<value_of_iterator<A>> &&
                                       sizeof(value_of_iterator<A>) <= 16;

// The two sides of a merge and where it goes; called with o, moves a[i] or b[j] to out[o]. Both must be there to be
// read; take_a and take_b are for where one side is used up.
template <class A, class B, class Out>
struct move_item {
  A a;
  B b;
  Out out;

  KLEENE_FUNCTION void take_a(index_t o, index_t i) const { out[o] = a[i]; }
  KLEENE_FUNCTION void take_b(index_t o, index_t j) const { out[o] = b[j]; }

  KLEENE_FUNCTION void operator()(index_t o, bool from_b, index_t i, index_t j) const {
    if constexpr (!are_pointers_alike<A, B>) {
      if (from_b) out[o] = b[j];
      else out[o] = a[i];
    } else if constexpr (std::is_integral_v<value_of_iterator<A>>) {  // a conditional move of the values
      const auto x = a[i], y = b[j];
      out[o] = from_b ? y : x;
    } else {  // of their addresses
      const value_of_iterator<A>* const from = from_b ? b + j : a + i;
      out[o] = *from;
    }
  }

  // The same with the choice in arithmetic: compilers make a branch where two choices hang on one comparison.
  KLEENE_FUNCTION void without_branch(index_t o, bool from_b, index_t i, index_t j) const {
    if constexpr (are_pointers_alike<A, B>) {
      using T = const value_of_iterator<A>;
      const auto in_a = reinterpret_cast<std::uintptr_t>(a + i), in_b = reinterpret_cast<std::uintptr_t>(b + j);
      out[o] = *reinterpret_cast<T*>(in_a ^ ((in_a ^ in_b) & (std::uintptr_t{0} - from_b)));
    } else {
      (*this)(o, from_b, i, j);
    }
  }
};

template <class A, class B, class Out>
move_item(A, B, Out) -> move_item<A, B, Out>;

// Keys that carry values along.
template <class Keys, class Values>
struct move_pair : Keys {
  Values values;

  KLEENE_FUNCTION void take_a(index_t o, index_t i) const {
    Keys::take_a(o, i);
    values.take_a(o, i);
  }
  KLEENE_FUNCTION void take_b(index_t o, index_t j) const {
    Keys::take_b(o, j);
    values.take_b(o, j);
  }
  KLEENE_FUNCTION void operator()(index_t o, bool from_b, index_t i, index_t j) const {
    without_branch(o, from_b, i, j);
  }
  KLEENE_FUNCTION void without_branch(index_t o, bool from_b, index_t i, index_t j) const {
    Keys::without_branch(o, from_b, i, j);
    values.without_branch(o, from_b, i, j);
  }
};
template <class Keys, class Values>
move_pair(Keys, Values) -> move_pair<Keys, Values>;

// Merges what lies between two points of the merge path with one branch an item.
template <class Less, class Move>
void merge_plainly(path_point at, path_point end, Less less, Move move) {
  index_t i = at.a, j = at.b;
  while (i < end.a && j < end.b) {
    if (less(move.b[j], move.a[i])) move.take_b(i + j, j), ++j;
    else move.take_a(i + j, i), ++i;
  }
  for (; i < end.a; ++i) move.take_a(i + j, i);
  for (; j < end.b; ++j) move.take_b(i + j, j);
}

// `steps` items from the front and as many from the back. Neither side can run out before: either 2 steps <= the
// shorter side, or both sides have `steps` items.
template <class Less, class Move>
void merge_both_ends(path_point& at, path_point& end, index_t steps, Less less, Move move) {
  index_t i = at.a, j = at.b, i_back = end.a - 1, j_back = end.b - 1;
  for (index_t k = 0; k < steps; ++k) {
    const bool front_b = less(move.b[j], move.a[i]);
    move.without_branch(i + j, front_b, i, j);
    i += !front_b;
    j += front_b;
    const bool back_b = !less(move.b[j_back], move.a[i_back]);
    move.without_branch(i_back + j_back + 1, back_b, i_back, j_back);
    i_back -= !back_b;
    j_back -= back_b;
  }
  at = {i, j};
  end = {i_back + 1, j_back + 1};
}

inline constexpr int merge_lanes = 8;
using merge_lane_numbers = std::index_sequence<0, 1, 2, 3, 4, 5, 6, 7>;

// The next Length items in each of eight neighbouring lanes. The lanes need no ends: what follows a lane on either side
// belongs to the next one and comes after it. Both sides hold eight lanes' items. (Lanes' distances are constants, so
// that one counter a lane is all there is to keep.) Returns whether each lane ended where the next began: if not, the
// output is no merge.
template <index_t Length, class Less, class Move, std::size_t... Lane>
bool merge_in_lanes(path_point& at, Less less, Move move, std::index_sequence<Lane...>) {
  static_assert(sizeof...(Lane) == merge_lanes);
  index_t i[merge_lanes] = {at.a}, begin[merge_lanes] = {at.a};
  for (int l = 1; l < merge_lanes; ++l)
    i[l] = begin[l] = at.a + merge_path(move.a + at.a, l * Length, move.b + at.b, l * Length, l * Length, less);
  const index_t start = at.a + at.b;
  const auto step = [&](index_t& i_lane, index_t o) __attribute__((always_inline)) {
    const index_t j_lane = o - i_lane;
    const bool from_b = less(move.b[j_lane], move.a[i_lane]);
    move(o, from_b, i_lane, j_lane);
    i_lane += !from_b;
  };
  for (index_t o = start; o < start + Length; ++o) (step(i[Lane], o + static_cast<index_t>(Lane) * Length), ...);
  const index_t last = i[merge_lanes - 1];
  at = {last, start + merge_lanes * Length - last};
  return std::equal(begin + 1, begin + merge_lanes, i);
}

// Merges what lies between two points of the merge path to the output's places [at.a + at.b, end.a + end.b).
template <class Less, class Move>
void merge_piece(path_point at, path_point end, Less less, Move move) {
  if constexpr (is_branch_free<decltype(move.a), decltype(move.b)>) {
    const path_point first = at, last = end;
    bool have_met = true;
    const auto shorter = [&] { return std::min(end.a - at.a, end.b - at.b); };
    constexpr index_t length = 4000, short_length = 250;  // no powers of two, which caches would mind
    while (shorter() >= merge_lanes * length) have_met &= merge_in_lanes<length>(at, less, move, merge_lane_numbers());
    while (shorter() >= merge_lanes * short_length)
      have_met &= merge_in_lanes<short_length>(at, less, move, merge_lane_numbers());
    if (end.a - at.a == end.b - at.b) merge_both_ends(at, end, end.a - at.a, less, move);
    for (index_t steps; (steps = shorter() / 2) >= 8;) merge_both_ends(at, end, steps, less, move);
    if (!have_met || end.a < at.a || end.b < at.b) at = first, end = last;
  }
  merge_plainly(at, end, less, move);
}

}  // namespace kleene::detail
