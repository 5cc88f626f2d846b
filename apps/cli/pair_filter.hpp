// Which pairs of an answer are asked for: those that lead to some vertices, and those within a distance.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "session.hpp"

#include <charconv>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kleene::cli {

template <class S>
class pair_filter {
  using T = value_of<S>;
  // Floats of 32 bits are compared with the limit as such: 0.3 is within 0.3.
  using compared = std::conditional_t<std::is_same_v<T, float>, float, double>;

 public:
  // targets: empty for all. within: a number written out, empty for any distance.
  pair_filter(std::vector<std::int32_t> targets, const std::string& within, index_t vertices)
      : targets_(std::move(targets)), limited_(!within.empty()) {
    double limit = 0;
    if (limited_) std::from_chars(within.data(), within.data() + within.size(), limit);
    limit_ = static_cast<compared>(limit);
    is_target_.assign(targets_.empty() ? 0 : static_cast<std::size_t>(vertices), false);
    for (const std::int32_t v : targets_) is_target_[v] = true;
  }

  bool takes_all() const { return targets_.empty() && !limited_; }
  // The vertex of each column; null: all.
  const std::vector<std::int32_t>* targets() const { return targets_.empty() ? nullptr : &targets_; }
  bool takes(index_t to, T distance) const { return (targets_.empty() || is_target_[to]) && is_near(distance); }

  // How many pairs of two vertices are left.
  index_t count(const apsp_result<S>& result) const {
    index_t pairs = 0;
    for (index_t i = 0; i < result.distances.rows(); ++i)
      for (index_t j = 0; j < result.distances.cols(); ++j) {
        const T distance = result.distances(i, j);
        pairs += result.sources[i] != j && !(distance == S::zero()) && takes(j, distance);
      }
    return pairs;
  }

  // The columns of the targets, with what is farther as no path.
  matrix<T> apply(const matrix_view<T>& distances) const {
    const index_t cols = targets_.empty() ? distances.cols() : static_cast<index_t>(targets_.size());
    require_memory(static_cast<double>(distances.rows()) * static_cast<double>(cols) * sizeof(T),
                   "the distances that are asked for, beside all");
    matrix<T> left(distances.rows(), cols, uninitialised{});
    for (index_t i = 0; i < left.rows(); ++i)
      for (index_t j = 0; j < cols; ++j) {
        const T distance = distances(i, targets_.empty() ? j : index_t{targets_[j]});
        left(i, j) = is_near(distance) ? distance : S::zero();
      }
    return left;
  }

 private:
  bool is_near(T distance) const {
    if (!limited_) return true;
    const bool smaller_is_nearer = S::add(widen<S>(T(1)), widen<S>(T(2))) == widen<S>(T(1));
    const auto d = static_cast<compared>(distance);
    return smaller_is_nearer ? d <= limit_ : d >= limit_;
  }

  std::vector<std::int32_t> targets_;
  std::vector<bool> is_target_;
  bool limited_;
  compared limit_ = 0;
};

}  // namespace kleene::cli
