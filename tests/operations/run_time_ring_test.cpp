// Rings at run time against plain loops and a struct of the same functions; what is kept, and what is refused.
#include "kleene/operations/own/run_time_ring.hpp"

#include "kleene/data/error.hpp"
#include "kleene/data/matrix.hpp"
#include "support/trust_ring.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace kleene::run_time_ring_test {

namespace fs = std::filesystem;

// One folder of the suite's own for what is compiled.
class run_time_ring_case : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string name = (fs::temp_directory_path() / "kleene-rings-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(name.data()));
    folder_ = name;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }
  static std::size_t kept() {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  inline static std::string folder_;
  const context ctx_ = context::cpu({.threads = 2});
  const compile_options options_{.cache = folder_};
  const ring_text trust_ = test::trust_text();
};

TEST_F(run_time_ring_case, products_and_closures_by_hand) {
  const run_time_ring<double> trust(trust_, options_);
  matrix<double> a(2, 3), b(3, 2), c(2, 2);
  const double of_a[] = {0.5, 0.75, 1, 0.25, 0, 0.5}, of_b[] = {0.5, 1, 0.5, 0.25, 0.25, 0.75};
  std::copy_n(of_a, 6, a.data()), std::copy_n(of_b, 6, b.data());
  matrix<std::int32_t> witness(2, 2);
  gemm(ctx_, trust, a, b, c, witness);
  const double wanted[] = {0.25, 0.75, 0, 0.25};
  EXPECT_TRUE(std::equal(wanted, wanted + 4, c.data()));
  const std::int32_t ways[] = {1, 2, -1, 0};
  EXPECT_TRUE(std::equal(ways, ways + 4, witness.data()));
  gemm(ctx_, trust, a, b, c);
  EXPECT_TRUE(std::equal(wanted, wanted + 4, c.data()));

  matrix<double> d(3, 3);
  const double friends[] = {0, 0.75, 0.25, 0, 0, 0.75, 0.5, 0, 0};
  std::copy_n(friends, 9, d.data());
  matrix<std::int32_t> before(3, 3);
  const closure_info info = closure(ctx_, trust, d, before);
  EXPECT_TRUE(info.exists);
  const double closed[] = {1, 0.75, 0.5, 0.25, 1, 0.75, 0.5, 0.25, 1};
  EXPECT_TRUE(std::equal(closed, closed + 9, d.data()));
  const std::int32_t last[] = {-1, 0, 1, 2, -1, 1, 2, 0, -1};
  EXPECT_TRUE(std::equal(last, last + 9, before.data()));
}

TEST_F(run_time_ring_case, a_ring_that_is_built_in_gives_its_bits) {
  const run_time_ring<float> own({.name = "own_min_plus",
                                  .add = "b < a ? b : a",
                                  .mul = "a + b",
                                  .zero = "INFINITY",
                                  .one = "0",
                                  .is_selective = true,
                                  .is_commutative = true},
                                 options_);
  matrix<float> a(130, 70), b(70, 90), c(130, 90), wanted(130, 90);
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t k = 0; k < a.cols(); ++k) a(i, k) = static_cast<float>((i * 37 + k * 11) % 101) / 4;
  for (index_t k = 0; k < b.rows(); ++k)
    for (index_t j = 0; j < b.cols(); ++j) b(k, j) = static_cast<float>((k * 53 + j * 29) % 97) / 8;
  gemm(ctx_, own, a, b, c);
  gemm(ctx_, min_plus<float>{}, a, b, wanted);
  EXPECT_TRUE(std::equal(c.data(), c.data() + 130 * 90, wanted.data()));
  for (index_t k = 0; k < b.rows(); ++k) std::fill_n(&b(k, 0), b.cols(), 0.0f);
  gemm(ctx_, own, a, b, c, {.accumulate = true});
  gemm(ctx_, min_plus<float>{}, a, b, wanted, {.accumulate = true});
  EXPECT_TRUE(std::equal(c.data(), c.data() + 130 * 90, wanted.data()));
}

TEST_F(run_time_ring_case, another_ring_with_the_text_finds_what_was_made) {
  matrix<double> a(1, 1), c(1, 1);
  a(0, 0) = 0.75;
  gemm(ctx_, run_time_ring<double>(trust_, options_), a, a, c);
  const std::size_t made = kept();
  EXPECT_GE(made, 1u);
  gemm(ctx_, run_time_ring<double>(trust_, options_), a, a, c);
  EXPECT_EQ(c(0, 0), 0.5);
  EXPECT_EQ(kept(), made);
}

// NVRTC compiles where there is no device, too. Half a minute beside others.
TEST_F(run_time_ring_case, is_compiled_for_devices) {
  const auto compile = [&](const ring_text& text) {
    try {
      run_time_ring<double>(text, options_).compile_for_cuda(90);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::size_t before = kept();
  const std::string why = compile(trust_);
  if (why.find("needs NVRTC") != std::string::npos) GTEST_SKIP() << why;
  ASSERT_EQ(why, "");
  EXPECT_EQ(kept(), before + 5);  // passes over operands; large, small, with a witness; closures
  EXPECT_EQ(compile(trust_), "");
  EXPECT_EQ(kept(), before + 5);

  // What was cut off is made again.
  fs::path cut;
  for (const auto& one : fs::directory_iterator(folder_))
    if (one.path().extension() == ".cubin") cut = one.path();
  const auto size = fs::file_size(cut);
  fs::resize_file(cut, size - 100);
  EXPECT_EQ(compile(trust_), "");
  EXPECT_EQ(fs::file_size(cut), size);

  ring_text wrong = trust_;
  wrong.mul = "a + nobody";
  EXPECT_NE(compile(wrong).find("nobody"), std::string::npos) << compile(wrong);
  EXPECT_EQ(kept(), before + 5);
}

TEST_F(run_time_ring_case, signs_have_kernels_of_their_own) {
  const ring_text text{.name = "own_max_plus",
                       .add = "kleene::ops::max{}(a, b)",
                       .mul = "a + b",
                       .zero = "-INFINITY",
                       .is_selective = true,
                       .computes_as = "max_plus"};
  ring_text unknown = text;
  unknown.computes_as = "max_max";
  EXPECT_THROW(run_time_ring<float>(unknown, options_), argument_error);
  matrix<float> a(1, 2), b(2, 1), c(1, 1);
  a(0, 0) = 1, a(0, 1) = 2, b(0, 0) = 5, b(1, 0) = 3;
  gemm(ctx_, run_time_ring<float>(text, options_), a, b, c);
  EXPECT_EQ(c(0, 0), 6);
}

TEST_F(run_time_ring_case, what_is_wrong_is_said) {
  matrix<double> a(1, 2), c(1, 1);
  const auto said = [&](const auto& work) {
    try {
      work();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  const std::size_t made = kept();
  ring_text wrong = trust_;
  wrong.add = "a +";
  EXPECT_NE(
      said([&] { gemm(ctx_, run_time_ring<double>(wrong, options_), c, c, c); }).find("does not compile the ring"),
      std::string::npos);
  EXPECT_EQ(kept(), made);
  compile_options nobody = options_;
  nobody.compiler = "/nowhere/g++";
  EXPECT_THROW(gemm(ctx_, run_time_ring<double>(trust_, nobody), c, c, c), error);
  wrong = trust_;
  wrong.one = "";
  EXPECT_THROW((void)closure(ctx_, run_time_ring<double>(wrong, options_), c), argument_error);
  wrong.name = "a ring";
  EXPECT_THROW(run_time_ring<double>(wrong, options_), argument_error);

  const run_time_ring<double> trust(trust_, options_);
  a(0, 0) = 2, a(0, 1) = 0;
  matrix<double> b(2, 1);
  b(0, 0) = b(1, 0) = 1;
  EXPECT_NE(said([&] { gemm(ctx_, trust, a, b, c); }).find("A(0, 0) = 2 is outside the domain of trust"),
            std::string::npos);
  EXPECT_THROW(gemm(ctx_, trust, a, a, c), argument_error);
}

}  // namespace kleene::run_time_ring_test
