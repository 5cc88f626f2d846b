// Semirings of your own on a GPU: the trust of user_semiring.cpp as it stands there, an algebra whose values are pairs,
// and a product with a tile policy of your own.
#include "kleene/operations/own/gemm.inl.cuh"

#include <algorithm>
#include <cstdio>
#include <utility>

// Scalar code, no word about CUDA: nvcc's --expt-relaxed-constexpr lets kernels call constexpr functions.
struct trust {
  using value_type = float;
  static constexpr const char* name = "trust";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return 0; }  // a stranger
  static constexpr float one() { return 1; }   // oneself
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) {  // a + b - 1, at least 0; exact where one of them is 1
    const float sum = (a < b ? a : b) + ((a < b ? b : a) - 1);
    return sum < 0 ? 0 : sum;
  }
  static constexpr bool in_domain(float a) { return 0 <= a && a <= 1; }
};

// The length of the shortest routes and how many there are. Of two ways the shorter counts, and both where they are
// equal; one way after another: lengths add up, and every first part goes with every second.
struct route {
  float length;
  int count;
  constexpr bool operator==(const route&) const = default;
};
struct shortest_routes {
  using value_type = route;
  static constexpr const char* name = "shortest_routes";
  static constexpr bool is_commutative = true;
  static constexpr route zero() { return {std::numeric_limits<float>::infinity(), 0}; }
  static constexpr route one() { return {0, 1}; }
  static constexpr route add(route a, route b) {
    return a.length < b.length ? a : b.length < a.length ? b : route{a.length, a.count + b.count};
  }
  static constexpr route mul(route a, route b) { return {a.length + b.length, a.count * b.count}; }
};

// Any policy gives the same result; this one has small tiles, copied by all threads.
struct small_tiles {
  // clang-format off
  static constexpr kleene::kernels::cuda::simt_policy value{
      .copy = kleene::kernels::cuda::copies::async,
      .bm = 64, .bn = 64, .bk = 16, .tm = 4, .tn = 8, .lanes_m = 4, .stages = 3, .blocks = 2, .unroll = 8, .group = 4};
  // clang-format on
};

bool friends(const kleene::context& ctx) {
  // Ada trusts Ben, Ben trusts Cleo, Cleo trusts Dan; Ada trusts Dan only a little.
  const kleene::matrix<float> known{{0, 0.875, 0, 0.25}, {0, 0, 0.875, 0}, {0, 0, 0, 0.75}, {0, 0, 0, 0}};
  const auto there = to_device(ctx, known);
  kleene::device_matrix<float> product(ctx, 4, 4);
  kleene::gemm(ctx, trust{}, there, there, product);
  const kleene::matrix<float> two_steps = to_host(ctx, product);  // waits
  std::printf("Ada may trust Cleo, whom she knows through Ben, with %.3f\n", two_steps(0, 2));
  return two_steps(0, 2) == 0.75f && two_steps(0, 3) == 0;
}

// A town of 5 x 5 crossings whose streets lead east and south, each a minute long; only the first one east takes two.
// All C(8, 4) = 70 routes across town have 8 streets, so the eighth power holds them; the C(7, 3) = 35 that begin
// southwards are the shortest.
bool town(const kleene::context& ctx) {
  constexpr int side = 5, corners = side * side;
  kleene::matrix<route> streets(corners, corners, shortest_routes::zero());
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y) {
      const int here = x * side + y;
      if (x + 1 < side) streets(here, here + side) = {1, 1};
      if (y + 1 < side) streets(here, here + 1) = {here == 0 ? 2.0f : 1.0f, 1};
    }
  auto routes = to_device(ctx, streets);
  kleene::device_matrix<route> longer(ctx, corners, corners);
  for (int power = 1; power < 8; power *= 2) {
    kleene::gemm(ctx, shortest_routes{}, routes, routes, longer);
    std::swap(routes, longer);
  }
  const route across = to_host(ctx, routes)(0, corners - 1);
  std::printf("across town: %g minutes, %d ways\n", across.length, across.count);
  return across.length == 8 && across.count == 35;
}

bool policy(const kleene::context& ctx) {
  constexpr int n = 300;
  kleene::matrix<float> a(n, n), b(n, n);
  for (int i = 0; i < n * n; ++i) a.data()[i] = i * 7 % 101, b.data()[i] = i * 5 % 103 - 50;
  const auto left = to_device(ctx, a), right = to_device(ctx, b);
  kleene::device_matrix<float> usual(ctx, n, n), other(ctx, n, n);
  kleene::gemm(ctx, kleene::min_plus<float>{}, left, right, usual);
  kleene::gemm_with<small_tiles>(ctx, kleene::min_plus<float>{}, left, right, other);
  const kleene::matrix<float> expected = to_host(ctx, usual), got = to_host(ctx, other);
  const bool equal = std::equal(got.data(), got.data() + n * n, expected.data());
  std::printf("small tiles: the result %s the usual policy's\n", equal ? "is" : "is NOT");
  return equal;
}

int main() {
  if (kleene::cuda_devices().empty()) {
    std::printf("no CUDA device here, so there is nothing to show: user_semiring does the same on the CPU\n");
    return 0;
  }
  kleene::enable_cuda<trust>();
  kleene::enable_cuda<shortest_routes>();
  const kleene::context ctx = kleene::context::cuda();
  const bool right = friends(ctx) & town(ctx) & policy(ctx);
  return right ? 0 : 1;
}
