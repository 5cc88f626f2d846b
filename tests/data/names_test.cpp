// `using namespace kleene` beside the C library, whose <strings.h> (through <string> already) has a function index.
#include "kleene/operations/gemm.hpp"

#include <gtest/gtest.h>

#include <strings.h>
#include <cstring>
#include <string>

using namespace kleene;

TEST(names, none_is_ambiguous_beside_the_c_library) {
  const index_t rows = 2;
  const matrix<float> a(rows, 3, 1.0f);
  EXPECT_EQ(a.rows(), rows);
  const char* const text = "abc";
  EXPECT_EQ(index(text, 'b'), text + 1);  // is the C library's
}
