#include "operations/spmv_checks.hpp"

namespace kleene {

TEST(spmv, by_hand) {
  for_each_host([](auto& place) { check_spmv_by_hand(place); });
}
TEST(spmv, all_segmentations) {
  for_each_host([](auto& place) {
    check_spmv_over<plus_times<double>>(place);
    check_spmv_over<min_plus<float>>(place);
  });
}

TEST(spmv, integers) {
  for_each_host([](auto& place) { check_spmv_over<plus_times<std::int32_t>>(place); });
}
TEST(spmv, a_ring_of_ones_own) {
  for_each_host([](auto& place) { check_spmv_over<shortest_counted, std::int64_t, std::uint8_t>(place); });
}
TEST(spmv, without_entries) {
  for_each_host([](auto& place) { check_spmv_without_entries(place); });
}

TEST(spmv, more_entries_than_32_bits_count) {
  host_place place{context::cpu()};
  check_large_spmv(place);
}

TEST(spmv, of_a_csr_matrix) {
  coo<float> list;
  list.rows = list.cols = 2;
  list.add(0, 1, 2.0f);
  list.add(1, 0, 3.0f);
  const csr<float> a = make_csr(list, [](float x, float) { return x; });
  const std::vector<float> x{10, 20};
  std::vector<float> y(2);
  spmv(context::cpu(), plus_times<float>{}, arrays_of(a.view()), x.begin(), y.begin());
  EXPECT_EQ(y, (std::vector<float>{40, 30}));
}

}  // namespace kleene
