// The suite of the CPU in builds of some algebras (KLEENE_ALGEBRAS): its rows are over others, too.
#include "cpu_suite.hpp"
#include "kleene/data/error.hpp"

namespace kleene::bench {

std::vector<cpu_row> run_cpu_suite(const cpu_suite_options&, const std::function<void(const cpu_row&)>&) {
  throw error(fault_code::usage, "this build of Kleene has some of its algebras, and no suites; ./test.sh builds all");
}

}  // namespace kleene::bench
