// Closures of a batch as a plain function.
#pragma once

#include "kleene/operations/own/closure.inl.hpp"
#include "kleene/operations/own/plain/call.hpp"

namespace kleene::plain {

template <class S>
int run(const closures& c, message* said) {
  return answer_of(said, [&] {
    const context& ctx = context_of(c.threads);
    const auto all = c.a.view<value_of<S>>();
    const auto before = c.predecessors.view<std::int32_t>();
    for (index_t m = 0; m < all.extent(0); ++m) {
      const index_t n = c.sizes ? c.sizes[m] : all.rows();
      const auto a = all[m].block(0, 0, n, n);
      const closure_options options{.block = c.block, .check_domain = c.check_domain != 0};
      const auto close = [&] {
        if constexpr (is_selective<S>)
          if (!before.is_null()) return closure(ctx, S{}, a, before[m].block(0, 0, n, n), options);
        return closure(ctx, S{}, a, options);
      };
      c.diverging[m] = static_cast<std::int32_t>(close().diverging);
    }
  });
}

}  // namespace kleene::plain
