// The scale suite in builds without it: without CUDA, or of some algebras alone.
#include "kleene/data/error.hpp"
#include "scale_suite.hpp"

namespace kleene::bench {

bool has_scale_suite() { return false; }
std::vector<scale_row> run_scale_suite(const scale_suite_options&, const std::function<void(const scale_row&)>&) {
  throw error(fault_code::usage, "this build of Kleene has no suites of GPUs");
}

}  // namespace kleene::bench
