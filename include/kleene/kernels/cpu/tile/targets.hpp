// Where instruction sets are chosen. Kernels are plain templates over the width of a vector; run_on compiles the same
// work once for each instruction set, inside a function that carries the target attribute, and calls the one that is
// asked for. No compiler flag is needed, so the library and its users agree about every function.
#pragma once

#include "kleene/data/context.hpp"

namespace kleene::kernels::cpu {

#if defined(__x86_64__) && defined(__GNUC__)

// flatten: everything that run<Bytes> calls is inlined, and so compiled for the target, but what says noinline. The
// level is pinned because GCC 12 turns a user's lane-by-lane add into vectors at -O2 and no longer at -O3 (26 and 0.8
// Gpairs/s).
#if defined(__clang__)
#define KLEENE_PIN_LEVEL
#else
#define KLEENE_PIN_LEVEL , gnu::optimize("O2")
#endif
template <class Work>
[[ gnu::target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi2"), gnu::flatten, gnu::noinline KLEENE_PIN_LEVEL ]] void
run_avx512(Work& work) {
  work.template run<64>();
}
template <class Work>
[[ gnu::target("avx2,fma,bmi2"), gnu::flatten, gnu::noinline KLEENE_PIN_LEVEL ]] void run_avx2(Work& work) {
  work.template run<32>();
}
template <class Work>
[[ gnu::flatten, gnu::noinline KLEENE_PIN_LEVEL ]] void run_baseline(Work& work) {
  work.template run<16>();
}

#undef KLEENE_PIN_LEVEL

template <class Work>
void run_on(instruction_set isa, Work& work) {
  switch (isa) {
    case instruction_set::avx512:
      return run_avx512(work);
    case instruction_set::avx2:
      return run_avx2(work);
    case instruction_set::baseline:
      return run_baseline(work);
  }
}

#else

template <class Work>
void run_on(instruction_set, Work& work) {
  work.template run<16>();
}

#endif

// The width of a vector in bytes.
constexpr int vector_bytes(instruction_set isa) {
  return isa == instruction_set::avx512 ? 64 : isa == instruction_set::avx2 ? 32 : 16;
}

}  // namespace kleene::kernels::cpu
