// The closure of one large matrix over min_plus (max_plus) whose numbers are whole and not negative (not positive) and
// whose distances are short, as those of unweighted graphs are: the blocked elimination with all its products on the
// tensor cores (gemm/exponents/clamped.cuh), many times as fast as on the ordinary units.
//
//   for each block of 1024 vertices   D := D*, R := R (+) D R, L := L (+) L D, A := A (+) L R
//
// Distances below clamped_level (25) come out exact, of others it is known that they are there. Where there is one of
// these at the end, marks are removed again, all that is left are lengths of paths, and the ordinary elimination goes
// on from them.
#pragma once

#include "kleene/gpu/host/loading.cuh"
#include "kleene/gpu/host/wait.cuh"
#include "kleene/kernels/cuda/closure/elimination.cuh"
#include "kleene/kernels/cuda/gemm/exponents/clamped.cuh"

#include <cstdint>

namespace kleene::kernels::cuda {

// What is found out before and after.
struct exponent_closure_report {
  unsigned long long light;  // arcs of at most light_arc
  unsigned other, far;       // an arc that cannot be coded; a distance that is not known
};
// A graph with four arcs a vertex that are this short is likely to have short distances, if it is not a grid.
inline constexpr int light_arc = 6, light_arcs = 4;

static __global__ void clear_exponent_report(exponent_closure_report* report) { *report = {}; }

// Looks at the arcs; gives up where one is no whole number, negative, or as large as a mark.
template <class S>
__global__ void __launch_bounds__(row_threads)
    inspect_arcs(const value_of<S>* a, index_t n, index_t stride, exponent_closure_report* report) {
  unsigned long long light = 0;
  bool other = false;
  for (index_t i = blockIdx.x; i < n; i += gridDim.x) {
    if (__syncthreads_or(__ldcg(&report->other) || other)) break;
    for (index_t j = threadIdx.x; j < n; j += row_threads) {
      const whole_number x = whole_number_of<S>(a[i * stride + j]);
      if (x.kind == whole_number::infinite) continue;
      other |= x.kind == whole_number::other || x.value < 0 || x.value >= clamped_mark;
      light += x.value <= light_arc && i != j;
    }
  }
  if (other) report->other = 1;
  if (light > 0) atomicAdd(&report->light, light);
}

// Whether there is a distance that is not known.
template <class S>
__global__ void __launch_bounds__(row_threads)
    find_far(const value_of<S>* a, index_t n, index_t stride, exponent_closure_report* report) {
  bool far = false;
  for (index_t i = blockIdx.x; i < n; i += gridDim.x) {
    if (__syncthreads_or(__ldcg(&report->far) || far)) break;
    for (index_t j = threadIdx.x; j < n; j += row_threads) {
      const whole_number x = whole_number_of<S>(a[i * stride + j]);
      far |= x.kind == whole_number::other || (x.kind == whole_number::finite && x.value >= clamped_level);
    }
  }
  if (far) report->far = 1;
}

// Takes marks, and what was added to them, out again: numbers that no arc had.
template <class S>
__global__ void __launch_bounds__(row_threads) clear_marks(value_of<S>* a, index_t n, index_t stride) {
  for (index_t i = blockIdx.x; i < n; i += gridDim.x)
    for (index_t j = threadIdx.x; j < n; j += row_threads) {
      const whole_number x = whole_number_of<S>(a[i * stride + j]);
      if (x.kind == whole_number::other || (x.kind == whole_number::finite && x.value >= clamped_mark))
        a[i * stride + j] = S::zero();
    }
}

// From here on it is worth the looks at the arcs.
inline constexpr index_t least_exponent_closure = 8192;

// Nothing, over other algebras.
template <class S, exponent_engine Engine = exponent_engine::chosen, bool IsFor = level_sign<S> != 0>
class exponent_closure {
 public:
  exponent_closure(const context&, index_t, bool) {}
  void plan(parts_of_workspace&) {}
  void load() const {}
  bool run(value_of<S>*, index_t, closure_report*) const { return false; }
};

template <class S, exponent_engine Engine>
class exponent_closure<S, Engine, true> {
 public:
  using T = value_of<S>;
  static constexpr index_t block = 1024;

  // An n x n matrix; nothing is planned, and run() does nothing, where it is not for this.
  exponent_closure(const context& ctx, index_t n, bool wanted)
      : ctx_(ctx), n_(n), products_(n, n, block), wanted_(wanted) {}

  void plan(parts_of_workspace& parts) {
    if (!wanted_) return;
    products_memory_ = parts.take(double(products_.bytes()));
    found_ = parts.take<exponent_closure_report>(1);
    columns_ = parts.take<T>(double(block) * tile_size);
    arrivals_ = parts.take<unsigned>(double(ceil_div(n_, block)));
  }

  void load() const {
    if (wanted_)
      gpu::load_kernels(ctx_, clear_exponent_report, inspect_arcs<S>, find_far<S>, clear_marks<S>, begin_clamped,
                        pack_exponents<S>, gemm_exponents<gemm_arguments<S>, exponents_kind::clamped>,
                        gemm_exponents_mma < gemm_arguments<S>, exponents_kind::clamped,
                        Engine == exponent_engine::mma >);
  }

  // Whether a is closed; if not, its elements are lengths of paths. Waits.
  bool run(T* a, index_t stride, closure_report* report) {
    if (!wanted_) return false;
    gpu::launch(clear_exponent_report, {1, 1, 0, stream()}, found_);
    gpu::launch(inspect_arcs<S>, {blocks(), row_threads, 0, stream()}, a, n_, stride, found_);
    const exponent_closure_report arcs = read();
    if (arcs.other || arcs.light < static_cast<unsigned long long>(light_arcs * n_)) return false;
    eliminate(a, stride, report);
    gpu::launch(find_far<S>, {blocks(), row_threads, 0, stream()}, a, n_, stride, found_);
    const bool closed = !read().far;
    if (!closed) gpu::launch(clear_marks<S>, {blocks(), row_threads, 0, stream()}, a, n_, stride);
    if (explain_enabled())
      explain("closure " + name_of<S>() + ": cuda, by exponents on the tensor cores, blocks of " +
              std::to_string(block) +
              (closed ? "" : "; a distance is " + std::to_string(clamped_level) + " or more: goes on without them"));
    return closed;
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx_.stream()); }
  unsigned blocks() const { return static_cast<unsigned>(8 * ctx_.device()->multiprocessors); }

  exponent_closure_report read() const {
    exponent_closure_report found;
    gpu::require(cudaMemcpyAsync(&found, found_, sizeof found, cudaMemcpyDeviceToHost, stream()), "a closure");
    gpu::wait(ctx_, "a closure");
    return found;
  }

  void eliminate(T* a, index_t stride, closure_report* report) {
    gpu::require(cudaMemsetAsync(arrivals_, 0, ceil_div(n_, block) * sizeof(unsigned), stream()), "clearing counters");
    products_.begin(products_memory_, stream());
    for (index_t first = 0; first < n_; first += block) {
      const index_t b = std::min(block, n_ - first);
      T *const diagonal = a + first * stride + first, *const rows = a + first * stride, *const columns = a + first;
      close(diagonal, b, stride, first, report);
      products_.multiply(diagonal, rows, rows, b, n_, b, stride);
      products_.multiply(columns, diagonal, columns, n_, b, b, stride);
      products_.multiply(columns, rows, a, n_, n_, b, stride);
    }
  }
  void close(T* diagonal, index_t b, index_t stride, index_t first, closure_report* report) {
    team_arguments<T> x;
    x.a = diagonal, x.n = b, x.row_stride = stride, x.col_stride = 1;
    const index_t tiles = ceil_div(b, tile_size);
    x.team = static_cast<int>(std::min<index_t>(tiles * tiles, ctx_.device()->multiprocessors));
    x.columns = columns_, x.arrivals = arrivals_ + first / block;
    x.diverging = &report->diverging, x.first_vertex = static_cast<int>(first), x.overflow = &report->overflow;
    gpu::launch(
        close_blocks<S>,
        {.blocks = static_cast<unsigned>(x.team), .threads = tile_threads, .stream = stream(), .cooperative = true}, x);
  }

  const context& ctx_;
  index_t n_;
  clamped_products<S, Engine> products_;
  bool wanted_;
  char* products_memory_ = nullptr;
  exponent_closure_report* found_ = nullptr;
  T* columns_ = nullptr;
  unsigned* arrivals_ = nullptr;
};

}  // namespace kleene::kernels::cuda
