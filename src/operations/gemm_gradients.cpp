// Gradients of products over log_plus: the contract is in operations/gradients/gemm.hpp.
#include "kleene/operations/gradients/gemm.hpp"

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/contract/log_sum_gradient.hpp"
#include "kleene/kernels/cuda/gemm/log_sums/gradients.hpp"

#include <atomic>
#include <cmath>
#include <limits>

namespace kleene::detail {

namespace {

template <class T>
constexpr T none_at_all = -std::numeric_limits<T>::infinity();

template <class T>
void require_gradient_arguments(const context& ctx, const log_sum_gradient_call<T>& x) {
  const index_t batch = x.c.extent(0), m = x.a.rows(), k = x.a.cols(), n = x.b.cols();
  require_product_shapes({.operation = "gemm_gradients"}, x.a.extents(), x.b.extents(), x.c.extents());
  const auto require = [&](const char* name, const auto& v, index_t rows, index_t cols) {
    if (v.extent(0) != batch || v.rows() != rows || v.cols() != cols)
      refuse_shape(name, v.extents(), batch, rows, cols);
    require_data(name, v);
  };
  require("A", x.a, m, k);
  require("B", x.b, k, n);
  require("C", x.c, m, n);
  require("the gradient of C", x.g, m, n);
  require("the gradient of A", x.to_a, m, k);
  require("the gradient of B", x.to_b, k, n);
  require_distinct_elements("the gradient of A", x.to_a);
  require_distinct_elements("the gradient of B", x.to_b);
  const auto require_separate = [](const char* name, const batch_view<T>& to, const auto&... others) {
    (require_disjoint(others.first, others.second, name, to), ...);
  };
  const std::pair a("A", x.a), b("B", x.b), c("C", x.c), g("the gradient of C", x.g);
  require_separate("the gradient of A", x.to_a, a, b, c, g, std::pair("the gradient of B", x.to_b));
  require_separate("the gradient of B", x.to_b, a, b, c, g);
  constexpr index_t most = 65535;
  if (ctx.kind() == device_kind::cuda && (batch > most || std::max(m, n) > most * kernels::cuda::far_tile))
    throw shape_error("a gradient over log_plus on a CUDA device takes at most 65,535 matrices of at most 4,194,240 " +
                      std::string("rows and columns; C is ") + shape_of(x.c));
}

// Memory of the context's for `extents` elements.
template <class T>
class kept_batch {
 public:
  kept_batch(const context& ctx, index_t batch, index_t rows, index_t cols)
      : extents_{batch, rows, cols}, memory_(ctx.temporary(std::max<std::size_t>(bytes_of(extents_, sizeof(T)), 1))) {}
  batch_view<T, memory::managed> view() const { return {static_cast<T*>(memory_.get()), extents_}; }
  batch_view<T, memory::device> on_device() const { return {static_cast<T*>(memory_.get()), extents_}; }

 private:
  std::array<index_t, 3> extents_;
  decltype(std::declval<const context&>().temporary(0)) memory_;
};

template <memory Space, class T>
batch_view<T, Space> in(const batch_view<T>& v) {
  return {v.data(), v.extents(), v.strides()};
}

// What the two machines share: DA = W Q', DB = P' W, before P and Q multiply them.
template <class T, class P, class Q, class W>
void multiply_weights(const context& ctx, const log_sum_gradient_call<T>& x, const P& p, const Q& q, const W& w) {
  // On a GPU three products of the tensor cores each where there are such, with 22 bits of each factor.
  const gemm_options<T> options{.precision = float_precision::split};
  gemm(ctx, plus_times<T>{}, w, q.transposed(), in<memory::managed>(x.to_a), options);
  gemm(ctx, plus_times<T>{}, p.transposed(), w, in<memory::managed>(x.to_b), options);
}

template <class T>
void run_on_device(const context& ctx, const log_sum_gradient_call<T>& x) {
  using kernels::cuda::far_tile;
  const index_t batch = x.c.extent(0), m = x.a.rows(), k = x.a.cols(), n = x.b.cols();
  const kept_batch<T> p(ctx, batch, m, k), q(ctx, batch, k, n), w(ctx, batch, m, n), tops_a(ctx, batch, m, 1),
      tops_b(ctx, batch, 1, n);
  const kept_batch<std::int32_t> far(ctx, batch, ceil_div(m, far_tile), ceil_div(n, far_tile));
  const kernels::cuda::log_sum_gradients<T> on{
      in<memory::device>(x.g), in<memory::device>(x.a), in<memory::device>(x.b), in<memory::device>(x.c),
      p.on_device(),           q.on_device(),           w.on_device(),           tops_a.on_device(),
      tops_b.on_device(),      far.on_device()};
  kernels::cuda::launch_log_sum_factors(ctx, on);
  multiply_weights(ctx, x, p.view(), q.view(), w.view());
  kernels::cuda::launch_log_sum_terms(ctx, on, in<memory::device>(x.to_a), in<memory::device>(x.to_b));
}

// The same on the CPU.
template <class T>
class gradient_on_cpu {
 public:
  gradient_on_cpu(const context& ctx, const log_sum_gradient_call<T>& x)
      : ctx_(ctx),
        x_(x),
        p_(ctx, x.c.extent(0), x.a.rows(), x.a.cols()),
        q_(ctx, x.c.extent(0), x.b.rows(), x.b.cols()),
        w_(ctx, x.c.extent(0), x.c.rows(), x.c.cols()),
        tops_a_(ctx, x.c.extent(0), x.a.rows(), 1),
        tops_b_(ctx, x.c.extent(0), 1, x.b.cols()) {}

  void run() {
    const auto p = p_.view(), q = q_.view(), w = w_.view(), tops_a = tops_a_.view(), tops_b = tops_b_.view();
    for_each_row(x_.a, [&](index_t l, index_t i) {
      T& top = tops_a(l, i, 0) = none_at_all<T>;
      for (index_t k = 0; k < p.cols(); ++k) top = std::max(top, x_.a(l, i, k));
      for (index_t k = 0; k < p.cols(); ++k) p(l, i, k) = kernels::factor_of_log_sum(x_.a(l, i, k), top);
    });
    for (index_t l = 0; l < q.extent(0); ++l) {
      for (index_t j = 0; j < q.cols(); ++j) tops_b(l, 0, j) = none_at_all<T>;
      for (index_t k = 0; k < q.rows(); ++k)
        for (index_t j = 0; j < q.cols(); ++j) tops_b(l, 0, j) = std::max(tops_b(l, 0, j), x_.b(l, k, j));
    }
    for_each_row(x_.b, [&](index_t l, index_t k) {
      for (index_t j = 0; j < q.cols(); ++j) q(l, k, j) = kernels::factor_of_log_sum(x_.b(l, k, j), tops_b(l, 0, j));
    });
    std::atomic<bool> any_far = false;
    for_each_row(x_.c, [&](index_t l, index_t i) {
      bool far = false;
      for (index_t j = 0; j < w.cols(); ++j) {
        w(l, i, j) = weight(l, i, j, far);
        if (far) any_far.store(true, std::memory_order_relaxed);
      }
    });
    multiply_weights(ctx_, x_, p, q, w);
    for_each_row(x_.to_a, [&](index_t l, index_t i) {
      for (index_t k = 0; k < p.cols(); ++k) x_.to_a(l, i, k) *= p(l, i, k);
    });
    for_each_row(x_.to_b, [&](index_t l, index_t k) {
      for (index_t j = 0; j < q.cols(); ++j) x_.to_b(l, k, j) *= q(l, k, j);
    });
    if (!any_far) return;
    add_far(T(1));
    add_far(T(-1));
  }

 private:
  template <class V, class Row>
  void for_each_row(const V& v, const Row& row) const {
    task_queue queue;
    const index_t rows = v.extent(0) * v.rows();
    run_tasks(threads_for(double(v.size()), elements_per_thread, ctx_.threads()), [&](const team_member&) {
      for (index_t i; (i = queue.next()) < rows;) row(i / v.rows(), i % v.rows());
    });
  }

  T weight(index_t l, index_t i, index_t j, bool& is_far) const {
    return kernels::weight_of_log_sum(x_.g(l, i, j), tops_a_.view()(l, i, 0), tops_b_.view()(l, 0, j), x_.c(l, i, j),
                                      is_far);
  }

  // exp(A) times the sum of |G| exp(B - C), in logarithms, over the elements that were left out and have this sign.
  void add_far(T sign) {
    const auto logs = w_.view();  // the weights are used up, and so are P and Q
    std::atomic<bool> any = false;
    for_each_row(x_.c, [&](index_t l, index_t i) {
      for (index_t j = 0; j < logs.cols(); ++j) {
        bool far = false;
        weight(l, i, j, far);
        const T g = sign * x_.g(l, i, j);
        far = far && g > 0;
        logs(l, i, j) = far ? std::log(g) - x_.c(l, i, j) : none_at_all<T>;
        if (far) any.store(true, std::memory_order_relaxed);
      }
    });
    if (!any) return;
    const auto add = [&](const batch_view<const T>& x, const auto& sums, const batch_view<T>& to) {
      for_each_row(to, [&](index_t l, index_t i) {
        for (index_t j = 0; j < to.cols(); ++j) to(l, i, j) += sign * std::exp(x(l, i, j) + sums(l, i, j));
      });
    };
    gemm(ctx_, log_plus<T>{}, logs, x_.b.transposed(), p_.view());
    add(x_.a, p_.view(), x_.to_a);
    gemm(ctx_, log_plus<T>{}, x_.a.transposed(), logs, q_.view());
    add(x_.b, q_.view(), x_.to_b);
  }

  const context& ctx_;
  const log_sum_gradient_call<T>& x_;
  kept_batch<T> p_, q_, w_, tops_a_, tops_b_;
};

}  // namespace

template <class T>
void run_log_sum_gradient(const context& ctx, const log_sum_gradient_call<T>& x) {
  require_gradient_arguments(ctx, x);
  if (x.to_a.empty() && x.to_b.empty()) return;
  run_as_call(ctx, call_over<log_plus<T>>("gemm_gradients", {x.a.rows(), x.b.cols(), x.a.cols()}, x.c.extent(0)), [&] {
    if (ctx.kind() == device_kind::cuda) run_on_device(ctx, x);
    else gradient_on_cpu<T>(ctx, x).run();
  });
}

template void run_log_sum_gradient(const context&, const log_sum_gradient_call<float>&);
template void run_log_sum_gradient(const context&, const log_sum_gradient_call<double>&);

}  // namespace kleene::detail
