// Closures over the user's `ring`.
#pragma once

#include "kleene/operations/own/closure.inl.hpp"

#include "call.hpp"

#include <span>

namespace kleene::own_ring {

// A batch; sizes, of as many matrices, may be null. diverging: for each matrix a vertex whose star has no value, or -1.
struct batch_closure {
  array a, predecessors;
  const std::int32_t* sizes;
  std::int32_t* diverging;
  std::int64_t block;
  int check_domain, threads;
};

}  // namespace kleene::own_ring

extern "C" int ring_closure(const kleene::own_ring::batch_closure* c, kleene::own_ring::message* said) {
  using namespace kleene;
  return own_ring::answer_of(said, [&] {
    const context& ctx = own_ring::context_of(c->threads);
    const auto all = c->a.view<ring::value_type>();
    const auto before = c->predecessors.view<std::int32_t>();
    for (index_t m = 0; m < all.extent(0); ++m) {
      const index_t n = c->sizes ? c->sizes[m] : all.rows();
      const auto a = all[m].block(0, 0, n, n);
      const closure_options options{.block = c->block, .check_domain = c->check_domain != 0};
      const auto close = [&] {
        if constexpr (is_selective<ring>)
          if (!before.is_null()) return closure(ctx, ring{}, a, before[m].block(0, 0, n, n), options);
        return closure(ctx, ring{}, a, options);
      };
      c->diverging[m] = static_cast<std::int32_t>(close().diverging);
    }
  });
}
