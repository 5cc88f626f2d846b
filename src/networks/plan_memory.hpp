// Where blocks of memory lie that come and go in an order known beforehand. No memory is allocated.
//
// Blocks of up to 4 KiB are rounded up to powers of two and reused by their size alone; larger ones go to the first gap
// that is wide enough, and gaps that meet are joined.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace kleene::detail {

struct memory_block {
  std::size_t at = 0, bytes = 0;  // in its area
  bool is_small = false;
};

class memory_planner {
 public:
  // error(memory) for more bytes than can be counted.
  memory_block allocate(double bytes);
  void free(const memory_block& block);

  // Once all blocks are known: small ones lie first.
  std::size_t offset_of(const memory_block& block) const { return block.is_small ? block.at : small_end_ + block.at; }
  std::size_t bytes() const { return small_end_ + large_peak_; }

 private:
  struct gap {
    std::size_t at, bytes;
  };
  std::size_t small_end_ = 0, large_end_ = 0, large_peak_ = 0;
  std::array<std::vector<std::size_t>, 13> free_small_;  // of 2^i bytes
  std::vector<gap> gaps_;                                // between large blocks, rising
};

}  // namespace kleene::detail
