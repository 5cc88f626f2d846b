#include "kleene/kernels/cpu/tile/vector_pipes.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

namespace kleene::kernels::cpu {

namespace {

#if defined(__x86_64__) && defined(__GNUC__)
// Zen 3 and Zen 4 are family 19h, Zen 5 is family 1Ah. Zen 2 (17h) was not measured.
bool is_zen_3_to_5() {
  unsigned a, b, c, d;
  if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_AMD_ebx || c != signature_AMD_ecx || d != signature_AMD_edx)
    return false;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
  return (a >> 8 & 0xf) + (a >> 20 & 0xff) >= 0x19;
}
#else
bool is_zen_3_to_5() { return false; }
#endif

}  // namespace

bool has_four_vector_pipes() {
  static const bool answer = is_zen_3_to_5();
  return answer;
}

}  // namespace kleene::kernels::cpu
