// The checks of tests/operations/bits_checks.hpp and bits_graphs.hpp on a CUDA device; then products of many tiles,
// against the CPU, and against the kernel for devices without binary tensor cores.
#include "kleene/kernels/cuda/bits/launch.hpp"
#include "kleene/kernels/cuda/gemm/bits/words.cuh"
#include "operations/bits_graphs.hpp"
#include "support/device.hpp"
#include "support/sample.hpp"

namespace kleene::test {
namespace {

using kernels::cuda::bit_output;

TEST(bits_gpu, products) {
  KLEENE_NEEDS_GPU();
  check_bit_gemms(context::cuda());
}
TEST(bits_gpu, counts) {
  KLEENE_NEEDS_GPU();
  check_bit_counts(context::cuda());
}
TEST(bits_gpu, transposition) {
  KLEENE_NEEDS_GPU();
  check_bit_transposes(context::cuda());
}
TEST(bits_gpu, conversions) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  check_bit_conversions<bool>(ctx);
  check_bit_conversions<std::uint8_t>(ctx);
  check_bit_conversions<float>(ctx);
}
TEST(bits_gpu, closures) {
  KLEENE_NEEDS_GPU();
  check_bit_closures(context::cuda(), {0, 64, 192});
}
TEST(bits_gpu, condensed_closures) {
  KLEENE_NEEDS_GPU();
  check_condensed_closures(context::cuda(), {1, 2, 63, 64, 65, 200});
}
TEST(bits_gpu, condensed_closures_of_thousands) {
  KLEENE_NEEDS_GPU();
  check_large_condensed_closures(context::cuda(), 3000);
}

testing::AssertionResult same_bits(const context& ctx, const device_bit_matrix& got, const bit_matrix& want) {
  return equal(placed_bits::words_of(to_host(ctx, got)), placed_bits::words_of(want));
}

// The product by words, whatever the device has. bt is n x k.
template <bit_output Output>
void multiply_by_words(const context& ctx, const device_bit_matrix& a, const device_bit_matrix& bt, bit_view<bit> c,
                       matrix_view<std::int32_t> counts, bool accumulate) {
  const auto words = [](const device_bit_matrix& x) {
    const auto v = x.view();
    return kernels::cuda::bit_words({v.data(), v.rows(), v.cols(), v.stride()});
  };
  kernels::cuda::launch_gemm_bits_words<Output>(words(a), words(bt), {c, counts, accumulate, a.rows(), bt.rows()},
                                                static_cast<cudaStream_t>(ctx.stream()));
}

TEST(bits_gpu, many_tiles_by_both_kernels) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda(), cpu = context::cpu();
  for (const bit_shape& s : {bit_shape{1300, 2500, 3100}, {5000, 777, 9001}, {4096, 4096, 1024}, {300, 9000, 20000}}) {
    if (!sampled()) continue;
    SCOPED_TRACE(testing::Message() << s.m << "x" << s.n << "x" << s.k);
    const double p = half_of_products(s.k);
    const bit_matrix a = random_bits(s.m, s.k, p, 1), bt = random_bits(s.n, s.k, p, 2),
                     source = random_bits(s.m, s.n, .2, 3);
    bit_matrix b(s.k, s.n), any = source, parity = source;
    transpose(cpu, bt, b);
    gemm(cpu, or_and<bit>{}, a, b, any, {.accumulate = true});
    gemm(cpu, xor_and<bit>{}, a, b, parity, {.accumulate = true});
    matrix<std::int32_t> counts(s.m, s.n);
    count_products(cpu, a, b, counts);

    const device_bit_matrix da = to_device(ctx, a), dbt = to_device(ctx, bt), db = to_device(ctx, b);
    device_bit_matrix by_units = to_device(ctx, source), by_words = to_device(ctx, source);
    const auto erased = [](device_bit_matrix& x) { return bit_view<bit>(x.view().data(), x.rows(), x.cols()); };
    gemm(ctx, or_and<bit>{}, da, db, by_units, {.accumulate = true});
    multiply_by_words<bit_output::any>(ctx, da, dbt, erased(by_words), {}, true);
    EXPECT_TRUE(same_bits(ctx, by_units, any));
    EXPECT_TRUE(same_bits(ctx, by_words, any)) << "by words";

    copy(ctx, source, by_units), copy(ctx, source, by_words);
    gemm(ctx, xor_and<bit>{}, da, dbt, by_units, {.accumulate = true, .transposed_b = true});
    multiply_by_words<bit_output::parity>(ctx, da, dbt, erased(by_words), {}, true);
    EXPECT_TRUE(same_bits(ctx, by_units, parity));
    EXPECT_TRUE(same_bits(ctx, by_words, parity)) << "by words";

    device_matrix<std::int32_t> dc(ctx, s.m, s.n), dw(ctx, s.m, s.n);
    count_products(ctx, da, db, dc);
    multiply_by_words<bit_output::counts>(ctx, da, dbt, {}, {dw.data(), {s.m, s.n}}, false);
    EXPECT_TRUE(equal(to_host(ctx, dc), counts));
    EXPECT_TRUE(equal(to_host(ctx, dw), counts)) << "by words";
  }
}

TEST(bits_gpu, closures_of_many_blocks) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda(), cpu = context::cpu();
  for (const index_t n : {1024, 1025, 3000, 9000}) {
    if (!sampled()) continue;
    bit_matrix a = random_bits(n, n, 0, 1);
    problems::generator g(static_cast<std::uint64_t>(n));
    for (index_t arc = 0; arc < 3 * n / 2; ++arc) a.set(g.below(n), g.below(n), true);
    device_bit_matrix da = to_device(ctx, a);
    closure(cpu, or_and<bit>{}, a);
    closure(ctx, or_and<bit>{}, da);
    EXPECT_TRUE(same_bits(ctx, da, a)) << n;
  }
}

// How many classes the search finds that closures are condensed by where nobody asks for it.
index_t classes_of(const context& ctx, const device_bit_matrix& graph) {
  const index_t n = graph.rows();
  device_bit_matrix transposed(ctx, n, n);
  matrix<std::int32_t> class_of(1, n);
  const auto workspace = ctx.temporary(kernels::cuda::class_workspace(n));
  return kernels::cuda::find_classes(ctx, bit_view<const bit>(graph.view().data(), n, n),
                                     bit_view<bit>(transposed.view().data(), n, n),
                                     {class_of.data(), static_cast<std::size_t>(n)}, 4096, workspace.get());
}

void check_closure_condensed_unasked(const context& ctx, const bit_matrix& graph, index_t least, index_t most) {
  device_bit_matrix condensed = to_device(ctx, graph), plain = to_device(ctx, graph);
  const index_t classes = classes_of(ctx, condensed);
  EXPECT_GE(classes, least);
  EXPECT_LE(classes, most);
  EXPECT_TRUE(same_bits(ctx, condensed, graph)) << "the search wrote";
  closure(ctx, or_and<bit>{}, condensed);
  closure(ctx, or_and<bit>{}, plain, {.condense = false});
  EXPECT_TRUE(same_bits(ctx, condensed, to_host(ctx, plain)));
}

// Large enough to be condensed unasked: half of the vertices in one component, found in the first round, and components
// of 500, found in later ones.
TEST(bits_gpu, closures_condensed_unasked) {
  KLEENE_NEEDS_GPU();
  constexpr index_t n = 40009;
  problems::generator g(1);
  arc_list arcs;
  add_component(0, n / 2, g, arcs);
  for (index_t v = n / 2; v < n; v += 500) add_component(v, std::min(n, v + 500), g, arcs);
  for (index_t e = 0; e < 60; ++e) arcs.emplace_back(g.below(n), g.below(n / 2));
  bit_matrix shuffled(n, n);
  for (const auto& [from, to] : arcs) shuffled.set(from * 7919 % n, to * 7919 % n, true);
  check_closure_condensed_unasked(context::cuda(), shuffled, 1, n / 2 - 1);
}

// No two vertices reach each other: the search gives up, and the matrix it leaves is closed by blocks.
TEST(bits_gpu, closures_not_worth_condensing) {
  KLEENE_NEEDS_GPU();
  constexpr index_t n = 9001;
  problems::generator g(2);
  bit_matrix shuffled(n, n);
  for (index_t v = 1; v < n; ++v)
    for (int e = 0; e < 3; ++e) shuffled.set(v * 7919 % n, g.below(v) * 7919 % n, true);
  check_closure_condensed_unasked(context::cuda(), shuffled, n, n);
}

// Of several blocks, in the middle of garbage that stays.
TEST(bits_gpu, condensed_closures_of_blocks_of_a_matrix) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda(), cpu = context::cpu();
  constexpr index_t n = 5003;
  for (const std::size_t graph : {4, 6, 7}) {
    if (!sampled()) continue;
    SCOPED_TRACE(component_graphs().at(graph).name);
    bit_matrix whole = random_bits(n + 2, n + 129, 0.5, 5);
    const auto block = whole.view().block(1, 64, n, n);
    for (index_t i = 0; i < n; ++i) {
      std::fill_n(block.row(i), block.words() - 1, bit_word{0});
      block.row(i)[block.words() - 1] &= ~last_word_mask(n);
    }
    for (const auto& [from, to] : shuffled_arcs(component_graphs().at(graph), n, 7)) block.set(from, to, true);
    placed_bits a(ctx, n, n, std::move(whole));
    closure(cpu, or_and<bit>{}, a.here(), {.condense = false});
    closure(ctx, or_and<bit>{}, a.at(), {.condense = true});
    EXPECT_TRUE(a.agrees());
  }
}

TEST(bits_gpu, memory_out_of_reach_is_refused) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  bit_matrix a(3, 3);
  device_bit_matrix d(ctx, 3, 3);
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { gemm(ctx, or_and<bit>{}, a, d, d); }), "A is in host"));
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { closure(context::cpu(), or_and<bit>{}, d); }),
                       "A is in device"));
}

}  // namespace
}  // namespace kleene::test
