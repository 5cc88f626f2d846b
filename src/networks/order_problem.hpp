// What the searches for an order know of a network: sets of indices, with the log2 of how far each goes.
#pragma once

#include "kleene/networks/order.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace kleene::detail {

using index_set = std::vector<int>;                    // rising, each once
using order_pairs = std::vector<std::pair<int, int>>;  // numbered as those of contraction_order

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

// log2 of an extent. An index without elements outweighs all others, and yet sums of it are numbers.
inline double log2_extent(index_t extent) { return extent == 0 ? -4096.0 : std::log2(static_cast<double>(extent)); }

// 2^x; most x are whole numbers.
inline double power_of_two(double x) {
  if (x > -1000 && x < 1000) {
    const auto whole = static_cast<std::int64_t>(x);
    if (static_cast<double>(whole) == x) return std::bit_cast<double>(static_cast<std::uint64_t>(whole + 1023) << 52);
  }
  return std::exp2(x);
}

// Sums of powers of two that are given, and asked for, by their log2.
class log2_sum {
 public:
  void add(double x) {
    if (x <= top_) {
      sum_ += power_of_two(x - top_);
    } else {
      sum_ = sum_ * power_of_two(top_ - x) + 1;
      top_ = x;
    }
  }
  double value() const { return top_ == lowest ? lowest : top_ + std::log2(sum_); }

 private:
  static constexpr double lowest = -std::numeric_limits<double>::infinity();
  double top_ = lowest, sum_ = 0;
};
inline double log2_of_sum(double a, double b) {
  const double top = std::max(a, b);
  return std::isinf(top) ? top : top + std::log2(std::exp2(a - top) + std::exp2(b - top));
}

struct order_problem {
  std::vector<double> log2_extents;  // of each index
  std::vector<char> open;            // whether the result keeps it
  std::vector<index_set> tensors;

  int size() const { return static_cast<int>(tensors.size()); }
  int indices() const { return static_cast<int>(log2_extents.size()); }
  double log2_elements(const index_set& s) const {
    double sum = 0;
    for (const int i : s) sum += log2_extents[at(i)];
    return sum;
  }
};
order_problem problem_of(const network& n);
index_set union_of(const index_set& a, const index_set& b);

// A problem with fewer tensors: those whose indices another tensor has all of are contracted with it, which costs no
// more anywhere else and makes nothing larger.
struct reduced_problem {
  order_problem rest;
  order_pairs pairs;      // of the network's tensors
  std::vector<int> kept;  // which tensor of the network, or result of `pairs`, each tensor of the rest is
};
reduced_problem reduced(const order_problem& p);
// An order for the rest as one of the whole.
order_pairs expanded(const reduced_problem& r, int tensors, const order_pairs& pairs);

// When a search has to end: at a time, or when it is told to.
class search_end {
 public:
  using clock = std::chrono::steady_clock;
  search_end() = default;
  explicit search_end(double seconds) : begin_(clock::now()), seconds_(seconds) {}

  // The part of the time that is over; 0 without an end.
  double part() const {
    return std::isinf(seconds_) ? 0 : std::chrono::duration<double>(clock::now() - begin_).count() / seconds_;
  }
  bool over() const { return stopped_.load(std::memory_order_relaxed) || part() >= 1; }
  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  clock::time_point begin_ = clock::now();
  double seconds_ = std::numeric_limits<double>::infinity();
  std::atomic<bool> stopped_{false};
};

}  // namespace kleene::detail
