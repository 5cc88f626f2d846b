// Where instruction sets are chosen. Kernels are plain templates over the width of a vector; run_on compiles the same
// work once for each instruction set, inside a function that carries the target attribute, and calls the one that is
// asked for. No compiler flag is needed, so the library and its users agree about every function.
//
// Most of the time that a compiler takes over an algebra of one's own goes into that. A program that runs on the
// machine it is compiled on may define KLEENE_INSTRUCTION_SET as avx512, avx2 or baseline, for all of its units: then
// kernels are compiled for this set alone, and run whatever a context says. KLEENE_KERNEL_LEVEL beside it, "O1" say,
// takes an eighth off again where speed does not matter. Those of the library stay as they are.
#pragma once

#include "kleene/data/context.hpp"

namespace kleene::kernels::cpu {

#if defined(__x86_64__) && defined(__GNUC__)

// flatten: everything that run<Bytes> calls is inlined, and so compiled for the target, but what says noinline. The
// level is pinned because GCC 12 turns a user's lane-by-lane add into vectors at -O2 and no longer at -O3 (26 and 0.8
// Gpairs/s). It stands in front of the target: the other way round, GCC 13 and later forget the target's vectors unless
// a unit is compiled at the same level, and take them apart into numbers (0.8 Gpairs/s a thread).
#if defined(__clang__)
#define KLEENE_PINNED
#elif defined(KLEENE_INSTRUCTION_SET) && defined(KLEENE_KERNEL_LEVEL)
#define KLEENE_PINNED gnu::optimize(KLEENE_KERNEL_LEVEL),
#else
#define KLEENE_PINNED gnu::optimize("O2"),
#endif
template <class Work>
[[ KLEENE_PINNED gnu::target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi2"), gnu::flatten, gnu::noinline ]] void
run_avx512(Work& work) {
  work.template run<64>();
}
template <class Work>
[[ KLEENE_PINNED gnu::target("avx2,fma,bmi2"), gnu::flatten, gnu::noinline ]] void run_avx2(Work& work) {
  work.template run<32>();
}
template <class Work>
[[ KLEENE_PINNED gnu::flatten, gnu::noinline ]] void run_baseline(Work& work) {
  work.template run<16>();
}

#undef KLEENE_PINNED

// AVX-512 has masks of its own for comparisons. Since version 15 GCC takes a comparison of 64-byte vectors apart into
// single numbers where it was read in a function for any processor, also if that is inlined into one for AVX-512: a
// minimum takes 90 instructions. AVX2's comparisons are vectors like the baseline's, so its kernels stand in. (Lost: an
// always_inline minimum, another order of attributes. A choice in a function for AVX-512 of its own is inlined whole.)
#if !defined(__clang__) && __GNUC__ >= 15
#define KLEENE_WIDEST avx2
#else
#define KLEENE_WIDEST avx512
#endif

// The set that kernels of a set are compiled for. Builds that answer differently have namespaces of their own, or a
// linker would take one's answer for the other's.
#define KLEENE_PASTE(a, b) a##b
#define KLEENE_FOR(set) KLEENE_PASTE(for_, set)
#define KLEENE_UP_TO(set) KLEENE_PASTE(for_each_set_up_to_, set)
#ifdef KLEENE_INSTRUCTION_SET
inline namespace KLEENE_FOR(KLEENE_INSTRUCTION_SET) {
#else
inline namespace KLEENE_UP_TO(KLEENE_WIDEST) {
#endif
constexpr instruction_set compiled_set(instruction_set asked) {
#ifdef KLEENE_INSTRUCTION_SET
  asked = instruction_set::KLEENE_INSTRUCTION_SET;
#endif
  return asked == instruction_set::avx512 ? instruction_set::KLEENE_WIDEST : asked;
}
#undef KLEENE_UP_TO
#undef KLEENE_FOR
#undef KLEENE_PASTE
#undef KLEENE_WIDEST

template <class Work>
void run_on([[maybe_unused]] instruction_set isa, Work& work) {
#ifdef KLEENE_INSTRUCTION_SET
  constexpr instruction_set only = compiled_set({});
  if constexpr (only == instruction_set::avx512) return run_avx512(work);
  if constexpr (only == instruction_set::avx2) return run_avx2(work);
  if constexpr (only == instruction_set::baseline) return run_baseline(work);
#else
  switch (isa) {
    case instruction_set::avx512:
      if constexpr (compiled_set(instruction_set::avx512) == instruction_set::avx512) return run_avx512(work);
      [[fallthrough]];
    case instruction_set::avx2:
      return run_avx2(work);
    case instruction_set::baseline:
      return run_baseline(work);
  }
#endif
}

#else

inline namespace for_each_set {
constexpr instruction_set compiled_set(instruction_set asked) { return asked; }

template <class Work>
void run_on(instruction_set, Work& work) {
  work.template run<16>();
}

#endif

// The width of a vector in bytes.
constexpr int vector_bytes(instruction_set isa) {
  const instruction_set set = compiled_set(isa);
  return set == instruction_set::avx512 ? 64 : set == instruction_set::avx2 ? 32 : 16;
}

}  // inline namespace

}  // namespace kleene::kernels::cpu
