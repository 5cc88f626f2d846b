// Which region bought for how much? Orders find their customers (a join of two sorted columns), the rows are sorted by
// region, and amounts are summed by region. On a GPU the same calls take device pointers and the .cuh of each header.
#include "kleene/streaming/join.hpp"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/sort.hpp"

#include <cstdio>
#include <vector>

int main() {
  const std::vector<int> customers{3, 5, 8, 9}, regions{1, 0, 1, 2};                    // a region for each customer
  const std::vector<int> buyers{3, 3, 4, 5, 8, 8, 8}, amounts{20, 5, 70, 12, 1, 2, 4};  // nobody knows customer 4
  const char* const names[]{"north", "south", "west"};

  const kleene::context ctx = kleene::context::cpu();
  auto join = kleene::plan_join(ctx, kleene::join_kind::inner, buyers.begin(), buyers.end(), customers.begin(),
                                customers.end());
  const auto rows = static_cast<std::size_t>(join.rows());
  std::vector<kleene::index_t> order(rows), customer(rows);  // each row: a position in either column
  join.fill(order.begin(), customer.begin());

  std::vector<int> region(rows), amount(rows), bought_in(rows), bought(rows);
  for (std::size_t r = 0; r < rows; ++r) region[r] = regions[customer[r]], amount[r] = amounts[order[r]];
  kleene::merge_sort_by_key(ctx, region.begin(), region.end(), amount.begin());
  const kleene::index_t count =
      kleene::reduce_by_key(ctx, region.begin(), region.end(), amount.begin(), bought_in.begin(), bought.begin());

  std::printf("region  amount\n");
  for (kleene::index_t i = 0; i < count; ++i) std::printf("%-6s  %6d\n", names[bought_in[i]], bought[i]);
  const bool right = count == 2 && bought_in[0] == 0 && bought[0] == 12 && bought_in[1] == 1 && bought[1] == 32;
  return right ? 0 : 1;
}
