// Checked products of an einsum on the CPU that are neither gemm's nor one of gemv's.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/pointwise/launch.hpp"
#include "kleene/operations/detail/gemv_on_cpu.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

namespace kleene::detail {

// One checked product of single elements.
template <class G>
void run_pointwise_on_cpu(const context& ctx, const G& g) {
  using S = typename G::algebra;
  if (explain_enabled())
    explain("pointwise " + name_of<S>() + ": " + std::to_string(g.batch) + " x " + std::to_string(g.m) + " x " +
            std::to_string(g.n) + ", at most " + std::to_string(ctx.threads()) + " threads");
  if (kernels::cpu::launch_pointwise(g) == status::overflow)
    throw value_error(name_of<S>() +
                      ": a finite result is too large for the element type; use a wider one. C is not to be used");
}

// A batch of products of a matrix and a vector each: threads take whole products where there is one for each, else they
// share each. Where values are looked at, results wait until all of them were: C is as it was where one is refused.
template <class G>
void run_gemvs_on_cpu(const context& ctx, const G& g) {
  using S = typename G::algebra;
  using Out = std::remove_pointer_t<decltype(G::c)>;
  const index_t length = std::max(g.m, g.n);
  const bool looks = g.check_domain && (has_domain<S> || (can_wrap<S> && std::is_integral_v<value_of<S>>));
  const auto room =
      ctx.temporary(looks ? checked_bytes(double(g.batch) * double(length), sizeof(Out)) : std::size_t{1});
  Out* const results = looks ? static_cast<Out*>(room.get()) : g.c;
  const std::array<index_t, 3> strides = looks ? std::array<index_t, 3>{length, 1, 1} : g.sc;
  const auto product = [&](index_t b) {
    G one = g;
    one.batch = 1, one.a += b * g.sa[0], one.b += b * g.sb[0];
    one.c = results + b * strides[0], one.sc = strides;
    if (g.d) one.d += b * g.sd[0];
    if (g.witness) one.witness += b * g.switness[0];
    return one;
  };
  const int threads = threads_for(double(g.batch) * double(length) * double(g.k), elements_per_thread, g.threads);
  if (threads > g.batch) {
    for (index_t b = 0; b < g.batch; ++b) run_gemv_on_cpu(ctx, product(b));
  } else {
    task_queue queue;
    run_tasks(threads, [&](const team_member&) {
      const context alone = context::cpu({1, to_string(g.isa)});
      for (index_t b = queue.next(); b < g.batch; b = queue.next()) {
        G one = product(b);
        one.threads = 1;
        run_gemv_on_cpu(alone, one);
      }
    });
  }
  if (!looks) return;
  const index_t step = g.n == 1 ? g.sc[1] : g.sc[2];
  for (index_t b = 0; b < g.batch; ++b)
    for (index_t i = 0; i < length; ++i) g.c[b * g.sc[0] + i * step] = results[b * length + i];
}

}  // namespace kleene::detail
