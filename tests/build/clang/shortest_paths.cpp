// Shortest paths over a ring of one's own, from both kinds of graphs: what build.clang.shortest_paths compiles.
#include "kleene/operations/own/shortest_paths.inl.hpp"

#include <limits>

namespace {

struct hops {
  using value_type = float;
  static constexpr const char* name = "hops";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return std::numeric_limits<float>::infinity(); }
  static constexpr float one() { return 0; }
  static constexpr float add(float a, float b) { return b < a ? b : a; }
  static constexpr float mul(float a, float b) { return a + b; }
};

}  // namespace

template kleene::apsp_result<hops> kleene::shortest_paths<hops>(const context&, hops, const csr_view<float>&,
                                                                const apsp_options&, const apsp_targets<float>&);
template kleene::apsp_result<hops> kleene::shortest_paths<hops>(const context&, hops, const matrix_view<const float>&,
                                                                const apsp_options&, const apsp_targets<float>&);
