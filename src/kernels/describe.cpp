// The line with which a CUDA product explains itself.
#include "kleene/kernels/cuda/gemm/simt/describe.hpp"

namespace kleene::kernels::cuda {

std::string describe_atoms(const atom_names& names, const gemm_checks& checks) {
  const std::string any = names.any;
  if (!names.has_classes) return "atom " + any;
  if (!checks.find_class)
    return "atom " +
           (checks.promised == sign_class::non_negative   ? names.positive
            : checks.promised == sign_class::non_positive ? names.negative
                                                          : any) +
           ", as the caller knows the signs";
  return "atom " + any + (names.has_positive ? std::string(" or ") + names.positive : "") +
         (names.has_negative ? std::string(" or ") + names.negative : "") + ", as the device finds the signs";
}

std::string describe_policy(const simt_policy& p, const char* row) {
  const char* copy = p.copy == copies::bulk ? "bulk" : p.copy == copies::async ? "asynchronous" : "strided";
  return (row ? std::string("row ") + row : "a policy of the caller's") + " (tile " + std::to_string(p.bm) + "x" +
         std::to_string(p.bn) + ", depth " + std::to_string(p.bk) + ", " + std::to_string(p.tm) + "x" +
         std::to_string(p.tn) + " a thread, " + std::to_string(p.stages) + " stages of " + copy + " copies" +
         (p.slices > 1 ? ", sliced-K by " + std::to_string(p.slices) : "") + ")";
}

std::string describe_simt(const simt_description& of) {
  const std::string before = of.before ? std::string(of.before) + "; else " : "";
  return of.product + (of.with_witness ? " with witness" : "") + ": cuda, " + before + of.atom + "; " + of.policy +
         (of.splits > 1 ? "; split-K by " + std::to_string(of.splits) : "") + "; workspace of " +
         std::to_string(of.workspace) + " bytes";
}

}  // namespace kleene::kernels::cuda
