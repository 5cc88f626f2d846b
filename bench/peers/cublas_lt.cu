#include "peers/cublas_lt.hpp"

#include "gpu_timer.cuh"
#include "kleene/algebra/half.hpp"

#include <cublasLt.h>
#include <dlfcn.h>

#include <cstring>

namespace kleene::bench {

namespace {

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;

void* open_library() {
  for (const std::string folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/targets/x86_64-linux/lib/"})
    for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"})
      if (void* found = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
  return nullptr;
}
void* library() {
  static void* const opened = open_library();
  return opened;
}

// The library's function of the type that the header declares.
#define KLEENE_LT(function) reinterpret_cast<decltype(&function)>(dlsym(library(), #function))

cudaDataType type_of(const std::string& name) {
  if (name == "bf16") return CUDA_R_16BF;
  if (name == "f16") return CUDA_R_16F;
  if (name == "f64") return CUDA_R_64F;
  if (name == "i8") return CUDA_R_8I;
  if (name == "f8_e4m3") return CUDA_R_8F_E4M3;
  if (name == "i32") return CUDA_R_32I;
  return CUDA_R_32F;
}

// One product, ready to run.
struct product_call {
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t work;
  cublasLtMatrixLayout_t layout_a, layout_b, layout_c;
  cublasLtMatmulAlgo_t algorithm;
  const void *a, *b;
  void *c, *workspace, *stream;
  alignas(8) unsigned char one[8] = {}, zero[8] = {};

  void set_factors(cudaDataType scale) {
    const double f64 = 1;
    const f16 half(1.0f);
    const float f32 = 1;
    const int i32 = 1;
    if (scale == CUDA_R_64F) std::memcpy(one, &f64, sizeof f64);
    if (scale == CUDA_R_32F) std::memcpy(one, &f32, sizeof f32);
    if (scale == CUDA_R_16F) std::memcpy(one, &half, sizeof half);
    if (scale == CUDA_R_32I) std::memcpy(one, &i32, sizeof i32);
  }
  void operator()() const {
    const auto multiply = KLEENE_LT(cublasLtMatmul);
    if (multiply(handle, work, one, b, layout_b, a, layout_a, zero, c, layout_c, c, layout_c, &algorithm, workspace,
                 workspace_bytes, static_cast<cudaStream_t>(stream)) != CUBLAS_STATUS_SUCCESS)
      throw error(fault_code::device, "cuBLASLt refused a product that it had chosen an algorithm for");
  }
};

}  // namespace

cublas_lt::cublas_lt(void* stream) : stream_(stream) {
  if (!library()) return;
  cublasLtHandle_t handle;
  if (KLEENE_LT(cublasLtCreate)(&handle) != CUBLAS_STATUS_SUCCESS) return;
  handle_ = handle;
  require_cuda(cudaMalloc(&workspace_, workspace_bytes), "allocating cuBLASLt's workspace");
}

std::function<void()> cublas_lt::product(const std::string& type, const std::string& type_of_c, index_t m, index_t n,
                                         index_t k, bool transposed_a, bool transposed_b, const void* a, const void* b,
                                         void* c, float_precision precision) const {
  if (!handle_) return {};
  const cudaDataType in = type_of(type), out = type_of(type_of_c);
  const bool in_f16 = precision == float_precision::f16_sums;
  const cublasComputeType_t compute = type == "f64"   ? CUBLAS_COMPUTE_64F
                                      : type == "i8"  ? CUBLAS_COMPUTE_32I
                                      : type == "f32" ? CUBLAS_COMPUTE_32F_FAST_TF32
                                      : in_f16        ? CUBLAS_COMPUTE_16F
                                                      : CUBLAS_COMPUTE_32F;
  const cudaDataType scale = type == "f64" ? CUDA_R_64F : type == "i8" ? CUDA_R_32I : in_f16 ? CUDA_R_16F : CUDA_R_32F;
  // Row-major C = A B is column-major C' = B' A'.
  const cublasOperation_t first = transposed_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t second = transposed_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasLtMatmulDesc_t work;
  cublasLtMatrixLayout_t layout_b, layout_a, layout_c;
  cublasLtMatmulPreference_t preference;
  KLEENE_LT(cublasLtMatmulDescCreate)(&work, compute, scale);
  const auto set = KLEENE_LT(cublasLtMatmulDescSetAttribute);
  set(work, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first);
  set(work, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second);
  const std::int8_t fast = precision == float_precision::fast_accumulation;
  set(work, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
  const auto make_layout = KLEENE_LT(cublasLtMatrixLayoutCreate);
  make_layout(&layout_b, in, transposed_b ? k : n, transposed_b ? n : k, transposed_b ? k : n);
  make_layout(&layout_a, in, transposed_a ? m : k, transposed_a ? k : m, transposed_a ? m : k);
  make_layout(&layout_c, out, n, m, n);
  KLEENE_LT(cublasLtMatmulPreferenceCreate)(&preference);
  KLEENE_LT(cublasLtMatmulPreferenceSetAttribute)
  (preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes, sizeof workspace_bytes);
  cublasLtMatmulHeuristicResult_t chosen;
  int found = 0;
  const auto status =
      KLEENE_LT(cublasLtMatmulAlgoGetHeuristic)(static_cast<cublasLtHandle_t>(handle_), work, layout_b, layout_a,
                                                layout_c, layout_c, preference, 1, &chosen, &found);
  if (status != CUBLAS_STATUS_SUCCESS || found == 0) return {};
  product_call call{static_cast<cublasLtHandle_t>(handle_),
                    work,
                    layout_a,
                    layout_b,
                    layout_c,
                    chosen.algo,
                    a,
                    b,
                    c,
                    workspace_,
                    stream_};
  call.set_factors(scale);
  return call;
}

}  // namespace kleene::bench
