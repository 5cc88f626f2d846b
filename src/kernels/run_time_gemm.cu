// Products over rings at run time: their kernels, loaded, and the choice of a row.
#include "kernels/run_time_product.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/closure/blocks.cuh"
#include "kleene/kernels/cuda/closure/prepare.cuh"

#include <cstring>

namespace kleene::kernels::cuda {

namespace {

template <class S>
constexpr bool knows_signs(const char* name) {
  const ring_signs known = signs_of(name);
  return known.non_negative == has_atom<S, sign_class::non_negative> &&
         known.non_positive == has_atom<S, sign_class::non_positive>;
}
static_assert(knows_signs<min_plus<float>>("min_plus") && knows_signs<max_plus<float>>("max_plus") &&
              knows_signs<min_times<float>>("min_times") && knows_signs<max_times<float>>("max_times") &&
              knows_signs<min_max<float>>("min_max") && knows_signs<max_min<float>>("max_min"));

#if CUDART_VERSION < 12080
bool load(const nvrtc::compiled&, std::vector<const void*>&) {
  throw error(fault_code::device, "rings at run time on GPUs need a library that CUDA 12.8 or newer has compiled");
}
#else
// A library of kernels stays: launches of it may be in flight until the process ends.
bool load(const nvrtc::compiled& from, std::vector<const void*>& kernels) {
  // The driver reads a binary by words, and PTX up to a zero.
  std::vector<std::uint64_t> code(from.code.size() / sizeof(std::uint64_t) + 1);
  std::memcpy(code.data(), from.code.data(), from.code.size());
  cudaLibrary_t library{};
  cudaError_t came = cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  kernels.clear();
  for (const std::string& name : from.names) {
    cudaKernel_t kernel{};
    if (came == cudaSuccess) came = cudaLibraryGetKernel(&kernel, library, name.c_str());
    kernels.push_back(reinterpret_cast<const void*>(kernel));
  }
  if (came != cudaSuccess) cudaGetLastError();
  return came == cudaSuccess;
}
#endif

}  // namespace

const std::vector<const void*>& ring_kernels::of(const ring_part& part, int capability) {
  const std::lock_guard lock(mutex_);
  auto& kernels = loaded_[{capability, part.kind, static_cast<int>(part.row)}];
  if (kernels.empty() && !load(code(part, capability, false), kernels) &&
      !load(code(part, capability, true), kernels)) {
    kernels.clear();
    throw error(fault_code::device, std::string("CUDA: the driver does not load what NVRTC made of ") + facts_.name +
                                        ": an NVRTC that is no newer than the driver is needed");
  }
  return kernels;
}

template <class T>
std::string assertions_for() {
  using S = any_ring<T>;
  using G = gemm_arguments<S>;
  using atom = any_atom<T, 1>;
  const auto assertion = [](const char* type, std::size_t bytes) {
    return std::string("static_assert(sizeof(") + type + ") == " + std::to_string(bytes) + ");\n";
  };
  return assertion("simt_arguments<plain_atom<ring>, gemm_arguments<ring>>", sizeof(simt_arguments<atom, G>)) +
         assertion("pack_pair<plain_atom<ring>, ring::value_type>", sizeof(pack_pair<atom, T>)) +
         assertion("inspection<ring::value_type>", sizeof(inspection<T>)) +
         assertion("team_arguments<ring::value_type>", sizeof(team_arguments<T>)) +
         assertion("matrix_rows<ring::value_type>", sizeof(matrix_rows<T>)) +
         assertion("closure_report", sizeof(closure_report)) + assertion("combine_shape", sizeof(combine_shape)) +
         assertion("gemm_findings", sizeof(gemm_findings));
}

template <class T>
void launch_gemm(const context& ctx, const gemm_arguments<any_ring<T>>& asked, ring_kernels& ring) {
  const gpu::on_device here(ctx.device()->ordinal);
  const ring_facts& facts = ring.facts();
  gemm_arguments<any_ring<T>> g = asked;
  g.check_domain = g.check_domain && facts.has_domain;
  const bool sm_90 = ctx.device()->capability >= 90, with_witness = g.witness != nullptr;
  const workload usual = usual_row_of(sizeof(T), facts.is_selective, with_witness);
  const workload row =
      with_witness ? usual
                   : select_simt_row(usual, false, g.m, g.n, g.k, g.batch, sm_90, ctx.device()->multiprocessors);
  with_product<T>(facts, row, [&]<int Depth>() {
    const index_t at_once = simt_batch<any_atom<T, Depth>>(row_of(row).policy, g);
    if (at_once == 0) refuse_extents(g.m, g.n, g.k);
    launch_in_parts(g, at_once, [&](const auto& part) { ring_product<T, Depth>(ctx, part, ring, row).run(); });
  });
}

#define KLEENE_RING_TYPE(type)                 \
  template std::string assertions_for<type>(); \
  template void launch_gemm<type>(const context&, const gemm_arguments<any_ring<type>>&, ring_kernels&);
KLEENE_FOR_RING_TYPES(KLEENE_RING_TYPE)
#undef KLEENE_RING_TYPE

}  // namespace kleene::kernels::cuda
