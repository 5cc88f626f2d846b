// What a library of some algebras alone (KLEENE_ALGEBRAS) has in place of solve*.cpp, where one that they need is not
// among them.
#include "kleene/networks/solve.hpp"

#include "kleene/data/error.hpp"

namespace kleene {

namespace {

[[noreturn]] void refuse() {
  throw error(fault_code::usage,
              "networks are solved over max_plus, plus_times and log_plus, and this build leaves one of them out "
              "(KLEENE_ALGEBRAS)");
}

}  // namespace

template <class T>
optimum_result<T> optimum(const context&, const factor_graph<T>&, direction, const solve_options&) {
  refuse();
}
template <class T>
count_result<T> count_optima(const context&, const factor_graph<T>&, direction, const solve_options&) {
  refuse();
}
template <class T>
several_result<T> several_best(const context&, const factor_graph<T>&, direction, int, const solve_options&) {
  refuse();
}
template <class T>
count_result<T> count_solutions(const context&, const factor_graph<T>&, const solve_options&) {
  refuse();
}
partition_result partition(const context&, const factor_graph<double>&, const solve_options&) { refuse(); }
partition_result log_partition(const context&, const factor_graph<double>&, const solve_options&) { refuse(); }

#define KLEENE_SOLVE_ROW(T, result, question, ...) \
  template result<T> question(const context&, const factor_graph<T>& __VA_OPT__(, ) __VA_ARGS__, const solve_options&);
#include "kleene/networks/detail/solve_rows.def"
#undef KLEENE_SOLVE_ROW

}  // namespace kleene
