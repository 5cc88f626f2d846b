// The contract of einsum: answers worked out by hand, and what is refused with which words.
#include "kleene/operations/own/einsum.inl.hpp"

#include "support/equal.hpp"

#include <cmath>
#include <numeric>
#include <vector>

namespace kleene::test::einsum_test {
namespace {

using shortest = min_plus<std::int32_t>;
using longest = max_plus<float>;
using real = plus_times<double>;
using terms = tensor<std::int64_t>;

// a (x) b is b unless that is 0: no two arguments may change places. It has no one().
struct last_wins {
  using value_type = std::int32_t;
  static constexpr const char* name = "last_wins";
  static constexpr std::int32_t zero() { return -1; }
  static constexpr std::int32_t add(std::int32_t a, std::int32_t b) { return a < b ? b : a; }
  static constexpr std::int32_t mul(std::int32_t a, std::int32_t b) { return a < 0 || b < 0 ? -1 : b != 0 ? b : a; }
};

template <class T>
tensor<T> made(const axis_values& extents, std::vector<T> values) {
  tensor<T> t(extents, uninitialised{});
  EXPECT_EQ(t.size(), static_cast<index_t>(values.size()));
  std::copy(values.begin(), values.end(), t.data());
  return t;
}
tensor<double> counted(const axis_values& extents) {
  tensor<double> t(extents);
  std::iota(t.data(), t.data() + t.size(), 0.0);
  return t;
}
template <class T>
std::vector<T> values(const tensor<T>& t) {
  return {t.data(), t.data() + t.size()};
}

template <class Call>
std::string refused(Call&& call) {
  return refusal<argument_error>(fault_code::bad_input, call);
}

const context& one() {
  static const context ctx = context::cpu({.threads = 1});
  return ctx;
}

// numpy.einsum of numpy.arange(...).reshape(...), worked out by hand.
TEST(einsum_contract, what_numpy_says) {
  const auto a = counted({2, 3}), b = counted({3, 2}), square = counted({3, 3}), cube = counted({2, 2, 3});
  using doubles = std::vector<double>;
  const real s;
  EXPECT_EQ(values(einsum(one(), s, "ij,jk->ik", a, b)), (doubles{10, 13, 28, 40}));
  EXPECT_EQ(values(einsum(one(), s, "ij,jk", a, b)), (doubles{10, 13, 28, 40}));
  EXPECT_EQ(values(einsum(one(), s, "jk,ij", b, a)), (doubles{10, 13, 28, 40}));
  EXPECT_EQ(values(einsum(one(), s, " ij , jk -> ki ", a, b)), (doubles{10, 28, 13, 40}));
  EXPECT_EQ(values(einsum(one(), s, "ji", a)), (doubles{0, 3, 1, 4, 2, 5})) << "implicit output transposes";
  EXPECT_EQ(values(einsum(one(), s, "ii", square)), (doubles{12}));
  EXPECT_EQ(values(einsum(one(), s, "ii->i", square)), (doubles{0, 4, 8}));
  EXPECT_EQ(values(einsum(one(), s, "ij->j", a)), (doubles{3, 5, 7}));
  EXPECT_EQ(values(einsum(one(), s, "ij->", a)), (doubles{15}));
  EXPECT_EQ(values(einsum(one(), s, "ij,ij->ij", a, a)), (doubles{0, 1, 4, 9, 16, 25}));
  EXPECT_EQ(values(einsum(one(), s, "ij,ij->", a, a)), (doubles{55}));
  EXPECT_EQ(values(einsum(one(), s, "i,j->ij", b.view().reshaped({6}).permuted({0}), made<double>({2}, {1, 10}))),
            (doubles{0, 0, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50}));
  EXPECT_EQ(values(einsum(one(), s, "bik,kj->bij", cube, b)), (doubles{10, 13, 28, 40, 46, 67, 64, 94}));
  EXPECT_EQ(values(einsum(one(), s, "ij,j,i->", a, made<double>({3}, {1, 2, 3}), made<double>({2}, {1, 10}))),
            (doubles{268}));
  EXPECT_EQ(values(einsum(one(), s, ",ij->ij", made<double>({}, {2}), a)), (doubles{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(values(einsum(one(), s, "Ba,aB", a, b)), (doubles{50}));
}

TEST(einsum_contract, other_algebras_by_hand) {
  const auto a = made<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}), b = made<std::int32_t>({3, 2}, {5, 1, 2, 2, 0, 9});
  EXPECT_EQ(values(einsum(one(), shortest{}, "ij,jk->ik", a, b)), (std::vector<std::int32_t>{3, 2, 6, 5}));
  EXPECT_EQ(values(einsum(one(), max_min<std::int32_t>{}, "ij,jk->ik", a, b)), (std::vector<std::int32_t>{2, 3, 4, 6}));
  EXPECT_EQ(values(einsum(one(), shortest{}, "ij->i", a)), (std::vector<std::int32_t>{1, 4}));
  EXPECT_EQ(values(einsum(one(), shortest{}, "ij,kl->il", a, b)), (std::vector<std::int32_t>{1, 2, 4, 5}))
      << "1 and 4, plus 0 and 1";
  EXPECT_EQ(values(einsum(one(), plus_min<std::int32_t>{}, "ik,j->ij", a, made<std::int32_t>({2}, {2, 9}))),
            (std::vector<std::int32_t>{5, 6, 6, 15}))
      << "min(1, 2) + min(2, 2) + min(3, 2); no sum may go first";
}

TEST(einsum_contract, numbers_by_their_algebra) {
  const auto a = made<tropical<float>>({2}, {3, 1});
  tensor<float> c(axis_values{});
  einsum(one(), min_plus<float>{}, "i,i->", a, a, c, {});
  EXPECT_EQ(c(), 2);
}

TEST(einsum_contract, indices_by_number) {
  const auto a = counted({2, 3}), b = counted({3, 2});
  EXPECT_EQ(values(einsum(one(), real{}, {{{1000000, -7}, {-7, 5}}, {5, 1000000}}, a, b)),
            (std::vector<double>{10, 28, 13, 40}));
}

TEST(einsum_contract, matrices_vectors_and_strided_views) {
  matrix<double> m{{1, 2}, {3, 4}};
  const std::vector<double> x{1, 10};
  std::vector<double> y(2);
  einsum(one(), real{}, "ij,j->i", m, x, y, {});
  EXPECT_EQ(y, (std::vector<double>{21, 43}));
  matrix<double> c(2, 2, 100.0);
  einsum(one(), real{}, "ij,jk->ki", m, m, c, {.accumulate = true});
  EXPECT_TRUE(equal(c, matrix<double>{{107, 115}, {110, 122}}));
  const tensor_view<const double> broadcast(x.data(), {2, 2}, {0, 1});
  einsum(one(), real{}, "ij,jk->ik", broadcast, m, c, {});
  EXPECT_TRUE(equal(c, matrix<double>{{31, 42}, {31, 42}}));
  const tensor_view<const double> backwards(x.data() + 1, {2}, {-1});
  einsum(one(), real{}, "i->i", backwards, y, {});
  EXPECT_EQ(y, (std::vector<double>{10, 1}));
}

TEST(einsum_contract, empty_extents) {
  const tensor<std::int32_t> none({2, 0}), other({0, 2});
  EXPECT_EQ(values(einsum(one(), shortest{}, "ij,jk->ik", none, other)),
            (std::vector<std::int32_t>(4, shortest::zero())));
  EXPECT_EQ(einsum(one(), shortest{}, "ij->", none)(), shortest::zero());
  EXPECT_TRUE(einsum(one(), shortest{}, "ij->ij", none).empty());
  tensor<std::int32_t> c({2}, 5);
  einsum(one(), shortest{}, "ij->i", none, c, {.accumulate = true});
  EXPECT_EQ(values(c), (std::vector<std::int32_t>{5, 5}));
}

TEST(einsum_contract, witnesses_count_over_the_summed_indices_as_they_first_stand) {
  // C_i = min over j, k of A_ijk + B_kj: the first of equal ones, j before k.
  const auto a = made<std::int32_t>({1, 2, 2}, {3, 1, 1, 0}), b = made<std::int32_t>({2, 2}, {0, 1, 1, 9});
  tensor<std::int32_t> c({1});
  terms w({1}, 77);
  einsum(one(), shortest{}, "ijk,kj->i", a, b, c, w, {});
  EXPECT_EQ(c(0), 2);  // (0, 0) 3, (0, 1) 2, (1, 0) 2, (1, 1) 9
  EXPECT_EQ(w(0), 1);
  einsum(one(), shortest{}, "ijk,kj->i", a, b, c, w, {.accumulate = true});
  EXPECT_EQ(w(0), -1) << "2 is no improvement on 2";
  const auto far = made<std::int32_t>({2, 2}, std::vector<std::int32_t>(4, shortest::zero()));
  einsum(one(), shortest{}, "ijk,kj->i", a, far, c, w, {});
  EXPECT_EQ(w(0), -1);
  // An index of one operand alone counts, too.
  const auto x = made<std::int32_t>({2, 3}, {4, 4, 2, 9, 1, 9}), y = made<std::int32_t>({1}, {7});
  tensor<std::int32_t> d({2, 1});
  terms v({2, 1});
  einsum(one(), shortest{}, "ip,j->ij", x, y, d, v, {});
  EXPECT_EQ(values(d), (std::vector<std::int32_t>{9, 8}));
  EXPECT_EQ(values(v), (std::vector<std::int64_t>{2, 1}));
}

TEST(einsum_contract, operands_keep_their_order) {
  const auto a = made<std::int32_t>({2}, {1, 2}), b = made<std::int32_t>({2}, {3, 4}), c = made<std::int32_t>({1}, {5});
  EXPECT_EQ(values(einsum(one(), last_wins{}, "i,j->ij", a, b)), (std::vector<std::int32_t>{3, 4, 3, 4}));
  EXPECT_EQ(values(einsum(one(), last_wins{}, "i,j->ji", a, b)), (std::vector<std::int32_t>{3, 3, 4, 4}));
  EXPECT_EQ(values(einsum(one(), last_wins{}, "i,j,k->ij", a, c, b)), (std::vector<std::int32_t>{4, 4}));
  const std::vector<tensor_view<const std::int32_t>> three{a, c, b};
  const std::vector<std::pair<int, int>> right_first{{2, 1}, {3, 0}}, apart{{0, 2}, {3, 1}};
  EXPECT_EQ(values(einsum(one(), last_wins{}, "i,j,k->ij", three, {.order = right_first})),
            (std::vector<std::int32_t>{4, 4}));
  EXPECT_EQ(refused([&] { (void)einsum(one(), last_wins{}, "i,j,k->ij", three, {.order = apart}); }),
            "einsum: pair 0 (0, 2) are no neighbours, and the algebra does not say that its mul commutes");
}

TEST(einsum_contract, thousands_of_operands) {
  constexpr int count = 3000;  // a ring of 2 x 2 matrices, contracted in pairs of neighbours: indices 0 to 2999
  std::vector<std::vector<int>> labels;
  std::vector<tensor_view<const std::int32_t>> operands;
  const auto bond = made<std::int32_t>({2, 2}, {0, 1, 1, 0});
  for (int o = 0; o < count; ++o) labels.push_back({o, (o + 1) % count}), operands.push_back(bond);
  std::vector<std::pair<int, int>> pairs;
  for (int s = 0; s + 1 < count; ++s) pairs.push_back({2 * s, 2 * s + 1});
  const einsum_equation equation(labels, std::vector<int>{});
  EXPECT_EQ(einsum(one(), shortest{}, equation, operands, {})(), 0);
  EXPECT_EQ(einsum(one(), max_plus<std::int32_t>{}, equation, operands, {.order = pairs})(), count);
}

TEST(einsum_contract, equations_that_are_none) {
  const auto a = counted({2, 3});
  const auto said = [&](const char* text) { return refused([&] { (void)einsum(one(), real{}, text, a, a); }); };
  EXPECT_EQ(said("ij,i1->j"),
            "einsum \"ij,i1->j\": '1' at position 4 is no index; indices are letters a to z and A to Z, operands are "
            "parted by commas, and one -> precedes the output");
  EXPECT_EQ(said("...j,ij->j"), "einsum \"...j,ij->j\": there is no ellipsis; name its indices");
  EXPECT_TRUE(contains(said("ij,ij->i->j"), "'-' at position 8 is no index"));
  EXPECT_TRUE(contains(said("ij,ij->i,j"), "',' at position 8 is no index"));
  EXPECT_TRUE(contains(said("ij,ij-i"), "'-' at position 5 is no index"));
  EXPECT_EQ(said("ij,ij->ik"), "einsum: index k of the output is in no operand");
  EXPECT_EQ(said("ij,ij->ii"), "einsum: index i is in the output twice");
  EXPECT_EQ(said("ij->i"),
            "einsum \"ij->i\": it has 1 operands, but 2 are given (an output is followed by options, at least by {})");
}

TEST(einsum_contract, shapes_that_do_not_fit) {
  const auto a = counted({2, 4}), b = counted({5, 2}), flat = counted({1, 2});
  auto c = counted({2, 3});
  terms w({2, 2});
  const real s;
  EXPECT_EQ(refused([&] { (void)einsum(one(), s, "ij,jk->ik", a, b); }),
            "einsum \"ij,jk->ik\": index j is 4 in operand 1 and 5 in operand 2");
  EXPECT_EQ(refused([&] { (void)einsum(one(), s, "ij,jk->ik", a, flat); }),
            "einsum \"ij,jk->ik\": index j is 4 in operand 1 and 1 in operand 2");
  EXPECT_EQ(refused([&] { (void)einsum(one(), s, "ii", a); }),
            "einsum \"ii->\": index i is 2 in operand 1 and 4 in operand 1");
  EXPECT_EQ(refused([&] { (void)einsum(one(), s, "ijk,jk->i", a, b); }),
            "einsum \"ijk,jk->i\": operand 1 has rank 2, but its indices are \"ijk\"");
  EXPECT_EQ(refused([&] { einsum(one(), s, "ij,kl->i", a, b, c, {}); }),
            "einsum \"ij,kl->i\": the output has rank 2, but its indices are \"i\"");
  EXPECT_EQ(refused([&] { einsum(one(), s, "ij,kl->il", a, b, c, {}); }),
            "einsum \"ij,kl->il\": index l is 2 in operand 2 and 3 in the output");
  const auto x = made<std::int32_t>({2}, {1, 2});
  tensor<std::int32_t> y({2});
  EXPECT_EQ(refused([&] { einsum(one(), shortest{}, "i,i->i", x, x, y, w, {}); }),
            "einsum \"i,i->i\": the witness has rank 2, but its indices are \"i\"");
  EXPECT_EQ(refused([&] { (void)einsum(one(), s, "i->", tensor_view<const double>(nullptr, {3})); }),
            "operand 1 has 3 elements, but its data is a null pointer");
  EXPECT_EQ(values(c), values(counted({2, 3})));
}

TEST(einsum_contract, outputs_that_overlap) {
  auto a = counted({4, 4});
  const auto b = counted({4, 4});
  const std::vector<double> before = values(a);
  EXPECT_EQ(refused([&] { einsum(one(), real{}, "ij,jk->ik", a, b, a, {}); }),
            "operand 1 overlaps the output, which the same call writes");
  EXPECT_EQ(refused([&] { einsum(one(), real{}, "ij->ji", a, a, {}); }),
            "operand 1 overlaps the output, which the same call writes");
  EXPECT_EQ(refused([&] { einsum(one(), real{}, "ij->ij", b, tensor_view<double>(a.data(), {4, 4}, {2, 1}), {}); }),
            "the output is written, but elements of it share an address: it is 4 x 4 with strides 2 x 1");
  EXPECT_EQ(values(a), before);
}

TEST(einsum_contract, orders_of_pairs) {
  const auto a = counted({2, 2});
  const std::vector<tensor_view<const double>> three(3, a.view());
  const auto said = [&](std::vector<std::pair<int, int>> pairs) {
    return refused([&] { (void)einsum(one(), real{}, "ij,jk,kl->il", three, {.order = pairs}); });
  };
  EXPECT_EQ(said({{0, 1}}), "einsum: 3 operands are contracted by 2 pairs, not 1");
  EXPECT_EQ(said({{0, 1}, {3, 1}}), "einsum: pair 1 (3, 1) takes a tensor that is not there, or was taken before");
  EXPECT_EQ(said({{0, 0}, {3, 1}}), "einsum: pair 0 (0, 0) takes a tensor that is not there, or was taken before");
  EXPECT_EQ(said({{0, 4}, {3, 1}}), "einsum: pair 0 (0, 4) takes a tensor that is not there, or was taken before");
  const std::vector<tensor_view<const double>> many(3, a.view());
  EXPECT_TRUE(contains(refused([&] { (void)einsum(one(), plus_min<double>{}, "ij,jk,kl->il", many, {}); }),
                       "a mul that distributes over add"));
}

TEST(einsum_contract, values_outside_the_domain) {
  auto a = made<float>({2, 1, 2}, {1, 2, 3, -4});
  const auto b = made<float>({2, 2}, {1, 1, 1, 1});
  tensor<float> c({2, 2}, 7);
  EXPECT_EQ(refused([&] { einsum(one(), max_times<float>{}, "iuk,kj->ij", a, b, c, {}); }),
            "operand 1(1, 0, 1) = -4 is outside the domain of max_times");
  EXPECT_EQ(values(c), (std::vector<float>{7, 7, 7, 7}));
  a(1, 0, 1) = 4;
  c(1, 1) = -1;
  EXPECT_EQ(refused([&] { einsum(one(), max_times<float>{}, "iuk,kj->ij", a, b, c, {.accumulate = true}); }),
            "the output(1, 1) = -1 is outside the domain of max_times");
  const auto large = made<std::int32_t>({1}, {200000000});
  EXPECT_TRUE(contains(refused([&] { (void)einsum(one(), shortest{}, "i,i->i", large, large); }), "too large"));
}

TEST(einsum_contract, threads_and_instruction_sets_change_no_result) {
  std::vector<float> memory(1 << 14);
  for (std::size_t e = 0; e < memory.size(); ++e) memory[e] = static_cast<float>(e * 7919 % 1013);
  std::vector<index_t> twos(14, 2);
  const tensor_view<const float> a(memory.data(), twos), b = a.permuted({3, 1, 0, 2, 9, 8, 7, 4, 5, 6, 13, 10, 12, 11});
  const auto first = values(einsum(one(), longest{}, "abcdefghijklmn,cdefABCDEFGHnm->aBbhAgCijDklEFGH", a, b));
  for (const int threads : {1, 2, 3})
    for (const char* isa : {"baseline", "avx2", "avx512"}) {
      if (instruction_set_from("baseline") == best_instruction_set() && std::string(isa) != "baseline") continue;
      if (std::string(isa) == "avx512" && best_instruction_set() != instruction_set::avx512) continue;
      const context ctx = context::cpu({.threads = threads, .isa = isa});
      EXPECT_EQ(values(einsum(ctx, longest{}, "abcdefghijklmn,cdefABCDEFGHnm->aBbhAgCijDklEFGH", a, b)), first);
    }
}

TEST(einsum_contract, one_operand) {
  const auto a = made<float>({2, 2}, {1, -2, 3, 4});
  EXPECT_EQ(values(einsum(one(), max_times<float>{}, "ij->ji", a)), (std::vector<float>{1, 3, -2, 4}))
      << "copied as it is, unchecked";
  EXPECT_EQ(refused([&] { (void)einsum(one(), max_times<float>{}, "ij->i", a); }),
            "operand 1(0, 1) = -2 is outside the domain of max_times");
  const auto b = made<std::int32_t>({2, 2}, {1, 2, 3, 4});
  tensor<std::int32_t> c({2});
  EXPECT_EQ(values(einsum(one(), last_wins{}, "ij->ij", b)), values(b));
  EXPECT_EQ(refused([&] { einsum(one(), last_wins{}, "ij->i", b, c, {}); }),
            "einsum over last_wins: sums of one operand need one()");
  const std::vector<tensor_view<const float>> alone{a};
  EXPECT_EQ(refused([&] { (void)einsum(one(), max_times<float>{}, "ij->i", alone, {.accumulate = true}); }),
            "einsum: there is nothing in a new tensor to accumulate into");
}

TEST(einsum_contract, more_terms_than_can_be_counted) {
  const std::int32_t value = 1;
  const auto still = [&](index_t n) { return tensor_view<const std::int32_t>(&value, {n}, {0}); };
  tensor<std::int32_t> c(axis_values{}, 7);
  terms w(axis_values{}, 7);
  EXPECT_EQ(
      refused([&] { einsum(one(), shortest{}, "i,i->", still(index_t{1} << 31), still(index_t{1} << 31), c, w, {}); }),
      "a witness is int32: k = 2147483648 is too large");
  const index_t large = index_t{1} << 40;
  EXPECT_EQ(refused([&] { einsum(one(), shortest{}, "i,j->", still(large), still(large), c, w, {}); }),
            "einsum: the indices have more steps together than can be counted");
  EXPECT_EQ(c(), 7);
  EXPECT_EQ(w(), 7);
}

TEST(einsum_contract, memory_that_the_context_cannot_reach) {
  const float value = 1;
  const tensor_view<const float, memory::device> far(&value, {1});
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { (void)einsum(one(), longest{}, "i->i", far); }),
                       "operand 1 is in device memory, which cpu ("));
}

TEST(einsum_contract, large_products_of_single_elements) {
  const index_t n = 300001;
  tensor<std::int32_t> a({n}), b({n}), c({n}, 90), want({n});
  terms w({n}, 7), want_w({n});
  for (index_t i = 0; i < n; ++i) {
    a(i) = static_cast<std::int32_t>(i % 97), b(i) = static_cast<std::int32_t>(i % 89);
    want(i) = std::min(90, a(i) + b(i)), want_w(i) = a(i) + b(i) < 90 ? 0 : -1;
  }
  einsum(context::cpu({.threads = 3}), shortest{}, "i,i->i", a, b, c, w, {.accumulate = true});
  EXPECT_EQ(values(c), values(want));
  EXPECT_EQ(values(w), values(want_w));
}

}  // namespace
}  // namespace kleene::test::einsum_test
