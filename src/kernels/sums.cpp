#include "kleene/kernels/cpu/tile/sums.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

namespace kleene::kernels::cpu {

namespace {

#if defined(__x86_64__) && defined(__GNUC__)
// Zen 4 is family 19h, which it shares with Zen 3 (not measured), Zen 5 family 1Ah.
bool is_zen_4_or_5() {
  unsigned a, b, c, d;
  if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_AMD_ebx || c != signature_AMD_ecx || d != signature_AMD_edx)
    return false;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
  const unsigned family = (a >> 8 & 0xf) + (a >> 20 & 0xff), model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
  const bool is_zen_4 =
      (model >= 0x10 && model < 0x20) || (model >= 0x60 && model < 0x80) || (model >= 0xa0 && model < 0xb0);
  return family > 0x19 || (family == 0x19 && is_zen_4);
}
#else
bool is_zen_4_or_5() { return false; }
#endif

}  // namespace

bool multiplies_beside_minima() {
  static const bool answer = is_zen_4_or_5();
  return answer;
}

}  // namespace kleene::kernels::cpu
