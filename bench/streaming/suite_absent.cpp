// The streaming suite in builds without it, so that those spare CUB and Thrust.
#include "streaming/suite.hpp"

namespace kleene::bench {

namespace {
[[noreturn]] void refuse() { throw error(fault_code::usage, "this build of Kleene has no streaming suite"); }
}  // namespace

bool has_streaming_suite() { return false; }
double copy_rate(const context&) { refuse(); }
std::vector<streaming_row> run_streaming_suite(const context&, const streaming_suite_options&,
                                               const std::function<void(const streaming_row&)>&) {
  refuse();
}

}  // namespace kleene::bench
