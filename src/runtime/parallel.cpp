#include "kleene/data/parallel.hpp"

#include <omp.h>

namespace kleene {

void team_member::barrier() const noexcept {
  if (threads > 1) {
#pragma omp barrier
  }
}

namespace detail {

void start_team(int threads, void (*body)(void*, const team_member&), void* state) noexcept {
#pragma omp parallel num_threads(threads)
  body(state, team_member{omp_get_thread_num(), omp_get_num_threads()});
}

}  // namespace detail
}  // namespace kleene
