// A running sum of log_plus in one pass: a reference near the largest term so far, and the sum of exponentials below
// it (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). Plain C++: a CPU test asks it.
//
// The error of a sum of many, in f32: exponentials (2 + |x|) 2^-23 of themselves, and those with x < -17 do not matter:
// 2e-6; a group of at most eight terms 7 x 2^-24; groups are added with their rounding error. The reference rises by
// 16 at a time: what was below it counts for e^-16 of what comes, but for the first times, and so do the errors of
// rises; joins of the sums of 256 threads and of all parts, 2^-22 each of ten. Together below 6e-6. A term a + x has
// rounded to half a unit in its last place, which 2 ulp(C) cover.
#pragma once

#include "kleene/kernels/cuda/tile/exponential.hpp"

namespace kleene::kernels::cuda {

template <class T>
struct log_sum {
  static constexpr T infinite = std::numeric_limits<T>::infinity();
  static constexpr T rise = 16;

  T reference;  // finite, or -infinity: then 0 is meant, and all terms so far were infinite or NaN
  T sum, lost;  // of exponentials; and what rounding took from it (NaN where the sum is infinite)

  KLEENE_FUNCTION static log_sum zero() { return {-infinite, 0, 0}; }
  KLEENE_FUNCTION T base() const { return reference == -infinite ? T(0) : reference; }

  // Before terms of which the largest is `most` are added.
  KLEENE_FUNCTION bool is_near(T most) const { return most <= reference + rise; }
  KLEENE_FUNCTION void rise_to(T most) {
    if (most > reference + rise && most < infinite) lower_to(most);
  }
  KLEENE_FUNCTION void add(T part) {
    const T next = sum + part, back = next - sum;
    lost += (sum - (next - back)) + (part - back);
    sum = next;
  }

  KLEENE_FUNCTION void join(log_sum other) {
    const T most = larger(reference, other.reference);
    lower_to(most), other.lower_to(most);
    sum += other.sum, lost += other.lost;
  }
  // The same sum below a larger reference.
  KLEENE_FUNCTION void lower_to(T most) {
    if (most != reference && sum < infinite) {
      const T factor = exponential(reference - most);
      sum *= factor, lost *= factor;
    }
    reference = most;
  }

  // The logarithm.
  KLEENE_FUNCTION T value() const {
    const T total = lost == lost ? sum + lost : sum;
    return static_cast<T>(base() + std::log(static_cast<double>(total)));
  }

  // One of the two where one is NaN.
  KLEENE_FUNCTION static float larger(float a, float b) { return std::fmax(a, b); }
  KLEENE_FUNCTION static double larger(double a, double b) { return a < b ? b : a; }
};

// sums[r] += terms[r][0], ..., terms[r][N - 1]: one branch for all, which is seldom taken, and then exponentials that
// do not wait for each other. (A branch for each of four rows had A x at 85 % of min_plus's speed in f32, and at half
// of it in f64.)
template <class Sum, class T, int Rows, int N>
KLEENE_FUNCTION void add_groups(Sum (&sums)[Rows], const T (&terms)[Rows][N]) {
  T most[Rows];
  bool near = true;  // false at first, and of infinity and NaN
  for (int r = 0; r < Rows; ++r) {
    most[r] = terms[r][0];  // a NaN may hide it: the sum is NaN then
    for (int n = 1; n < N; ++n) most[r] = log_sum<T>::larger(most[r], terms[r][n]);
    near = near && sums[r].is_near(most[r]);
  }
  if (!near)
    for (int r = 0; r < Rows; ++r) sums[r].rise_to(most[r]);
  for (int r = 0; r < Rows; ++r) {
    const T from = sums[r].base();
    T part = exponential(terms[r][0] - from);
    for (int n = 1; n < N; ++n) part += exponential(terms[r][n] - from);
    sums[r].add(part);
  }
}

}  // namespace kleene::kernels::cuda
