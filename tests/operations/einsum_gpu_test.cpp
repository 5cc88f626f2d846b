// Einsum on a device beside plain loops on the host: random equations in any strides, what lies between elements
// included; new tensors, what is refused, and what is found wrong with values.
#include "kleene/operations/einsum.hpp"

#include "operations/einsum_samples.hpp"
#include "support/device.hpp"
#include "support/equal.hpp"

#include <cstring>

namespace kleene::test::einsum_gpu_test {
namespace {

using namespace einsum_samples;

// The buffer of a tensor on the device, and the tensor in it.
template <class T>
struct device_placed {
  device_vector<char> buffer;
  tensor_view<T, memory::device> at;

  device_placed(const context& ctx, placed_tensor<T>& host)
      : buffer(to_device(ctx, host.bytes)),
        at(reinterpret_cast<T*>(buffer.data()) + host.first, host.extents, host.strides) {}
};

template <class S>
void one_equation(const context& ctx, generator& random, S s, int number) {
  using T = value_of<S>;
  const random_equation e(random);
  std::vector<placed_tensor<T>> operands;
  for (const auto& labels : e.operands) operands.emplace_back(random, labels, e.extents, true);
  placed_tensor<T> out(random, e.output, e.extents, false);
  placed_tensor<T> want = out;
  placed_tensor<std::int64_t> terms(random, e.output, e.extents, false);
  placed_tensor<std::int64_t> want_terms = terms;
  const bool accumulate = draw(random, 3) == 0;
  const bool has_witness = is_selective<S> && operands.size() == 2 && draw(random, 2) == 0;
  const auto order = random_order(random, static_cast<int>(operands.size()), false);
  const einsum_equation equation(e.operands, e.output);
  if (!sampled()) return;
  SCOPED_TRACE("equation " + std::to_string(number) + ": " + equation.text());

  std::vector<einsum_tensor<const T>> plain;
  for (auto& x : operands) plain.push_back(x.template plain<const T>());
  const auto plain_terms = want_terms.template plain<std::int64_t>();
  kernels::reference::einsum<S>(plain, want.template plain<T>(), e.summed, e.extents, accumulate,
                                has_witness ? &plain_terms : nullptr);

  std::vector<device_placed<T>> there;
  std::vector<tensor_view<const T, memory::device>> views;
  for (auto& x : operands) there.emplace_back(ctx, x), views.push_back(there.back().at);
  device_placed<T> c(ctx, out);
  device_placed<std::int64_t> w(ctx, terms);
  const einsum_options options{.accumulate = accumulate, .order = order};
  bool done = false;
  if constexpr (is_selective<S>)
    if (has_witness) einsum(ctx, s, equation, views[0], views[1], c.at, w.at, options), done = true;
  if (!done) einsum(ctx, s, equation, views, c.at, options);
  const std::vector<char> got = to_host(ctx, c.buffer);
  EXPECT_TRUE(got == want.bytes);  // and nothing was written between its elements
  if (has_witness) {
    EXPECT_TRUE(to_host(ctx, w.buffer) == want_terms.bytes) << "witness";
  }
  if (accumulate) return;
  const device_tensor<T> fresh = einsum(ctx, s, equation, views, {.order = order});
  const tensor<T> here = to_host(ctx, fresh);
  const tensor_view<T> held = want.view();
  EXPECT_TRUE(here.extents() == held.extents());
  std::vector<int> axes;
  for (int r = 0; r < here.rank(); ++r) axes.push_back(r);
  std::vector<index_t> index(static_cast<std::size_t>(here.rank()));
  const std::vector<index_t> extents(here.extents().begin(), here.extents().end());
  bool all = true;
  kernels::reference::detail::for_each_value(axes, extents, 0, index, [&] { all &= here[index] == held[index]; });
  EXPECT_TRUE(all) << "a new tensor";
}

template <class S>
void many(S s, unsigned seed) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  generator random(seed);
  for (int n = 0; n < 300 && !testing::Test::HasFailure(); ++n) one_equation(ctx, random, s, n);
}

// Values are small whole numbers: sums of floats are exact, too.
TEST(einsum_on_cuda, min_plus_i32) { many(min_plus<std::int32_t>{}, 1); }
TEST(einsum_on_cuda, max_plus_f32) { many(max_plus<float>{}, 2); }
TEST(einsum_on_cuda, plus_times_f64) { many(plus_times<double>{}, 3); }
TEST(einsum_on_cuda, plus_times_i32) { many(plus_times<std::int32_t>{}, 4); }
TEST(einsum_on_cuda, or_and_bool) { many(or_and<bool>{}, 5); }

tensor<float> counted(const axis_values& extents, int modulus) {
  tensor<float> t(extents);
  for (index_t e = 0; e < t.size(); ++e) t.data()[e] = static_cast<float>(e * 7 % modulus);
  return t;
}

// Larger ones, beside the CPU: products as they lie, copies of each tensor, single elements, sums of one operand.
TEST(einsum_on_cuda, larger_ones_beside_the_cpu) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda(), cpu = context::cpu();
  const auto agree = [&](const char* equation, const axis_values& left, const axis_values& right) {
    if (!sampled()) return;
    const tensor<float> a = counted(left, 1009), b = counted(right, 997);
    const device_tensor<float> da = to_device(ctx, a), db = to_device(ctx, b);
    const tensor<float> want = einsum(cpu, min_plus<float>{}, equation, a, b);
    const tensor<float> got = to_host(ctx, einsum(ctx, min_plus<float>{}, equation, da, db));
    ASSERT_TRUE(got.extents() == want.extents()) << equation;
    EXPECT_EQ(std::memcmp(got.data(), want.data(), static_cast<std::size_t>(want.size()) * 4), 0) << equation;
  };
  agree("bik,bkj->bij", {5, 70, 130}, {5, 130, 90});
  agree("bik,kj->bij", {5, 70, 130}, {130, 90});
  agree("ikb,bkj->jib", {70, 130, 5}, {5, 130, 90});
  agree("abcd,cbe->dae", {12, 13, 14, 15}, {14, 13, 16});
  agree("ab,ab->ab", {300, 700}, {300, 700});
  agree("ab,b->ab", {300, 700}, {700});
  agree("ab,a->ba", {300, 700}, {300});
  agree("abc,->b", {30, 70, 50}, {});
  agree("ab,cd->ac", {300, 70}, {40, 50});
  agree("bij,bj->bi", {40, 300, 70}, {40, 70});
  agree("a,b->ab", {300}, {700});
}

// Batches of a matrix and a vector each beside the CPU: both layouts, loads of 16 bytes and of one element, ranges of
// k, matrices of which a block has several, vectors that all matrices share, results in any order, witnesses, and C
// added to.
template <class S>
void batches_of_vectors(S s) {
  using T = value_of<S>;
  const context ctx = context::cuda(), cpu = context::cpu();
  struct sizes {
    index_t batch, rows, depth;
  };
  for (const auto& [batch, rows, depth] : {sizes{7, 40, 52},
                                           {1000, 32, 32},
                                           {3, 129, 515},
                                           {2, 1, 70000},
                                           {5, 3000, 2},
                                           {5001, 32, 32},
                                           {20003, 16, 12},
                                           {9001, 3, 7},
                                           {2501, 100, 9},
                                           {2401, 5, 260},
                                           {30001, 2, 2}})
    for (const char* equation : {"bij,bj->bi", "bj,bij->bi", "bij,bj->ib", "bij,j->bi"}) {
      if (!sampled()) continue;
      SCOPED_TRACE(std::string(equation) + " of " + std::to_string(batch) + " x " + std::to_string(rows) + " x " +
                   std::to_string(depth));
      generator random(static_cast<unsigned>(rows));
      const auto drawn = [&](const axis_values& extents) {
        tensor<T> t(extents);
        for (index_t e = 0; e < t.size(); ++e) t.data()[e] = static_cast<T>(draw(random, 7));
        return t;
      };
      const bool vector_first = equation[2] == ',', shared = equation[4] == 'j' && equation[5] == '-';
      const tensor<T> a = drawn({batch, rows, depth}), x = shared ? drawn({depth}) : drawn({batch, depth});
      const tensor<T> turned = einsum(cpu, s, "bij->bji", a);  // the same matrices, column by column
      const tensor<T>& left = vector_first ? x : a;
      const tensor<T>& right = vector_first ? a : x;
      const tensor<T> want = einsum(cpu, s, equation, left, right);
      const auto da = to_device(ctx, a), dx = to_device(ctx, x), dt = to_device(ctx, turned);
      const auto by_columns = tensor_view<const T, memory::device>(dt.data(), axis_values{batch, rows, depth},
                                                                   axis_values{rows * depth, 1, rows});
      const auto is_want = [&](const device_tensor<T>& c, const tensor<T>& expected) {
        const tensor<T> got = to_host(ctx, c);
        return got.extents() == expected.extents() && std::equal(got.data(), got.data() + got.size(), expected.data());
      };
      const auto run = [&](const auto& matrix, auto&&... rest) {
        if (vector_first) einsum(ctx, s, equation, dx, matrix, rest...);
        else einsum(ctx, s, equation, matrix, dx, rest...);
      };
      const tensor<T> before = drawn(want.extents());
      tensor<T> added = before;
      einsum(cpu, s, equation, left, right, added, {.accumulate = true});
      for (const bool columns : {false, true}) {
        device_tensor<T> c(ctx, want.extents()), sum = to_device(ctx, before);
        columns ? run(by_columns, c, einsum_options{}) : run(da.view(), c, einsum_options{});
        EXPECT_TRUE(is_want(c, want)) << columns;
        const einsum_options adds{.accumulate = true};
        columns ? run(by_columns, sum, adds) : run(da.view(), sum, adds);
        EXPECT_TRUE(is_want(sum, added)) << columns;
        if constexpr (is_selective<S>) {
          tensor<T> unused(want.extents());
          tensor<std::int64_t> terms(want.extents());
          einsum(cpu, s, equation, left, right, unused, terms, {});
          device_tensor<std::int64_t> w(ctx, want.extents());
          columns ? run(by_columns, c, w, einsum_options{}) : run(da.view(), c, w, einsum_options{});
          EXPECT_TRUE(is_want(c, want)) << columns;
          const tensor<std::int64_t> got = to_host(ctx, w);
          EXPECT_TRUE(std::equal(got.data(), got.data() + got.size(), terms.data())) << columns;
        }
      }
    }
}

TEST(einsum_on_cuda, batches_of_vectors) {
  KLEENE_NEEDS_GPU();
  batches_of_vectors(min_plus<float>{});
  batches_of_vectors(max_min<double>{});
  batches_of_vectors(max_times<float>{});  // has a domain: results wait until all values were looked at
  batches_of_vectors(plus_times<std::int32_t>{});
  batches_of_vectors(plus_times<float>{});
}

// A wrong value in the last matrix of a batch, or in one of the vectors: named within its own matrix, C as it was.
TEST(einsum_on_cuda, batches_of_vectors_with_a_wrong_value) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  using S = max_times<float>;
  tensor<float> a({9, 40, 50}, 1), x({9, 50}, 1);
  const auto said = [&] {
    auto c = to_device(ctx, tensor<float>({9, 40}, 7));
    einsum(ctx, S{}, "bij,bj->bi", to_device(ctx, a), to_device(ctx, x), c, {});
    const std::string text = refusal<value_error>(fault_code::bad_input, [&] { ctx.synchronise(); });
    const tensor<float> left = to_host(ctx, c);
    EXPECT_TRUE(std::all_of(left.data(), left.data() + left.size(), [](float v) { return v == 7; }));
    return text;
  };
  a(8, 39, 49) = -4;
  EXPECT_TRUE(contains(said(), "A(39, 49) = -4")) << said();
  a(8, 39, 49) = 1, x(3, 20) = -5;
  EXPECT_TRUE(contains(said(), "x(20, 0) = -5")) << said();
}

// To one element by rows, to rows, and to columns.
TEST(einsum_on_cuda, sums_of_one_operand) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda(), cpu = context::cpu();
  const tensor<float> a = counted({300, 70, 50}, 1009);
  const device_tensor<float> there = to_device(ctx, a);
  for (const char* equation : {"abc->", "abc->a", "abc->c", "abc->b", "abc->cb"}) {
    const tensor<float> want = einsum(cpu, max_plus<float>{}, equation, a);
    const tensor<float> got = to_host(ctx, einsum(ctx, max_plus<float>{}, equation, there));
    ASSERT_TRUE(got.extents() == want.extents()) << equation;
    EXPECT_EQ(std::memcmp(got.data(), want.data(), static_cast<std::size_t>(want.size()) * 4), 0) << equation;
  }
  tensor<std::int32_t> ones({400, 3000}, 1);
  auto sum = to_device(ctx, tensor<std::int32_t>(axis_values{}, 5));
  einsum(ctx, plus_times<std::int32_t>{}, "ij->", to_device(ctx, ones), sum, {.accumulate = true});
  EXPECT_EQ(to_host(ctx, sum)(), 1200005);
}

TEST(einsum_on_cuda, order_of_axes) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const tensor<float> a = counted({3, 40, 5, 70}, 100003);
  const device_tensor<float> b = einsum(ctx, plus_times<float>{}, "abcd->dbca", to_device(ctx, a));
  const tensor<float> got = to_host(ctx, b);
  ASSERT_TRUE(got.extents() == axis_values({70, 40, 5, 3}));
  bool all = true;
  for (index_t d = 0; d < 70; ++d)
    for (index_t x = 0; x < 40; ++x)
      for (index_t c = 0; c < 5; ++c)
        for (index_t y = 0; y < 3; ++y) all &= got(d, x, c, y) == a(y, x, c, d);
  EXPECT_TRUE(all);
}

TEST(einsum_on_cuda, refuses_what_the_cpu_refuses) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const device_tensor<float> a = to_device(ctx, tensor<float>({2, 3}, 1));
  const tensor<float> host({3, 2}, 1);
  EXPECT_EQ(
      refusal<shape_error>(fault_code::bad_input, [&] { (void)einsum(ctx, min_plus<float>{}, "ij,jk->ik", a, a); }),
      "einsum \"ij,jk->ik\": index j is 3 in operand 1 and 2 in operand 2");
  EXPECT_TRUE(
      contains(refusal<error>(fault_code::device, [&] { (void)einsum(ctx, min_plus<float>{}, "ij,jk->ik", a, host); }),
               "operand 2 is in host memory"));
}

// Finite sums that do not fit, by single elements and by a product; and values outside the domain, which leave C alone.
TEST(einsum_on_cuda, values_are_found_wrong) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto large = to_device(ctx, tensor<std::int32_t>({4, 5}, 200000000));
  auto c = to_device(ctx, tensor<std::int32_t>({4, 5}, 7));
  einsum(ctx, min_plus<std::int32_t>{}, "ij,ij->ij", large, large, c, {});
  EXPECT_THROW(ctx.synchronise(), value_error);
  einsum(ctx, plus_times<std::int32_t>{}, "ij,ij->ij", large, large, c, {});
  EXPECT_THROW(ctx.synchronise(), value_error);
  tensor<float> t({4, 5}, 1.0f);
  t(2, 3) = -1;
  const auto outside = to_device(ctx, t), inside = to_device(ctx, tensor<float>({5, 4}, 1.0f));
  auto d = to_device(ctx, tensor<float>({4, 5}, 7.0f));
  einsum(ctx, max_times<float>{}, "ij,ji->ij", outside, inside, d, {});
  EXPECT_THROW(ctx.synchronise(), value_error);
  EXPECT_EQ(to_host(ctx, d)(2, 3), 7.0f);
  EXPECT_EQ(to_host(ctx, d)(0, 0), 7.0f);
  einsum(ctx, max_times<float>{}, "ij,ji->ij", outside, inside, d, {.check_domain = false});
  EXPECT_EQ(to_host(ctx, d)(0, 0), 1.0f);
}

}  // namespace
}  // namespace kleene::test::einsum_gpu_test
