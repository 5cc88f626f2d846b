// Products over the user's `ring`.
#pragma once

#include "kleene/operations/own/gemm.inl.hpp"

#include "call.hpp"

namespace kleene::own_ring {

// As _matmul.py asks for it; alpha and beta point to elements, or are null.
struct product {
  array a, b, c, witness, source, mask;
  const void *alpha, *beta;
  int mask_complement, replace, check_domain, threads;
};

}  // namespace kleene::own_ring

extern "C" int ring_matmul(const kleene::own_ring::product* p, kleene::own_ring::message* said) {
  using namespace kleene;
  using T = ring::value_type;
  return own_ring::answer_of(said, [&] {
    const context& ctx = own_ring::context_of(p->threads);
    kleene::detail::options_for<ring> options;
    if (p->alpha) options.alpha = *static_cast<const T*>(p->alpha);
    if (p->beta) options.beta = *static_cast<const T*>(p->beta);
    if (p->source.data) options.source = p->source.view<const T>();
    if (p->mask.data) options.mask = p->mask.view<const bool>();
    options.mask_complement = p->mask_complement;
    options.replace = p->replace;
    options.check_domain = p->check_domain;
    const auto a = p->a.view<const T>(), b = p->b.view<const T>();
    if constexpr (is_selective<ring>)
      if (p->witness.data) return gemm(ctx, ring{}, a, b, p->c.view<T>(), p->witness.view<std::int32_t>(), options);
    gemm(ctx, ring{}, a, b, p->c.view<T>(), options);
  });
}
