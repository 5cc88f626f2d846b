// The suites of GPUs in builds without them: without CUDA, or without -DKLEENE_BENCHES=ON.
#include "bits_suite.hpp"
#include "closure_suite.hpp"
#include "gpu_suite.hpp"
#include "ladder/suite.hpp"
#include "matrix/suite.hpp"
#include "streaming/suite.hpp"

namespace kleene::bench {

namespace {
[[noreturn]] void refuse() { throw error(fault_code::usage, "this build of Kleene has no suites of GPUs"); }
}  // namespace

bool has_gpu_suites() { return false; }
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
std::vector<ladder_rung> run_ladder(const context&, index_t, int) { refuse(); }
std::vector<bits_row> run_bits_suite(const context&, const bits_suite_options&,
                                     const std::function<void(const bits_row&)>&) {
  refuse();
}
double copy_rate(const context&) { refuse(); }
std::vector<streaming_row> run_matrix_suite(const context&, const streaming_suite_options&,
                                            const std::function<void(const streaming_row&)>&) {
  refuse();
}
std::vector<streaming_row> run_streaming_suite(const context&, const streaming_suite_options&,
                                               const std::function<void(const streaming_row&)>&) {
  refuse();
}

}  // namespace kleene::bench
