// The CPU product, the interface: how much workspace it needs, and run it. Compiled into the library for every row of
// the catalog; definitions for other algebras are in launch.inl.hpp.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"

#include <cstddef>
#include <exception>
#include <string>

namespace kleene::kernels::cpu {

// Bytes of workspace that launch_gemm needs: the packed panels, about (m + n) * min(k, depth) accumulators; twice
// that with a witness, and n * k predecessors where they are looked up.
template <class G>
std::size_t gemm_workspace(const G& g);

// Runs the product on g.threads threads; workspace is 64-byte aligned. status::overflow: a finite result did not fit.
template <class G>
status launch_gemm(const G& g, void* workspace) noexcept;

// The same with an epilogue that may throw: the first exception of all threads is left in `thrown`, and C is then not
// to be used. Without an epilogue nothing of a product throws.
template <class G>
status launch_gemm(const G& g, void* workspace, std::exception_ptr& thrown) noexcept;

// "gemm min_plus f32 2048x2048x2048: avx512, 2 threads, tile 12x32, depth 512".
template <class G>
[[gnu::cold]] std::string describe_gemm(const G& g);

}  // namespace kleene::kernels::cpu
