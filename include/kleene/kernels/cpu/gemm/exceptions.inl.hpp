// What an epilogue throws waits for the end of the product: the members of a team meet at barriers.
#pragma once

#include "kleene/kernels/contract/gemm_arguments.hpp"

#include <atomic>
#include <exception>

namespace kleene::kernels::cpu::detail {

// The first exception that a member of the team threw. The others go on, as they would wait at barriers for ever.
struct first_exception {
  std::atomic_flag taken;
  std::exception_ptr exception;
  void keep() noexcept {
    if (!taken.test_and_set()) exception = std::current_exception();
  }
};

// (A step that does not ask to be inlined is called, in code for the baseline: 20 times as slow.)
template <class G, class Step>
[[gnu::always_inline]] inline void run_guarded(first_exception* thrown, const Step& step) {
  if constexpr (has_epilogue<decltype(G::epilogue)>) {
    try {
      step();
    } catch (...) {
      if (!thrown) throw;
      thrown->keep();
    }
  } else {
    step();
  }
}

}  // namespace kleene::kernels::cpu::detail
