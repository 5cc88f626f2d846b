// What a closure asks of the CPU product: D = C, and improved elements take lookup(k, j) of their smallest k while the
// others keep the witness that they have. Against the reference, for every row of the catalog that has witnesses.
#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/reference/gemm.hpp"
#include "kleene/operations/own/gemm.inl.hpp"
#include "support/product.hpp"

namespace kleene::test::gemm_lookup_test {
namespace {

// Every instruction set, with one thread and two. `pitch` is the distance of C's columns and of the witness's.
template <class S>
void check_lookup(index_t m, index_t n, index_t k, index_t pitch, distribution values) {
  using T = value_of<S>;
  const matrix<T> a = problems::random_matrix<S>(m, k, values, 1), b = problems::random_matrix<S>(k, n, values, 2);
  const matrix<T> before = problems::random_matrix<S>(m, n * pitch, values, 3);
  matrix<std::int32_t> lookup(k, n), kept(m, n * pitch);
  for (index_t e = 0; e < lookup.size(); ++e) lookup.data()[e] = static_cast<std::int32_t>(1000 + e);
  for (index_t e = 0; e < kept.size(); ++e) kept.data()[e] = static_cast<std::int32_t>(-e - 2);

  const auto arguments = [&](matrix<T>& c, matrix<std::int32_t>& w) {
    kernels::gemm_arguments<S> g;
    g.m = m, g.n = n, g.k = k;
    g.a = a.data(), g.sa = {0, k, 1};
    g.b = b.data(), g.sb = {0, n, 1};
    g.c = c.data(), g.d = c.data(), g.witness = w.data();
    g.sc = g.sd = g.switness = {0, n * pitch, pitch};
    g.lookup = lookup.data(), g.slookup = {0, n, 1};
    return g;
  };
  matrix<T> expected = before;
  matrix<std::int32_t> expected_witness = kept;
  const auto truth = kernels::reference::gemm(arguments(expected, expected_witness));
  for (const std::string_view isa : instruction_sets())
    for (const int threads : {1, 2}) {
      const context ctx = context::cpu({.threads = threads, .isa = isa});
      matrix<T> c = before;
      matrix<std::int32_t> w = kept;
      auto g = arguments(c, w);
      g.threads = threads, g.isa = ctx.isa();
      EXPECT_EQ(kernels::cpu::launch_gemm(g, ctx.workspace(kernels::cpu::gemm_workspace(g))), truth);
      EXPECT_TRUE(equal(c, expected)) << name_of<S>() << " " << isa << " " << m << "x" << n << "x" << k;
      EXPECT_TRUE(equal(w, expected_witness)) << name_of<S>() << " " << isa << " " << m << "x" << n << "x" << k;
    }
}

template <class S>
void check_lookups() {
  if constexpr (is_selective<S>)
    for (const auto values : {distribution::signed_integers, distribution::sparse})
      for (const auto& [m, n, k] : {std::array<index_t, 3>{1, 1, 1},
                                    {4, 32, 8},
                                    {5, 33, 9},
                                    {13, 64, 7},
                                    {37, 65, 129},
                                    {61, 97, 256},
                                    {9, 130, 300}})
        for (const index_t pitch : {1, 2}) check_lookup<S>(m, n, k, pitch, values);
}

TEST(gemm, improved_elements_take_what_is_looked_up) {
  for_each_algebra([](auto s) { check_lookups<decltype(s)>(); });
}

}  // namespace
}  // namespace kleene::test::gemm_lookup_test
