#include "peers/cublas.hpp"

#include <dlfcn.h>

namespace kleene::bench {

namespace {

// As cublas_v2.h has them (CUDA 12 and 13).
using create_function = int (*)(void** handle);
using destroy_function = int (*)(void* handle);
using set_stream_function = int (*)(void* handle, void* stream);
using set_math_mode_function = int (*)(void* handle, int mode);
template <class T>
using gemm_function = int (*)(void* handle, int op_a, int op_b, int m, int n, int k, const T* alpha, const T* a,
                              int lda, const T* b, int ldb, const T* beta, T* c, int ldc);
using sgemv_function = int (*)(void* handle, int op, int m, int n, const float* alpha, const float* a, int lda,
                               const float* x, int step_x, const float* beta, float* y, int step_y);
using sgemv_batched_function = int (*)(void* handle, int op, int m, int n, const float* alpha, const float* a, int lda,
                                       long long step_a, const float* x, int step_x, long long next_x,
                                       const float* beta, float* y, int step_y, long long next_y, int batch);
constexpr int success = 0, not_transposed = 0, transposed = 1, pedantic_math = 2;

template <class Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

template <class T>
bool multiply(gemm_function<T> call, void* handle, index_t m, index_t n, index_t k, const T* a, const T* b, T* c) {
  const T one = 1, zero = 0;
  const int rows = static_cast<int>(m), cols = static_cast<int>(n), depth = static_cast<int>(k);
  // Row-major C = A B is column-major C' = B' A'.
  return call && call(handle, not_transposed, not_transposed, cols, rows, depth, &one, b, cols, a, depth, &zero, c,
                      cols) == success;
}

void* open_library() {
  for (const std::string folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/targets/x86_64-linux/lib/"})
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
      if (void* library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

}  // namespace

cublas::cublas(void* stream) : library_(open_library()) {
  if (!library_) return;
  const auto create = find<create_function>(library_, "cublasCreate_v2");
  const auto set_stream = find<set_stream_function>(library_, "cublasSetStream_v2");
  const auto set_math_mode = find<set_math_mode_function>(library_, "cublasSetMathMode");
  if (!create || !set_stream || !set_math_mode || create(&handle_) != success) {
    handle_ = nullptr;
    return;
  }
  if (set_stream(handle_, stream) == success && set_math_mode(handle_, pedantic_math) == success) return;
  find<destroy_function>(library_, "cublasDestroy_v2")(handle_);
  handle_ = nullptr;
}

// The library stays open: CUDA libraries do not like to be unloaded before the process ends.
cublas::~cublas() {
  if (handle_) find<destroy_function>(library_, "cublasDestroy_v2")(handle_);
}

bool cublas::gemm(index_t m, index_t n, index_t k, const float* a, const float* b, float* c) const {
  return handle_ && multiply(find<gemm_function<float>>(library_, "cublasSgemm_v2"), handle_, m, n, k, a, b, c);
}
bool cublas::gemm(index_t m, index_t n, index_t k, const double* a, const double* b, double* c) const {
  return handle_ && multiply(find<gemm_function<double>>(library_, "cublasDgemm_v2"), handle_, m, n, k, a, b, c);
}

bool cublas::sgemv(bool by_columns, index_t m, index_t k, const float* a, const float* x, float* y) const {
  if (!handle_) return false;
  const auto call = find<sgemv_function>(library_, "cublasSgemv_v2");
  const float one = 1, zero = 0;
  // To cuBLAS the rows of memory are columns.
  const int line = static_cast<int>(by_columns ? m : k), lines = static_cast<int>(by_columns ? k : m);
  return call && call(handle_, by_columns ? not_transposed : transposed, line, lines, &one, a, line, x, 1, &zero, y,
                      1) == success;
}

bool cublas::sgemv(bool by_columns, index_t batch, index_t m, index_t k, const float* a, const float* x,
                   float* y) const {
  if (!handle_) return false;
  const auto call = find<sgemv_batched_function>(library_, "cublasSgemvStridedBatched");
  const float one = 1, zero = 0;
  const int line = static_cast<int>(by_columns ? m : k), lines = static_cast<int>(by_columns ? k : m);
  return call && call(handle_, by_columns ? not_transposed : transposed, line, lines, &one, a, line, m * k, x, 1, k,
                      &zero, y, 1, m, static_cast<int>(batch)) == success;
}

}  // namespace kleene::bench
