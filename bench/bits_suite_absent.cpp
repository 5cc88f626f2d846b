// The suite of packed bits in builds without it.
#include "bits_suite.hpp"

namespace kleene::bench {

bool has_bits_suite() { return false; }
std::vector<bits_row> run_bits_suite(const context&, const bits_suite_options&,
                                     const std::function<void(const bits_row&)>&) {
  throw error(fault_code::usage, "this build of Kleene has no suite of packed bits");
}

}  // namespace kleene::bench
