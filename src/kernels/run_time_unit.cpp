// What NVRTC is given for a ring: the unit, and the names of its kernels.
#include "kernels/run_time_gemm.hpp"

#include "kleene/kernels/cuda/gemm/select.hpp"

#include <iterator>

namespace kleene::kernels::cuda {

std::vector<std::string> kernels_of(const ring_part& part, const ring_signs& signs) {
  if (part.kind == ring_part::closures) return {"inspect_closure<ring>", "prepare_closure<ring>", "close_blocks<ring>"};
  if (part.kind == ring_part::operands)
    return {"pack_operands<ring, pack_atom_of<ring, false>>",
            "gemm_combine<pack_atom_of<ring, false>, false, gemm_arguments<ring>>", "inspect_operands<ring>"};
  const std::string witness = finds_witnesses(part.row) ? "true" : "false";
  const std::string row = std::string("tuned<workload::") + row_of(part.row).name + ">";
  const auto product = [&](const std::string& sign) {
    const std::string sign_class = "sign_class::" + sign;
    const std::string atom = row_of(part.row).policy.copy == copies::strided
                                 ? "unpacked_atom_of<ring>"
                                 : "atom_of<ring, " + sign_class + ", " + witness + ">";
    return "gemm_simt<" + atom + ", " + sign_class + ", " + row + ", " + witness + ", gemm_arguments<ring>>";
  };
  std::vector<std::string> kernels{product("any")};
  if (row_of(part.row).policy.copy != copies::strided) {
    if (signs.non_negative) kernels.push_back(product("non_negative"));
    if (signs.non_positive) kernels.push_back(product("non_positive"));
  }
  if (finds_witnesses(part.row))
    kernels.push_back("gemm_combine<pack_atom_of<ring, true>, true, gemm_arguments<ring>>");
  return kernels;
}

std::vector<ring_part> parts_of(std::size_t element, const ring_facts& facts) {
  const workload usual = usual_row_of(element, facts.is_selective, false);
  std::vector<ring_part> parts{{ring_part::operands}, {ring_part::products, usual}};
  for (int row = 0; row < static_cast<int>(std::size(simt_table)); ++row)
    if (may_replace(static_cast<workload>(row), usual, false))
      parts.push_back({ring_part::products, static_cast<workload>(row)});
  if (facts.is_selective) parts.push_back({ring_part::products, usual_row_of(element, true, true)});
  if (facts.has_closure) parts.push_back({ring_part::closures});
  return parts;
}

std::string text_of_unit(const std::string& ring) {
  std::string text;
  for (const char* const name : {"gemm/simt/combine", "gemm/simt/kernel", "gemm/simt/choice", "gemm/simt/operands/pack",
                                 "closure/blocks", "closure/prepare"})
    text += std::string("#include \"kleene/kernels/cuda/") + name + ".cuh\"\n";
  return text + ring +
         "using namespace kleene;\nusing namespace kleene::kernels;\nusing namespace kleene::kernels::cuda;\n";
}

}  // namespace kleene::kernels::cuda
