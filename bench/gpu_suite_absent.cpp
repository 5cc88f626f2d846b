// The GPU suites in builds without CUDA. Nobody gets here: context::cuda() refuses before.
#include "closure_suite.hpp"
#include "gpu_suite.hpp"

namespace kleene::bench {

namespace {
[[noreturn]] void refuse() { throw error(fault_code::device, "this build of Kleene has no CUDA kernels"); }
}  // namespace

std::vector<gpu_roof> measure_gpu_roofs(const context&) { refuse(); }
double gpu_clock(const context&) { refuse(); }
std::vector<gpu_row> run_gpu_suite(const context&, const std::vector<gpu_roof>&, const gpu_suite_options&,
                                   const std::function<void(const gpu_row&)>&) {
  refuse();
}
std::vector<closure_row> run_closure_suite(const context&, const closure_suite_options&,
                                           const std::function<void(const closure_row&)>&) {
  refuse();
}

}  // namespace kleene::bench
