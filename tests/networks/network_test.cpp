// What require_network lets through, and what it refuses with which words.
#include "kleene/networks/network.hpp"

#include "support/equal.hpp"

namespace kleene::test::network_test {
namespace {

std::string refused(const network& n) {
  return refusal<argument_error>(fault_code::bad_input, [&] { require_network(n); });
}

TEST(network_contract, what_may_be) {
  EXPECT_NO_THROW(require_network({}));
  EXPECT_NO_THROW(require_network({{}, {{}, {}}, {}})) << "scalars";
  EXPECT_NO_THROW(require_network({{2, 3, 0, 1}, {{0, 1}, {1, 1, 0}, {1}, {2, 3}}, {3, 1}}))
      << "a hyperedge, a diagonal";
  EXPECT_NO_THROW(require_network({{2, 5}, {{0}}, {}})) << "an index that no tensor has";
  EXPECT_NO_THROW(require_network({{2}, {std::vector<int>(64, 0)}, {}}));
}

TEST(network_contract, what_is_refused) {
  EXPECT_EQ(refused({{2}, {{0}, {0, 1}}, {}}), "network: tensor 1 has index 1, which there is not; there are 1");
  EXPECT_EQ(refused({{2}, {{-1}}, {}}), "network: tensor 0 has index -1, which there is not; there are 1");
  EXPECT_EQ(refused({{2}, {{0}}, {1}}), "network: the result has index 1, which there is not; there are 1");
  EXPECT_EQ(refused({{2, -3}, {{0}}, {}}), "network: index 1 has the extent -3");
  EXPECT_EQ(refused({{2, 2}, {{0, 1}}, {1, 1}}), "network: index 1 is in the result twice");
  EXPECT_EQ(refused({{2, 2}, {{0}}, {1}}), "network: index 1 of the result is in no tensor");
  EXPECT_EQ(refused({{2}, {{}, std::vector<int>(65, 0)}, {}}), "network: tensor 1 has 65 axes; at most 64 can be");
}

}  // namespace
}  // namespace kleene::test::network_test
