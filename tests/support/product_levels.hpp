// The products that KLEENE_TEST_LEVEL asks for beyond those that the tests name: 1 crosses layouts on small shapes of
// every kind, 2 draws sizes, layouts, options and values at random.
#pragma once

#include "support/product.hpp"

#include <array>

namespace kleene::test {

// Values whose products and sums are exact, so that even plus_times is compared bit for bit.
template <class S>
distribution exact_values() {
  return std::is_floating_point_v<value_of<S>> ? distribution::signed_integers : distribution::small_integers;
}

// Every layout of A with every one of B and of C: products without panels, of one row, of one column, of few rows and
// of some tiles; with a witness where the algebra has one. check(product_case).
template <class S, class Check>
void cross_layouts(const Check& check) {
  constexpr index_t shapes[][3] = {{7, 9, 5}, {1, 37, 6}, {40, 1, 5}, {3, 70, 40}, {37, 67, 19}};
  constexpr layout inputs[] = {layout::row,      layout::column,      layout::padded,
                               layout::reversed, layout::interleaved, layout::broadcast};
  for (const auto& [m, n, k] : shapes)
    for (const layout a : inputs)
      for (const layout b : inputs)
        for (const layout c : output_layouts) {
          check(product_case<S>{.m = m, .n = n, .k = k, .a = a, .b = b, .c = c, .values = exact_values<S>()});
          if constexpr (is_selective<S>)
            check(product_case<S>{
                .m = m, .n = n, .k = k, .a = a, .b = b, .c = c, .values = exact_values<S>(), .witness = true});
        }
}

// A product of which everything is drawn; of any values where the result is exact for all of them.
template <class S>
product_case<S> drawn_product(problems::generator& g) {
  const auto size = [&] {
    constexpr index_t edges[] = {0, 1, 4, 8, 12, 16, 24, 31, 32, 48, 63, 64, 96, 127, 128};
    return std::max<index_t>(0, edges[g.below(std::size(edges))] + g.below(3) - 1);
  };
  const auto any_layout = [&] { return static_cast<layout>(g.below(6)); };
  product_case<S> p{.m = size(), .n = size(), .k = size(), .a = any_layout(), .b = any_layout()};
  p.c = output_layouts[g.below(std::size(output_layouts))];
  p.batch = g.chance(0.7) ? 1 : g.below(6);
  p.values = is_selective<S> ? problems::all_distributions[g.below(std::size(problems::all_distributions))]
                             : exact_values<S>();
  p.accumulate = g.chance(0.3);
  p.source = !p.accumulate && g.chance(0.3);
  p.mask = g.chance(0.3);
  p.complement = p.mask && g.chance(0.5);
  p.replace = p.mask && g.chance(0.5);
  if constexpr (is_selective<S>) p.witness = g.chance(0.3);
  using scalar = typename product_case<S>::scalar;
  if (g.chance(0.2)) p.alpha = scalar(S::one());
  if ((p.accumulate || p.source) && g.chance(0.3)) p.beta = g.chance(0.5) ? scalar(S::one()) : scalar(S::zero());
  p.seed = g.next();
  return p;
}

// `count` of them; the same ones everywhere.
template <class S, class Check>
void draw_products(int count, const Check& check) {
  problems::generator g(2026);
  for (int i = 0; i < count; ++i) check(drawn_product<S>(g));
}

}  // namespace kleene::test
