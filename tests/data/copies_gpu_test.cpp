// Copies of batches between host and device, whatever their strides: every element arrives, and nothing beside them.
#include "support/device.hpp"
#include "support/sample.hpp"

#include <chrono>
#include <numeric>
#include <vector>

namespace kleene::test {
namespace {

using three = std::array<index_t, 3>;

// Where a batch lies in a buffer: its first element, its strides, how long the buffer is.
struct layout {
  const char* name;
  index_t first;
  three strides;
  index_t size;
};

// Layouts of a batch of b x m x n.
std::vector<layout> layouts(index_t b, index_t m, index_t n) {
  const index_t matrix = m * n;
  return {
      {"contiguous", 0, {matrix, n, 1}, b * matrix},
      {"columns", 0, {matrix, 1, m}, b * matrix},
      {"padded rows", 3, {m * (n + 5), n + 5, 1}, 3 + b * m * (n + 5)},
      {"padded rows and matrices", 1, {(m + 2) * (n + 5), n + 5, 1}, 1 + b * (m + 2) * (n + 5)},
      {"padded matrices, not by whole rows", 0, {matrix + 1, n, 1}, b * (matrix + 1)},
      {"every other element", 1, {2 * matrix, 2 * n, 2}, 1 + 2 * b * matrix},
      {"upside down", (m - 1) * n, {matrix, -n, 1}, b * matrix},
      {"matrices interleaved", 0, {1, n * b, b}, b * matrix},
  };
}

template <class T>
void check_copies(const context& ctx, const three& extents) {
  const auto [b, m, n] = extents;
  for (const layout& from : layouts(b, m, n))
    for (const layout& to : layouts(b, m, n)) {
      if (!sampled()) continue;
      SCOPED_TRACE(testing::Message() << b << "x" << m << "x" << n << " of " << sizeof(T) << " bytes, " << from.name
                                      << " to " << to.name);
      matrix<T> source(1, from.size), target(1, to.size, T(7));
      for (index_t i = 0; i < from.size; ++i) source(0, i) = static_cast<T>(i % 113);
      matrix<T> expected = target;
      for (index_t p = 0; p < b; ++p)
        for (index_t i = 0; i < m; ++i)
          for (index_t j = 0; j < n; ++j)
            expected(0, to.first + p * to.strides[0] + i * to.strides[1] + j * to.strides[2]) =
                source(0, from.first + p * from.strides[0] + i * from.strides[1] + j * from.strides[2]);
      const device_matrix<T> device_source = to_device(ctx, source);
      const batch_view<const T> host_from(source.data() + from.first, extents, from.strides);
      const batch_view<const T, memory::device> device_from(device_source.data() + from.first, extents, from.strides);
      device_matrix<T> uploaded = to_device(ctx, target), moved = to_device(ctx, target);
      matrix<T> downloaded = target;
      copy(ctx, host_from, batch_view<T, memory::device>(uploaded.data() + to.first, extents, to.strides));
      copy(ctx, device_from, batch_view<T, memory::device>(moved.data() + to.first, extents, to.strides));
      copy(ctx, device_from, batch_view<T>(downloaded.data() + to.first, extents, to.strides));
      ctx.synchronise();
      EXPECT_TRUE(equal(to_host(ctx, uploaded), expected)) << "host to device";
      EXPECT_TRUE(equal(to_host(ctx, moved), expected)) << "on the device";
      EXPECT_TRUE(equal(downloaded, expected)) << "device to host";
    }
}

TEST(copies_gpu, batches_of_any_layout) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const three& extents :
       {three{1, 1, 1}, {3, 5, 7}, {64, 4, 6}, {65, 4, 6}, {200, 3, 1}, {200, 1, 5}, {1, 300, 5}}) {
    check_copies<float>(ctx, extents);
    check_copies<std::uint8_t>(ctx, extents);
    check_copies<double>(ctx, extents);
  }
}

// Above 64 MiB pageable memory goes through pinned buffers, in lines of 4 MiB and a rest.
TEST(copies_gpu, large_batches_there_and_back) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  batch<float> host(20011, 30, 40);
  std::iota(host.data(), host.data() + 20011 * 1200, 0.0f);
  const device_batch<float> device = to_device(ctx, host);
  const batch<float> back = to_host(ctx, device);
  index_t wrong = 0;
  for (index_t i = 0; i < 20011 * 1200; ++i) wrong += back.data()[i] != host.data()[i];
  EXPECT_EQ(wrong, 0);
  // Every other matrix: lines with a pitch.
  const batch_view<const float, memory::device> every_other(device.data(), {10005, 30, 40}, {2400, 40, 1});
  batch<float> half(10005, 30, 40);
  copy(ctx, every_other, half);
  ctx.synchronise();
  for (index_t b = 0; b < 10005; ++b)
    for (index_t i = 0; i < 1200; ++i) wrong += half.data()[b * 1200 + i] != host.data()[b * 2400 + i];
  EXPECT_EQ(wrong, 0);
}

// Element by element this took 7 seconds and cudaMemcpy 0.4: the limit is generous, and there to catch that.
TEST(copies_gpu, a_contiguous_batch_of_200000_matrices_is_one_copy) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const std::vector<float> host(std::size_t{200000} * 64 * 64, 1.0f);
  device_batch<float> device(ctx, 200000, 64, 64);
  const auto begin = std::chrono::steady_clock::now();
  copy(ctx, batch_view<const float>(host.data(), {200000, 64, 64}), device);
  ctx.synchronise();
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 5.0);
  std::vector<float> last(4096);
  copy(ctx, matrix_view<const float, memory::device>(device.data() + index_t{199999} * 4096, {64, 64}),
       matrix_view<float>(last.data(), {64, 64}));
  ctx.synchronise();
  EXPECT_EQ(last, std::vector<float>(4096, 1.0f));
}

}  // namespace
}  // namespace kleene::test
