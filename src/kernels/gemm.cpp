// What products say of themselves: the text is compiled once, not with every algebra.
#include "kleene/kernels/cpu/gemm/log_sums/plan.hpp"
#include "kleene/kernels/cpu/gemm/plan.hpp"

namespace kleene::kernels {

std::string product_text(const std::string& algebra, const char* type, index_t m, index_t n, index_t k, index_t batch) {
  std::string text =
      "gemm " + algebra + " " + type + " " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  if (batch > 1) text += " batch " + std::to_string(batch);
  return text;
}

namespace cpu::detail {

std::string describe_plan(const gemm_plan& plan, instruction_set isa) {
  const std::string who = std::string(to_string(isa)) + ", " + std::to_string(plan.threads) + " threads, ";
  if (plan.small)
    return who + "without packing" + (plan.swapped ? ", transposed (C is column-major)" : "") +
           (plan.batch_parallel ? ", a matrix a thread" : "");
  return who + "tile " + std::to_string(plan.rows) + "x" + std::to_string(plan.cols) + ", depth " +
         std::to_string(plan.depth) + (plan.swapped ? ", transposed (C is short or column-major)" : "") +
         (plan.with_witness ? ", with witness" : "") + (plan.batch_parallel ? ", a matrix a thread" : "");
}

std::string describe_plan(const log_sum_plan& plan) {
  return "log-sum-exp, " + std::string(to_string(plan.isa)) + ", " + std::to_string(plan.threads) + " threads, tile " +
         std::to_string(plan.rows) + "x" + std::to_string(plan.cols) + ", depth " + std::to_string(plan.depth) +
         (plan.swapped ? ", transposed (C is short or column-major)" : "") +
         (plan.block_panels < plan.row_panels ? ", " + std::to_string(plan.block_panels * plan.rows) + " rows at a time"
                                              : "") +
         (plan.batch_parallel ? ", a matrix a thread" : "");
}

}  // namespace cpu::detail
}  // namespace kleene::kernels
