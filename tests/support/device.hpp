// One product on a CUDA device, against the reference on the host: the same operands in the same layouts, what lies
// around them included.
#pragma once

#include "kleene/data/device_matrix.hpp"
#include "support/product.hpp"
#include "support/sample.hpp"

namespace kleene::test {

// The buffer of a strided view on the device, and the view in it.
template <class T>
struct device_strided {
  device_matrix<T> buffer;
  view<T, 3, memory::device> at;

  device_strided(const context& ctx, const strided<T>& host)
      : buffer(to_device(ctx, host.buffer)),
        at(buffer.data() + (host.at.data() - host.buffer.data()), host.at.extents(), host.at.strides()) {}
};

// Runs the case on the device (its result goes into `got`), as product_operands::run does on the host.
template <class S, class Out>
void run_on_device(const context& ctx, product_operands<S, Out>& got, std::optional<sign_class> signs = {},
                   float_precision precision = float_precision::full) {
  const product_case<S, Out>& p = got.p;
  device_strided<value_of<S>> a(ctx, got.a), b(ctx, got.b);
  device_strided<Out> c(ctx, got.c), d(ctx, got.d);
  device_strided<bool> mask(ctx, got.mask);
  device_strided<std::int32_t> witness(ctx, got.witness);
  detail::options_for<S, none, Out> o{.accumulate = p.accumulate,
                                      .alpha = p.alpha,
                                      .beta = p.beta,
                                      .mask_complement = p.complement,
                                      .replace = p.replace,
                                      .signs = signs,
                                      .precision = precision};
  if (p.source) o.source = d.at;
  if (p.mask) o.mask = mask.at;
  bool done = false;
  if constexpr (is_selective<S>)
    if (p.witness) gemm(ctx, S{}, a.at, b.at, c.at, witness.at, o), done = true;
  if (!done) gemm(ctx, S{}, a.at, b.at, c.at, o);
  got.c.buffer = to_host(ctx, c.buffer);
  got.witness.buffer = to_host(ctx, witness.buffer);
}

template <class S, class Out = value_of<S>>
void check_on_device(const context& ctx, const product_case<S, Out>& p, double bound = 0,
                     std::optional<sign_class> signs = {}, float_precision precision = float_precision::full) {
  if (!sampled()) return;
  product_operands<S, Out> got(p), want(p);
  if (want.run_reference() == status::overflow) {  // then the device says so too
    EXPECT_THROW(run_on_device(ctx, got, signs, precision), value_error) << p;
    return;
  }
  ASSERT_NO_THROW(run_on_device(ctx, got, signs, precision)) << p;
  // got.c's buffer was replaced; compare whole buffers, which start alike.
  EXPECT_TRUE(bound > 0 ? close(got.c.buffer, want.c.buffer, bound) : equal(got.c.buffer, want.c.buffer))
      << p << " on " << ctx.describe();
  EXPECT_TRUE(equal(got.witness.buffer, want.witness.buffer)) << "witness: " << p << " on " << ctx.describe();
}

// A product of -1, 0 and 1, large enough for the widest tiles, by two precisions: sums are exact, so both are equal.
template <class S, class Out>
void check_precision(const context& ctx, index_t m, index_t n, index_t k, bool transposed_a, bool transposed_b,
                     float_precision precision) {
  if (!sampled()) return;
  using operand_view = view<const value_of<S>, 2, memory::device>;
  const auto a = to_device(ctx, problems::random_matrix<S>(m, k, distribution::negative_zeros, 1));
  const auto b = to_device(ctx, problems::random_matrix<S>(k, n, distribution::negative_zeros, 2));
  using strides = typename operand_view::shape;
  const operand_view va(a.data(), {m, k}, transposed_a ? strides{1, m} : strides{k, 1});
  const operand_view vb(b.data(), {k, n}, transposed_b ? strides{1, k} : strides{n, 1});
  device_matrix<Out> got(ctx, m, n), want(ctx, m, n);
  gemm(ctx, S{}, va, vb, got, {.precision = precision});
  gemm(ctx, S{}, va, vb, want);
  EXPECT_TRUE(equal(to_host(ctx, got), to_host(ctx, want)))
      << m << "x" << n << "x" << k << (transposed_a ? " T" : " N") << (transposed_b ? "T" : "N");
}

// Skips the test where there is no device.
#define KLEENE_NEEDS_GPU() \
  if (kleene::cuda_devices().empty()) GTEST_SKIP() << "no CUDA device"

}  // namespace kleene::test
