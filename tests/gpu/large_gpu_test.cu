// More items than 32 bits count on a CUDA device: over iterators that hold no memory, and over bytes, whose results are
// checked where they lie, every one of them.
#include "kleene/streaming/load_balance.cuh"
#include "kleene/streaming/merge.cuh"
#include "kleene/streaming/reduce.cuh"
#include "kleene/streaming/scan.cuh"
#include "kleene/streaming/search.cuh"
#include "kleene/streaming/segments.cuh"
#include "support/device_place.cuh"

namespace kleene {
namespace {

using byte = unsigned char;

constexpr index two_to_31 = index{1} << 31, many = two_to_31 + 5;
constexpr counting_iterator<index> numbers(0), numbers_end(many);
KLEENE_FUNCTION constexpr index sum_below(index n) { return n * (n - 1) / 2; }

// The number `top` is above all others, which are alike.
struct one_on_top {
  index top;
  KLEENE_FUNCTION bool operator()(index a, index b) const { return a != top && b == top; }
};

TEST(large_on_cuda, reduce) {
  on_device_place([](auto& place) {
    EXPECT_EQ(reduce(place.ctx, numbers, numbers_end, index{7}), sum_below(many) + 7);
    EXPECT_EQ(arg_max(place.ctx, numbers, numbers_end, one_on_top{two_to_31 + 3}), two_to_31 + 3);
  });
}

TEST(large_on_cuda, lower_bound) {
  on_device_place([](auto& place) {
    auto needles = place.put(std::vector<index>{-3, 0, two_to_31 - 1, two_to_31, two_to_31 + 4, two_to_31 + 9});
    auto found = place.room(6 + slack, index{-7});
    lower_bound(place.ctx, needles.data(), needles.data() + 6, numbers, numbers_end, found.data());
    EXPECT_TRUE(holds(found, std::vector<index>{0, 0, two_to_31 - 1, two_to_31, two_to_31 + 4, many}, index{-7}));
  });
}

// A segment that ends behind item 2^31, an empty one, and a short one.
constexpr index second_start = two_to_31 + 1;
const std::vector<index> starts = {0, second_start, second_start, many};

struct check_segment {
  unsigned long long *wrong, *seen;
  __device__ void operator()(index item, index segment, index rank) const {
    const index begin = item < second_start ? 0 : second_start;
    if (segment != (begin == 0 ? 0 : 2) || rank != item - begin) atomicAdd(wrong, 1ull);
    if (item % (1 << 20) == 0) atomicAdd(seen, 1ull);
  }
};

TEST(large_on_cuda, transform_lbs) {
  on_device_place([](auto& place) {
    auto offsets = place.put(starts);
    auto counts = place.room(2, 0ull);
    transform_lbs(place.ctx, many, offsets.data(), 3, check_segment{counts.data(), counts.data() + 1});
    EXPECT_TRUE(holds(counts, std::vector<unsigned long long>{0, (1 << 11) + 1}));
  });
}

TEST(large_on_cuda, segmented_reduce) {
  on_device_place([](auto& place) {
    auto offsets = place.put(starts);
    auto sums = place.room(3 + slack, index{-7});
    segmented_reduce(place.ctx, numbers, numbers_end, offsets.data(), 3, sums.data(), index{1});
    EXPECT_TRUE(holds(sums,
                      std::vector<index>{sum_below(second_start) + 1, 1, sum_below(many) - sum_below(second_start) + 1},
                      index{-7}));
  });
}

// Bytes as functions of their places.
struct remainder {
  static constexpr index divisor = 251;
  KLEENE_FUNCTION constexpr byte operator()(index i) const { return static_cast<byte>(i % divisor); }
  KLEENE_FUNCTION static constexpr index sum(index n) {
    return n / divisor * sum_below(divisor) + sum_below(n % divisor);
  }
};
struct sum_of_remainders {
  KLEENE_FUNCTION constexpr byte operator()(index i) const { return static_cast<byte>(remainder::sum(i + 1)); }
};
struct step {
  index at;
  KLEENE_FUNCTION constexpr byte operator()(index i) const { return i >= at; }
};
struct steps {
  KLEENE_FUNCTION constexpr byte operator()(index i) const {
    return static_cast<byte>((i >= two_to_31 / 2) + (i >= two_to_31 - 1) + (i >= two_to_31) + (i >= two_to_31 + 2));
  }
};

template <class Function>
__global__ void fill(byte* x, index count, Function f) {
  for (index i = static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    x[i] = f(i);
}
template <class Function>
__global__ void count_others(const byte* x, index count, Function f, unsigned long long* others) {
  unsigned long long mine = 0;
  for (index i = static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    mine += x[i] != f(i);
  if (mine > 0) atomicAdd(others, mine);
}

// A place for bytes that are too many for the host.
struct bytes_place {
  device_place& place;

  // An array of f(0) ... f(count - 1).
  template <class Function>
  auto array(index count, Function f) {
    auto memory = place.ctx.temporary(static_cast<std::size_t>(count));
    fill<<<2048, 256, 0, stream()>>>(static_cast<byte*>(memory.get()), count, f);
    kernels::cuda::require(cudaGetLastError(), "filling an array");
    return memory;
  }
  // How many of x are not what f says.
  template <class Function>
  index others(const byte* x, index count, Function f) {
    auto result = place.room(1, 0ull);
    count_others<<<2048, 256, 0, stream()>>>(x, count, f, result.data());
    kernels::cuda::require(cudaGetLastError(), "checking an array");
    return static_cast<index>(result.take()[0]);
  }
  cudaStream_t stream() const { return static_cast<cudaStream_t>(place.ctx.stream()); }
};

template <class Check>
void on_large_device(const Check& check) {
  on_device_place([&](auto& place) {
    if (place.ctx.available() >> 33 == 0) GTEST_SKIP() << "less than 8 GiB of device memory";
    bytes_place bytes{place};
    check(bytes);
  });
}

TEST(large_on_cuda, reduce_and_scan_bytes) {
  on_large_device([](auto& bytes) {
    const auto memory = bytes.array(many, remainder{});
    auto* const x = static_cast<byte*>(memory.get());
    EXPECT_EQ(reduce(bytes.place.ctx, x, x + many, index{7}), remainder::sum(many) + 7);
    EXPECT_EQ(inclusive_scan(bytes.place.ctx, x, x + many, x), x + many);  // modulo 256
    EXPECT_EQ(bytes.others(x, many, sum_of_remainders{}), 0);
  });
}

TEST(large_on_cuda, merge_bytes) {
  on_large_device([](auto& bytes) {
    constexpr index ones = two_to_31 / 2 + 3, zeros = many - ones;
    const auto a_memory = bytes.array(ones, step{0}), b_memory = bytes.array(zeros, step{zeros});
    const auto out_memory = bytes.array(many + 1, remainder{});
    auto* const a = static_cast<byte*>(a_memory.get());
    auto* const b = static_cast<byte*>(b_memory.get());
    auto* const out = static_cast<byte*>(out_memory.get());
    EXPECT_EQ(merge(bytes.place.ctx, a, a + ones, b, b + zeros, out), out + many);
    EXPECT_EQ(bytes.others(out, many, step{zeros}), 0);
    EXPECT_EQ(merge(bytes.place.ctx, a, a + ones, a, a + zeros, out), out + many);  // all alike
    EXPECT_EQ(bytes.others(out, many, step{0}), 0);
    // The byte behind them is as it was.
    byte behind = 0;
    bytes.place.ctx.synchronise();
    kernels::cuda::require(cudaMemcpy(&behind, out + many, 1, cudaMemcpyDeviceToHost), "reading a byte");
    EXPECT_EQ(behind, remainder{}(many));
  });
}

TEST(large_on_cuda, lower_bound_in_bytes) {
  on_large_device([](auto& bytes) {
    const auto memory = bytes.array(many, steps{});
    auto* const hay = static_cast<byte*>(memory.get());
    auto needles = bytes.place.put(std::vector<byte>{0, 1, 2, 3, 4, 5});
    auto found = bytes.place.room(6 + slack, index{-7});
    lower_bound(bytes.place.ctx, needles.data(), needles.data() + 6, hay, hay + many, found.data());
    EXPECT_TRUE(
        holds(found, std::vector<index>{0, two_to_31 / 2, two_to_31 - 1, two_to_31, two_to_31 + 2, many}, index{-7}));
  });
}

}  // namespace
}  // namespace kleene
