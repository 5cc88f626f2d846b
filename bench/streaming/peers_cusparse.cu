// cuSPARSE, loaded when it is asked for: what is built runs without it.
#include "gpu_timer.cuh"
#include "streaming/peers.hpp"

#include <cusparse.h>
#include <dlfcn.h>

#include <memory>

namespace kleene::bench::peers {

namespace {

template <class F>
F find(const char* name) {
  static void* const library = [] {
    void* p = dlopen("libcusparse.so.12", RTLD_NOW);
    return p ? p : dlopen("libcusparse.so", RTLD_NOW);
  }();
  return library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
}
#define KLEENE_CUSPARSE(name) find<decltype(&name)>(#name)

template <class T>
peer spmv_of(const context& ctx, const int* offsets, const int* columns, const T* values, const T* x, index_t n,
             index_t entries, T* y) {
  constexpr cudaDataType type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
  const auto create = KLEENE_CUSPARSE(cusparseCreate);
  if (!create) return {"", {}};
  cusparseHandle_t handle;
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t vx, vy;
  create(&handle);
  KLEENE_CUSPARSE(cusparseSetStream)(handle, static_cast<cudaStream_t>(ctx.stream()));
  KLEENE_CUSPARSE(cusparseCreateCsr)
  (&a, n, n, entries, const_cast<int*>(offsets), const_cast<int*>(columns), const_cast<T*>(values), CUSPARSE_INDEX_32I,
   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
  KLEENE_CUSPARSE(cusparseCreateDnVec)(&vx, n, const_cast<T*>(x), type);
  KLEENE_CUSPARSE(cusparseCreateDnVec)(&vy, n, y, type);
  const T one = 1, zero = 0;
  const auto algorithm = CUSPARSE_SPMV_CSR_ALG1;
  const auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
  std::size_t bytes = 0;
  KLEENE_CUSPARSE(cusparseSpMV_bufferSize)(handle, none, &one, a, vx, &zero, vy, type, algorithm, &bytes);
  void* memory = nullptr;
  require_cuda(cudaMalloc(&memory, bytes + 1), "allocating cuSPARSE's storage");
  if (const auto prepare = KLEENE_CUSPARSE(cusparseSpMV_preprocess))
    prepare(handle, none, &one, a, vx, &zero, vy, type, algorithm, memory);
  const std::shared_ptr<void> storage(memory, [](void* p) { cudaFree(p); });
  return {"cusparseSpMV", [=] {
            const T alpha = 1, beta = 0;
            KLEENE_CUSPARSE(cusparseSpMV)(handle, none, &alpha, a, vx, &beta, vy, type, algorithm, storage.get());
          }};
}

}  // namespace

peer spmv(const context& ctx, const int* offsets, const int* columns, const float* values, const float* x, index_t n,
          index_t entries, float* y) {
  return spmv_of(ctx, offsets, columns, values, x, n, entries, y);
}
peer spmv(const context& ctx, const int* offsets, const int* columns, const double* values, const double* x, index_t n,
          index_t entries, double* y) {
  return spmv_of(ctx, offsets, columns, values, x, n, entries, y);
}

}  // namespace kleene::bench::peers
