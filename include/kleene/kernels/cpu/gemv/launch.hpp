// The CPU product of a matrix and a vector, the interface: how much workspace it needs, and run it. Compiled into the
// library for every row of the catalog; definitions for other algebras are in launch.inl.hpp.
#pragma once

#include "kleene/kernels/contract/gemm_arguments.hpp"

#include <cstddef>
#include <string>

namespace kleene::kernels::cpu {

// What the kernels look for in the matrix while they read it.
struct gemv_checks {
  bool domain = false;                   // elements outside the algebra's domain
  bool wraps = false;                    // magnitudes whose sums could leave the accumulator: those u for which not
  double product_scale = 0, source = 0;  // sums_fit(1, product_scale u + source, 1)
};

enum class gemv_status : int {
  ok,
  overflow,  // a finite result did not fit; y is written but not to be used
  outside,   // an element of the matrix is outside the domain; y is as it was, as it is below
  wraps,     // magnitudes are too large
};

// Bytes of workspace that launch_gemv needs: x as accumulators, and the partial sums of split-K.
template <class G>
std::size_t gemv_workspace(const G& g, const gemv_checks& checks);

// Runs the product (n or m is 1, no batch) on up to g.threads threads; workspace is 64-byte aligned.
template <class G>
gemv_status launch_gemv(const G& g, const gemv_checks& checks, void* workspace) noexcept;

// "gemv min_plus f32 2048x4096: avx512, 2 threads, by rows, tasks of 32 rows and 4096 steps".
template <class G>
std::string describe_gemv(const G& g, const gemv_checks& checks);

}  // namespace kleene::kernels::cpu
