// What products of a matrix and a vector say of themselves: the text is compiled once, not with every algebra.
#include "kleene/kernels/cpu/gemv/plan.hpp"

namespace kleene::kernels::cpu::detail {

std::string describe_plan(const std::string& algebra, const char* type, const char* out, index_t rows, index_t depth,
                          const gemv_plan& plan, instruction_set isa) {
  return "gemv " + algebra + " " + type + (out ? std::string(" to ") + out : "") + " " + std::to_string(rows) + "x" +
         std::to_string(depth) + ": " + to_string(isa) + ", " + std::to_string(plan.threads) + " threads, by " +
         (plan.by_rows ? "rows" : "columns") + (plan.unit ? "" : ", strided") + ", tasks of " +
         std::to_string(plan.rows) + " rows and " + std::to_string(plan.depth) + " steps of k";
}

}  // namespace kleene::kernels::cpu::detail
