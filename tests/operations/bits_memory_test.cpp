// A closure that runs out of memory, at each of its allocations in turn: its matrix is as it was, and the context goes
// on.
#include "operations/bits_graphs.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <new>

namespace kleene::test {
namespace {

constexpr int endless = std::numeric_limits<int>::max();

// Allocations that are still granted, and how many are refused after them.
int granted = endless, to_refuse = 0;

void* allocate(std::size_t bytes, std::align_val_t alignment) {
  if (granted > 0) {
    granted -= granted < endless;
  } else if (to_refuse > 0) {
    --to_refuse;
    return nullptr;
  }
  const auto unit = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}

}  // namespace
}  // namespace kleene::test

// All memory of matrices and contexts comes from the first (aligned_allocate); the others belong to it.
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return kleene::test::allocate(bytes, alignment);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  if (void* p = kleene::test::allocate(bytes, alignment)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace kleene::test {
namespace {

struct outcome {
  bool refused, thrown;
};

// Closes with `count` allocations refused after `before` that are granted.
outcome close_short_of_memory(const context& ctx, bit_matrix& a, const bit_closure_options& options, int before,
                              int count) {
  bool thrown = false;
  granted = before, to_refuse = count;
  try {
    closure(ctx, or_and<bit>{}, a, options);
  } catch (const error& e) {
    thrown = e.code() == fault_code::memory;
  }
  const bool refused = to_refuse < count;
  granted = endless, to_refuse = 0;
  return {refused, thrown};
}

// The last options have blocks within blocks.
TEST(bits, closures_out_of_memory) {
  constexpr index_t n = 1100;
  bit_matrix source(n, n);
  const arc_list arcs = shuffled_arcs(component_graphs().at(4), n, 3);  // without cycles: as many classes
  for (const auto& [from, to] : arcs) source.set(from, to, true);
  const matrix<bit_word> before = placed_bits::words_of(source), want = placed_bits::words_of(reach_by_search(n, arcs));
  for (const bit_closure_options& options :
       {bit_closure_options{}, {.condense = false}, {.condense = true}, {.block = 1024, .condense = true}})
    for (const int count : {1, endless})
      for (int turn = 0;; ++turn) {
        SCOPED_TRACE(testing::Message() << "blocks of " << options.block << ", condense "
                                        << (options.condense ? *options.condense ? "yes" : "no" : "chosen") << ": "
                                        << turn << " allocations granted, then " << count << " refused");
        const context ctx = context::cpu({.threads = 2});
        bit_matrix a = source;
        const outcome got = close_short_of_memory(ctx, a, options, turn, count);
        EXPECT_TRUE(equal(placed_bits::words_of(a), got.thrown ? before : want));
        // Where nobody asked for it, a condensation that does not fit is left out.
        EXPECT_EQ(got.thrown, got.refused && (options.condense || count > 1));
        if (got.thrown) closure(ctx, or_and<bit>{}, a, options);
        EXPECT_TRUE(equal(placed_bits::words_of(a), want));
        if (!got.refused) {
          EXPECT_GE(turn, 3);
          break;
        }
      }
}

}  // namespace
}  // namespace kleene::test
