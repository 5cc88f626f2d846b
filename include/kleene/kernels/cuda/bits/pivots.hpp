// The host's side of the search for classes of vertices that reach each other: which pivots a round starts from, and
// what its result means. The vertices that a pivot reaches and that reach it are its strongly connected component
// (Fleischer, Hendrickson and Pinar 2000); 31 pivots share a sweep, a bit each. Sweeps may stop early and find only a
// part of a component: that part reaches itself, so it is a class all the same.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/data/splitmix64.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace kleene::kernels::cuda {

class pivot_search {
 public:
  static constexpr int pivots = 31;
  static constexpr std::uint32_t settled = ~0u;  // the mark of a vertex that has a class: sweeps pass it by

  explicit pivot_search(std::span<std::int32_t> class_of)
      : class_of_(class_of),
        vertices_(1, static_cast<index_t>(class_of.size()), uninitialised{}),
        alone_(vertices_.size()) {
    std::fill(class_of.begin(), class_of.end(), -1);
    for (index_t v = 0; v < alone_; ++v) vertices_(0, v) = static_cast<std::int32_t>(v);
  }

  // How many vertices have no class yet (are alone).
  index_t alone() const { return alone_; }

  // The marks that a round begins with: bit p at pivot p, drawn from the vertices without a class.
  void begin(std::span<std::uint32_t> marks) {
    std::fill(marks.begin(), marks.end(), settled);
    const std::span<const std::int32_t> alone = unclassified();
    for (const std::int32_t v : alone) marks[v] = 0;
    for (int p = 0; p < pivots && !alone.empty(); ++p) marks[alone[random_() % alone.size()]] |= 1u << p;
  }

  // Assigns classes from the marks: forward[v] has the pivots that reach v, backward[v] those that v reaches. Returns
  // how many vertices got a class.
  index_t end(const std::uint32_t* forward, const std::uint32_t* backward) {
    const auto class_in_round = [&](std::int32_t v) { return std::countr_zero(forward[v] & backward[v]); };  // 32: none
    index_t size[33] = {};
    const std::span<std::int32_t> alone = unclassified();
    for (const std::int32_t v : alone) ++size[class_in_round(v)];
    std::int32_t number[33];
    for (int p = 0; p < 33; ++p) number[p] = p < 32 && size[p] > 1 ? classes_++ : -1;
    alone_ = std::remove_if(alone.begin(), alone.end(),
                            [&](std::int32_t v) { return (class_of_[v] = number[class_in_round(v)]) >= 0; }) -
             alone.begin();
    index_t found = 0;
    for (int p = 0; p < 32; ++p) found += size[p] > 1 ? size[p] : 0;
    return found;
  }

  // Makes a class of each vertex that has none. Returns the number of classes.
  index_t finish() {
    for (const std::int32_t v : unclassified()) class_of_[v] = classes_++;
    return classes_;
  }

 private:
  std::span<std::int32_t> unclassified() { return {vertices_.data(), static_cast<std::size_t>(alone_)}; }

  std::span<std::int32_t> class_of_;
  matrix<std::int32_t> vertices_;  // those without a class come first
  index_t alone_;
  std::int32_t classes_ = 0;
  splitmix64 random_{0};
};

}  // namespace kleene::kernels::cuda
