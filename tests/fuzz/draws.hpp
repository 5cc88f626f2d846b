// Numbers drawn from an input: each takes a byte or two of it, and all are 0 when it is used up, so that any input is a
// problem, and a shorter one a smaller problem.
#pragma once

#include "kleene/data/view.hpp"

#include <cstdint>

namespace kleene::fuzz {

class draws {
 public:
  draws(const unsigned char* data, std::size_t size) : at_(data), end_(data + size) {}

  unsigned byte() { return at_ == end_ ? 0u : *at_++; }
  // In [0, count), count up to 2^16.
  index_t below(index_t count) {
    unsigned value = byte();
    if (count > 256) value = value << 8 | byte();
    return count > 0 ? static_cast<index_t>(value) % count : 0;
  }
  bool flag() { return byte() & 1; }
  std::uint64_t seed() { return std::uint64_t{byte()} << 8 | byte(); }
  template <class T, std::size_t N>
  const T& one_of(const T (&items)[N]) {
    return items[below(static_cast<index_t>(N))];
  }
  // Mostly small, sometimes up to `most`.
  index_t size(index_t most) { return byte() < 200 ? below(20) : below(most + 1); }

 private:
  const unsigned char *at_, *end_;
};

}  // namespace kleene::fuzz
