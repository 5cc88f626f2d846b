// `using namespace kleene;` beside libraries whose names begin with cuda:: (libcu++, in every unit of nvcc) or cpu::.
#include "kleene/operations/spmv.hpp"
#include "kleene/streaming/join.hpp"
#include "kleene/streaming/load_balance.hpp"
#include "kleene/streaming/merge.hpp"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/scan.hpp"
#include "kleene/streaming/search.hpp"
#include "kleene/streaming/segments.hpp"
#include "kleene/streaming/sets.hpp"
#include "kleene/streaming/sort.hpp"

#include <gtest/gtest.h>

namespace cuda::std {
inline constexpr int size = 3;
}
namespace cpu {
inline constexpr int size = 5;
}

using namespace kleene;

TEST(names, of_other_libraries_are_theirs) {
  EXPECT_EQ(cuda::std::size, 3);
  EXPECT_EQ(cpu::size, 5);
}
