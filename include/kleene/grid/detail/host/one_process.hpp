// Workers that are threads of one process see each other's memory: what one of them has need not be sent.
#pragma once

#include "kleene/grid/grid.hpp"

namespace kleene::detail {

// Whether all workers of the grid are in one process.
bool is_one_process(const worker& w);

// Collective: worker 0's object, which outlives the use of it; null where that is in another process.
template <class T>
T* of_first_worker(worker& w, T& mine) {
  T* first = &mine;
  w.comm().broadcast(scope::all, 0, &first, sizeof first);
  return w.rank() == 0 || is_one_process(w) ? first : nullptr;
}

}  // namespace kleene::detail
