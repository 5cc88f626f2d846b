// A product as a plain function.
#pragma once

#include "kleene/operations/own/gemm.inl.hpp"
#include "kleene/operations/own/plain/call.hpp"

namespace kleene::plain {

template <class S>
int run(const product& p, message* said) {
  using T = value_of<S>;
  return answer_of(said, [&] {
    const context& ctx = context_of(p.threads);
    kleene::detail::options_for<S> options;
    if (p.alpha) options.alpha = *static_cast<const T*>(p.alpha);
    if (p.beta) options.beta = *static_cast<const T*>(p.beta);
    if (p.source.data) options.source = p.source.view<const T>();
    if (p.mask.data) options.mask = p.mask.view<const bool>();
    options.mask_complement = p.mask_complement;
    options.replace = p.replace;
    options.check_domain = p.check_domain;
    const auto a = p.a.view<const T>(), b = p.b.view<const T>();
    if constexpr (is_selective<S>)
      if (p.witness.data) return gemm(ctx, S{}, a, b, p.c.view<T>(), p.witness.view<std::int32_t>(), options);
    gemm(ctx, S{}, a, b, p.c.view<T>(), options);
  });
}

}  // namespace kleene::plain
