#include "gpu_suite.hpp"

#include "gpu_narrow.hpp"
#include "gpu_problem.cuh"
#include "gpu_rings.hpp"
#include "peers/cublas.hpp"
#include "peers/quoted.hpp"

#include <chrono>

namespace kleene::bench {

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// What a row is measured against, in Tops.
struct promise {
  double at_least = 0, aim = 0;
  quoted_figure peer{};
};

class suite {
 public:
  suite(const context& ctx, const std::vector<gpu_roof>& roofs, const gpu_suite_options& options,
        const std::function<void(const gpu_row&)>& done)
      : ctx_(ctx),
        roofs_(roofs),
        options_(options),
        done_(done),
        clock_(gpu_clock(ctx)),
        timer_(ctx.stream()),
        swept_(ctx, sweep_bytes / sizeof(uint4), 4),
        sink_(ctx, 1, 1) {
    require_cuda(cudaMemsetAsync(swept_.data(), 0, sweep_bytes, stream()), "clearing the sweep");
    enable_gpu_rings();
    enable_gpu_narrow();
  }

  std::vector<gpu_row> run() {
    two_input();
    one_sign();
    other_types();
    small_whole_numbers();
    narrow();
    witnesses();
    bits();
    shapes();
    layouts();
    return rows_;
  }

 private:
  static constexpr std::size_t sweep_bytes = 256 << 20;
  static constexpr int warm_ups = 3;
  static constexpr index_t large = 8192;
  static constexpr product_shape cube{large, large, large};

  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }

  void evict() {
    sweep<<<4 * ctx_.device()->multiprocessors, 512, 0, stream()>>>(reinterpret_cast<const uint4*>(swept_.data()),
                                                                    sweep_bytes / sizeof(uint4), sink_.data());
  }

  // Fills in the times of call(), which was checked and is warm.
  template <class Call>
  void time(gpu_row& row, double pairs, const Call& call) {
    std::vector<double> times, calls;
    for (int round = 0; round < options_.rounds; ++round) {
      evict();
      timer_.start();
      call();
      timer_.stop();
      ctx_.synchronise();
      times.push_back(timer_.seconds());
    }
    for (int round = 0; round < options_.rounds; ++round) {
      evict();
      ctx_.synchronise();
      const double start = now();
      call();
      ctx_.synchronise();
      calls.push_back(now() - start);
    }
    row.seconds = median(times), row.call_seconds = median(calls);
    row.fastest = *std::min_element(times.begin(), times.end());
    row.slowest = *std::max_element(times.begin(), times.end());
    row.tops = 2e-12 * pairs / row.seconds;
    row.pairs_per_clock = pairs / row.seconds / clock_ / ctx_.device()->multiprocessors;
  }

  // What a row is about.
  struct subject {
    values kind;
    gpu_step step;
    product_shape shape = cube;
    bool witness = false;
    const char* note = "";
  };

  template <class S>
  gpu_row describe(const subject& about, const promise& bar) const {
    const product_shape& s = about.shape;
    gpu_row row;
    row.algebra = S::name, row.dtype = type_name<value_of<S>>, row.data = to_string(about.kind);
    row.layout = std::string(s.transposed_a ? "T" : "N") + (s.transposed_b ? "T" : "N");
    row.m = s.m, row.n = s.n, row.k = s.k, row.batch = s.batch, row.witness = about.witness;
    for (const gpu_roof& roof : roofs_)
      if (roof.step == about.step) row.roof = roof.instructions, row.roof_tops = 2e-12 * roof.rate;
    row.at_least = bar.at_least, row.aim = bar.aim;
    row.peer = bar.peer.peer, row.peer_tops = bar.peer.rate, row.peer_is_quoted = bar.peer.rate > 0;

    const auto text = [](index_t n) { return std::to_string(n); };
    const bool is_cube = s.m == s.n && s.m == s.k;
    row.work = row.algebra + " " + row.dtype + (about.witness ? " witness" : "") + ", " + row.data + ", " +
               (is_cube ? text(s.m) : text(s.m) + "x" + text(s.n) + "x" + text(s.k)) +
               (s.batch > 1 ? ", batch " + text(s.batch) : "") + about.note;
    return row;
  }

  bool wanted(const gpu_row& row) const { return row.work.find(options_.only) != std::string::npos; }

  // One row: the problem, its check, its times. What goes wrong is the row's failure, not the suite's.
  template <class S>
  gpu_row measure(S, const subject& about, const promise& bar) {
    gpu_row row = describe<S>(about, bar);
    if (!wanted(row)) return row;
    try {
      product_problem<S> problem(ctx_, about.shape, about.kind, about.witness);
      for (int warm = 0; warm < warm_ups; ++warm) problem.multiply(ctx_);
      ctx_.synchronise();
      problem.check();
      time(row, about.shape.pairs(), [&] { problem.multiply(ctx_); });
    } catch (const std::exception& wrong) {
      row.failure = wrong.what();
    }
    return row;
  }

  void add(gpu_row row) {
    if (!wanted(row)) return;
    done_(row);
    rows_.push_back(std::move(row));
  }

  template <class S>
  gpu_row product(S s, const subject& about, const promise& bar) {
    gpu_row row = measure(s, about, bar);
    add(row);
    return row;
  }

  // A user's own algebra beside ours, on the same problem.
  template <class S>
  gpu_row beside(S s, const subject& about, const gpu_row& ours) {
    gpu_row row = measure(s, about, {});
    row.bar = "95 % of the built-in", row.at_least = 0.95 * ours.tops;
    return row;
  }

  void two_input() {
    const promise bar{26.5, 30, quoted("min_plus f32, 8192")};
    any_sign_ = product(min_plus<f32>{}, {values::any_sign, gpu_step::add_min}, bar);
    add(beside(my_shortest{}, {values::any_sign, gpu_step::add_min, cube, false, ", user-defined"}, any_sign_));
    product(max_plus<f32>{}, {values::any_sign, gpu_step::add_min}, bar);
    product(max_min<f32>{}, {values::any_sign, gpu_step::min_max}, {15.3, 16, quoted("max_min f32, 8192")});
    product(min_max<f32>{}, {values::any_sign, gpu_step::min_max}, {15.3, 16, quoted("max_min f32, 8192")});
  }

  void one_sign() {
    const promise sums{31.5, 35, quoted("min_plus f32, 8192")}, products{30, 34, quoted("max_times f32, 8192")},
        bounds{20.5, 22, quoted("max_min f32, 8192")};
    const gpu_row ours = product(min_plus<f32>{}, {values::non_negative, gpu_step::add_add_min3}, sums);
    add(beside(my_route{}, {values::non_negative, gpu_step::add_add_min3, cube, false, ", user-defined"}, ours));
    product(max_plus<f32>{}, {values::non_positive, gpu_step::add_add_min3}, sums);
    product(max_plus<f32>{}, {values::non_negative, gpu_step::add_add_min3}, sums);
    product(max_times<f32>{}, {values::non_negative, gpu_step::mul_mul_max3}, products);
    product(min_times<f32>{}, {values::non_negative, gpu_step::mul_mul_max3}, products);
    product(max_min<f32>{}, {values::non_negative, gpu_step::min_min_max3}, bounds);
    product(min_max<f32>{}, {values::non_negative, gpu_step::min_min_max3}, bounds);
  }

  void other_types() {
    product(min_plus<i32>{}, {values::integers, gpu_step::add_min_s32}, {30.5, 32.5, quoted("min_plus i32, 8192")});
    product(min_plus<f64>{}, {values::any_sign, gpu_step::add_min_f64}, {11.5, 12.5, quoted("min_plus f64, 8192")});
    sums_of(plus_times<f32>{}, large, gpu_step::fma_f32, {47, 50, quoted("plus_times f32, 8192")});
    product(log_plus<f32>{}, {values::any_sign, gpu_step::none}, {});
    product(log_plus<f64>{}, {values::any_sign, gpu_step::none}, {});
    product(plus_min<f32>{}, {values::non_negative, gpu_step::add_min}, {});
  }

  // Minima by exponents on the tensor cores: sums of 16 products reach to 50 levels, of 32 to 41.
  void small_whole_numbers() {
    const promise bar{380, 500, quoted("min_plus f32, 8192")};
    product(min_plus<f32>{}, {values::to_25, gpu_step::none}, bar);
    product(min_plus<f32>{}, {values::to_20, gpu_step::none}, bar);
    product(max_plus<f32>{}, {values::to_25, gpu_step::none}, bar);
    product(min_plus<i32>{}, {values::to_25, gpu_step::none}, {0, 0, quoted("min_plus i32, 8192")});
    product(min_plus<f64>{}, {values::to_25, gpu_step::none}, {0, 0, quoted("min_plus f64, 8192")});
    for (const index_t n : {3000, 4096, 16384})
      product(min_plus<f32>{}, {values::to_25, gpu_step::none, {n, n, n}}, {});
    product(min_plus<f32>{}, {values::to_25, gpu_step::none, cube, true},
            {120, 250, quoted("min_plus f32 witness, 8192")});
    product(min_plus<f32>{}, {values::to_20, gpu_step::none, cube, true},
            {120, 250, quoted("min_plus f32 witness, 8192")});
  }

  // 8 and 16 bits: those of 16 in pairs, bytes as exponents where they are small and else widened to 16 bits.
  void narrow() {
    const quoted_figure peer = quoted("min_plus f32, 8192");
    product(min_plus<i16>{}, {values::to_2000, gpu_step::add_min_s16}, {57, 62, peer});
    product(min_plus<u16>{}, {values::to_2000, gpu_step::add_min_s16}, {57, 62, peer});
    product(min_plus<u8>{}, {values::to_60, gpu_step::add_min_s16}, {55, 0, peer});
    product(min_plus<f16>{}, {values::any_sign, gpu_step::add_add_min3_f16}, {52, 60, peer});
    product(min_plus<bf16>{}, {values::any_sign, gpu_step::add_add_min3_f16}, {52, 60, peer});
    product(max_min<f16>{}, {values::any_sign, gpu_step::min_min_max3_f16}, {0, 0, quoted("max_min f32, 8192")});
    product(min_plus<u8>{}, {values::to_25, gpu_step::none}, {400, 500, peer});
    product(min_plus<u8>{}, {values::to_25, gpu_step::none, cube, true},
            {120, 250, quoted("min_plus f32 witness, 8192")});
  }

  // Sums of products, and cuBLAS on the same data, checked and timed in the same way.
  template <class S>
  void sums_of(S s, index_t n, gpu_step step, const promise& bar) {
    gpu_row ours = measure(s, {values::any_sign, step, {n, n, n}}, bar);
    const gpu_row peer = cublas_row(s, n, step);
    if (peer.tops > 0) ours.peer = "cuBLAS", ours.peer_tops = peer.tops, ours.peer_is_quoted = false;
    if (peer.tops > 0 && bar.at_least == 0) ours.bar = "90 % of cuBLAS", ours.at_least = 0.9 * peer.tops;
    add(ours);
    if (peer.tops > 0 || !peer.failure.empty()) add(peer);
  }

  // Empty where there is no cuBLAS.
  template <class S>
  gpu_row cublas_row(S, index_t n, gpu_step step) {
    const product_shape shape{n, n, n};
    const char* const name = sizeof(value_of<S>) == 4 ? ", cuBLAS SGEMM" : ", cuBLAS DGEMM";
    gpu_row row = describe<S>({values::any_sign, step, shape, false, name}, {});
    if (!wanted(row)) return row;
    try {
      const cublas library(ctx_.stream());
      if (!library) return row;
      product_problem<S> problem(ctx_, shape, values::any_sign);
      const auto call = [&] {
        if (!library.gemm(n, n, n, problem.a(), problem.b(), problem.c()))
          throw error(fault_code::device, "cuBLAS refuses");
      };
      for (int warm = 0; warm < warm_ups; ++warm) call();
      ctx_.synchronise();
      problem.check();
      time(row, shape.pairs(), call);
    } catch (const std::exception& wrong) {
      row.failure = wrong.what();
    }
    return row;
  }

  void witnesses() {
    const promise bar{14, 20, quoted("min_plus f32 witness, 8192")};
    product(min_plus<f32>{}, {values::any_sign, gpu_step::add_min, cube, true}, bar);
    const gpu_row ours = product(min_plus<f32>{}, {values::non_negative, gpu_step::add_add_min3, cube, true}, bar);
    add(beside(my_route{}, {values::non_negative, gpu_step::add_add_min3, cube, true, ", user-defined"}, ours));
    product(min_plus<i32>{}, {values::integers, gpu_step::add_min_s32, cube, true},
            {0, 0, quoted("min_plus i32 witness, 8192")});
    product(min_plus<f64>{}, {values::any_sign, gpu_step::add_min_f64, cube, true},
            {0, 0, quoted("min_plus f64 witness, 8192")});
  }

  void bits() {
    const promise bar{20, 0, quoted("or_and u8, 8192")};
    product(or_and<f32>{}, {values::rare_bits, gpu_step::dot_bytes}, bar);
    product(xor_and<f32>{}, {values::bits, gpu_step::dot_bytes}, bar);
    product(or_and<bool>{}, {values::rare_bits, gpu_step::dot_bytes}, bar);
    product(xor_and<bool>{}, {values::bits, gpu_step::dot_bytes}, bar);
  }

  void shapes() {
    constexpr product_shape cube_1024{1024, 1024, 1024}, flat{4096, 4096, 256};
    const promise small{21, 25, quoted("min_plus f32, 1024")}, shallow{25, 28, quoted("min_plus f32, 4096x4096x256")};
    product(min_plus<f32>{}, {values::any_sign, gpu_step::add_min, cube_1024}, small);
    product(min_plus<f32>{}, {values::non_negative, gpu_step::add_add_min3, cube_1024}, small);
    product(min_plus<f32>{}, {values::any_sign, gpu_step::add_min, flat}, shallow);
    product(min_plus<f32>{}, {values::non_negative, gpu_step::add_add_min3, flat}, shallow);
    for (const index_t n : {2048, 4096}) product(min_plus<f32>{}, {values::any_sign, gpu_step::add_min, {n, n, n}}, {});
    for (const index_t n : {1024, 2048, 4096}) sums_of(plus_times<f32>{}, n, gpu_step::fma_f32, {});
    for (const index_t n : {1024, 2048}) sums_of(plus_times<f64>{}, n, gpu_step::none, {});
    gpu_row batch = measure(min_plus<f32>{}, {values::any_sign, gpu_step::add_min, {32, 32, 32, 100000}}, {});
    batch.bar = "40 % of the large product", batch.at_least = 0.40 * any_sign_.tops;
    add(batch);
  }

  // One after the other, then all beside the fastest: 5 % between the fastest and the slowest.
  void layouts() {
    std::vector<gpu_row> rows;
    double fastest = 0;
    for (int form = 0; form < 4; ++form) {
      constexpr const char* notes[] = {", NN", ", NT", ", TN", ", TT"};
      const product_shape shape{large, large, large, 1, form >= 2, form % 2 == 1};
      rows.push_back(measure(min_plus<f32>{}, {values::any_sign, gpu_step::add_min, shape, false, notes[form]}, {}));
      fastest = std::max(fastest, rows.back().tops);
    }
    for (gpu_row& row : rows) {
      row.bar = "95 % of the fastest layout", row.at_least = 0.95 * fastest;
      add(row);
    }
  }

  const context& ctx_;
  const std::vector<gpu_roof>& roofs_;
  gpu_suite_options options_;
  const std::function<void(const gpu_row&)>& done_;
  double clock_;
  gpu_timer timer_;
  device_matrix<unsigned> swept_;
  device_matrix<unsigned> sink_;
  gpu_row any_sign_;  // min_plus f32 of any sign, 8192: what shares are of
  std::vector<gpu_row> rows_;
};

}  // namespace

bool has_gpu_suites() { return true; }

std::vector<gpu_row> run_gpu_suite(const context& ctx, const std::vector<gpu_roof>& roofs,
                                   const gpu_suite_options& options, const std::function<void(const gpu_row&)>& done) {
  require_cuda(cudaSetDevice(ctx.device()->ordinal), "choosing the device");
  return suite(ctx, roofs, options, done).run();
}

}  // namespace kleene::bench
