// The names that a context keeps of its calls.
#include "kleene/data/detail/recent_calls.hpp"
#include "kleene/data/context.hpp"

#include <gtest/gtest.h>

namespace kleene::test::recent_calls_test {
namespace {

using detail::call_name;
using detail::recent_calls;

void add(recent_calls& calls, const call_name& name) {
  calls.begin(name);
  calls.end();
}

TEST(recent_calls, a_name_has_the_words_and_extents_that_it_was_given) {
  EXPECT_EQ(to_text(call_name{"merge"}), "merge");
  EXPECT_EQ(to_text(call_name{"gemm", "min_plus", "f32", {2048, 1024, 7}}), "gemm min_plus f32 2048x1024x7");
  EXPECT_EQ(to_text(call_name{"closure", "or_and", "", {0, 0, -1}, 5}), "closure or_and 0x0, batch of 5");
}

TEST(recent_calls, are_named_in_order_and_neighbours_alike_once) {
  recent_calls calls;
  EXPECT_EQ(calls.text(), "");
  add(calls, {"merge"});
  for (int i = 0; i < 3; ++i) add(calls, {"gemm", "min_plus", "f32", {64, 64, 64}});
  add(calls, {"gemm", "min_plus", "f32", {64, 64, 65}});
  add(calls, {"merge"});
  EXPECT_EQ(calls.text(), "merge, gemm min_plus f32 64x64x64 (3 times), gemm min_plus f32 64x64x65, merge");
}

TEST(recent_calls, of_those_without_room_the_number_is_known) {
  recent_calls calls;
  add(calls, {"sort"});
  add(calls, {"scan"});
  for (int i = 0; i < recent_calls::kept; ++i) add(calls, {"merge"});
  EXPECT_EQ(calls.text(), "2 earlier ones, merge (8 times)");
  calls.settle();
  add(calls, {"scan"});
  EXPECT_EQ(calls.text(), "scan");
}

TEST(recent_calls, what_a_call_calls_in_its_turn_is_not_noted) {
  recent_calls calls;
  calls.begin({"closure"});
  EXPECT_TRUE(calls.in_call());
  calls.begin({"gemm"});
  calls.end();
  EXPECT_TRUE(calls.in_call());
  calls.end();
  EXPECT_FALSE(calls.in_call());
  EXPECT_EQ(calls.text(), "closure");
}

TEST(recent_calls, a_call_that_waits_on_its_way_may_still_go_wrong) {
  recent_calls calls;
  add(calls, {"merge"});
  calls.begin({"closure"});
  calls.settle();
  EXPECT_EQ(calls.text(), "closure");
  calls.end();
  add(calls, {"scan"});
  EXPECT_EQ(calls.text(), "closure, scan");
  calls.settle();
  EXPECT_EQ(calls.text(), "");
}

TEST(recent_calls, errors_name_those_of_the_context_at_work) {
  set_sync(false);
  recent_calls outer, inner;
  add(outer, {"merge"});
  EXPECT_EQ(detail::suspected_calls(), "");
  {
    const detail::naming_calls naming(outer);
    EXPECT_EQ(detail::suspected_calls(),
              "; of this context's calls it may be merge (with KLEENE_SYNC=1 each waits, and throws itself)");
    {
      const detail::naming_calls other(inner);
      EXPECT_EQ(detail::suspected_calls(), "");
    }
    EXPECT_NE(detail::suspected_calls(), "");
  }
  EXPECT_EQ(detail::suspected_calls(), "");
}

}  // namespace
}  // namespace kleene::test::recent_calls_test
