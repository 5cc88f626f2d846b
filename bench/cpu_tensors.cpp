#include "cpu_tensors.hpp"

#include "interleave.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/operations/einsum.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace kleene::bench {

namespace {

// Bytes a second that all threads copy with memcpy.
double copy_rate(const context& ctx, const char* from, char* to, index_t bytes) {
  const double start = now();
  run_team(ctx.threads(), [&](const team_member& member) {
    const index_t each = bytes / member.threads / 64 * 64, begin = each * member.thread;
    const index_t end = member.thread + 1 == member.threads ? bytes : begin + each;
    std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
  });
  return double(bytes) / (now() - start);
}

// The reverse of 28 axes of two values: no two neighbours stay neighbours.
void reversal(cpu_rows& rows, const context& ctx) {
  const std::string work = "reverse of 28 axes, f32, " + std::to_string(ctx.threads()) + " threads";
  if (!rows.wants(work)) return;
  constexpr int axes = 28;
  std::vector<index_t> twos(axes, 2);
  std::vector<int> from(axes), to(axes);
  for (int r = 0; r < axes; ++r) from[static_cast<std::size_t>(r)] = r, to[static_cast<std::size_t>(r)] = axes - 1 - r;
  const std::vector<std::vector<int>> operands{from};
  const einsum_equation equation(operands, to);
  const tensor<f32> a(twos, 1);
  tensor<f32> b(twos, 0);
  const double bytes = double(a.size()) * sizeof(f32);
  const measurement m = interleave(
      rows.rounds, bytes, [&] { einsum(ctx, plus_times<f32>{}, equation, a, b, {}); },
      [&] {
        return copy_rate(ctx, reinterpret_cast<const char*>(a.data()), reinterpret_cast<char*>(b.data()),
                         static_cast<index_t>(bytes));
      });
  rows.add(work, "memcpy", "bytes", m, 0.80);
}

// A product of matrices by its equation. Small ones are repeated for as long as a timer needs.
void product(cpu_rows& rows, const context& ctx, index_t n) {
  const std::string work = "einsum ij,jk->ik min_plus f32, n = " + std::to_string(n) + ", 1 thread";
  if (!rows.wants(work)) return;
  const tensor<f32> a({n, n}, 1), b({n, n}, 2);
  tensor<f32> c({n, n});
  const matrix_view<const f32> va(a.data(), {n, n}), vb(b.data(), {n, n});
  const matrix_view<f32> vc(c.data(), {n, n});
  const index_t times = std::max<index_t>(1, (index_t{1} << 28) / (n * n * n));
  const double pairs = double(times) * double(n) * double(n) * double(n);
  const measurement m = interleave(
      rows.rounds, pairs,
      [&] {
        for (index_t t = 0; t < times; ++t) einsum(ctx, min_plus<f32>{}, "ij,jk->ik", a, b, c, {});
      },
      [&] {
        const double start = now();
        for (index_t t = 0; t < times; ++t) gemm(ctx, min_plus<f32>{}, va, vb, vc);
        return pairs / (now() - start);
      });
  rows.add(work, "gemm", "pairs", m, 0.90);
}

// A batch of products of a matrix and a vector, which read each matrix once; beside one such product of all their rows.
void vectors(cpu_rows& rows, const context& ctx, const std::string& equation) {
  const std::string work =
      "einsum " + equation + " min_plus f32, 64 of n = 1024, " + std::to_string(ctx.threads()) + " threads";
  if (!rows.wants(work)) return;
  constexpr index_t batch = 64, n = 1024;
  const tensor<f32> a({batch, n, n}, 1), x({batch, n}, 2);
  tensor<f32> y({batch, n}), all({batch * n});
  const tensor_view<const f32> lines = a.view().reshaped({batch * n, n});
  const tensor<f32> one({n}, 2);
  const double bytes = double(a.size()) * sizeof(f32);
  const measurement m = interleave(
      rows.rounds, bytes, [&] { einsum(ctx, min_plus<f32>{}, equation, a, x, y, {}); },
      [&] {
        const double start = now();
        einsum(ctx, min_plus<f32>{}, "ij,j->i", lines, one, all, {});
        return bytes / (now() - start);
      });
  rows.add(work, "one matrix times vector", "bytes", m, 0.80);
}

}  // namespace

void run_cpu_tensors(cpu_rows& rows, const context& one, const context& all) {
  product(rows, one, 64);
  product(rows, one, 512);
  reversal(rows, all);
  vectors(rows, all, "bij,bj->bi");
}

}  // namespace kleene::bench
