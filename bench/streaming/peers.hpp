// CUB and Thrust on the suite's data. Each function allocates what the peer needs and returns what to call.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/context.hpp"

#include <functional>
#include <string>

namespace kleene::bench {

struct peer {
  std::string name;
  std::function<void()> call;
};

struct affine {  // x -> a x + b
  float a, b;
};

// Deliberately plain: what a user writes.
struct user_max {
  KLEENE_FUNCTION int operator()(int a, int b) const { return a < b ? b : a; }
};

namespace peers {

peer reduce(const context& ctx, const int* in, int* out, index_t n);
peer reduce(const context& ctx, const long long* in, long long* out, index_t n);
peer reduce_user(const context& ctx, const int* in, int* out, index_t n);
peer reduce_by_key(const context& ctx, const int* keys, const int* values, index_t n, int* keys_out, int* out,
                   int* runs);
peer scan(const context& ctx, const int* in, int* out, index_t n);
peer scan(const context& ctx, const long long* in, long long* out, index_t n);
peer scan_user(const context& ctx, const int* in, int* out, index_t n);
peer scan_affine(const context& ctx, const affine* in, affine* out, index_t n);
peer scan_by_key(const context& ctx, const int* keys, const int* values, int* out, index_t n);
peer merge(const context& ctx, const int* a, index_t na, const int* b, index_t nb, int* out);
peer merge(const context& ctx, const long long* a, index_t na, const long long* b, index_t nb, long long* out);
peer merge_pairs(const context& ctx, const int* a, const int* av, index_t na, const int* b, const int* bv, index_t nb,
                 int* out, int* out_values);
peer merge_sort(const context& ctx, int* keys, index_t n);
peer merge_sort(const context& ctx, long long* keys, index_t n);
peer merge_sort_pairs(const context& ctx, int* keys, int* values, index_t n);
peer radix_sort(const context& ctx, int* keys, int* spare, index_t n);
peer radix_sort(const context& ctx, long long* keys, long long* spare, index_t n);
peer radix_sort_pairs(const context& ctx, int* keys, int* values, int* spare, int* spare_values, index_t n);
peer lower_bound(const context& ctx, const int* needles, index_t n, const int* hay, index_t m, int* out);
peer lower_bound(const context& ctx, const long long* needles, index_t n, const long long* hay, index_t m, int* out);
// Load-balancing search plus one: of 0, 1, ... n - 1.
peer upper_bound_of_numbers(const context& ctx, index_t n, const int* hay, index_t m, int* out);
peer set_operation(const context& ctx, int kind, const int* a, index_t na, const int* b, index_t nb, int* out);
peer segmented_sum(const context& ctx, const int* in, const int* offsets, index_t segments, int* out);

// The segments of `in` sorted, into `out`.
peer segmented_sort(const context& ctx, const int* in, int* out, index_t n, const int* offsets, index_t segments);
// Copies intervals of bytes: counts[s] from from[s] to to[s].
peer move_intervals(const context& ctx, const int* const* from, int* const* to, const int* bytes, index_t segments);

// Nothing to call where the library is not there.
peer spmv(const context& ctx, const int* offsets, const int* columns, const float* values, const float* x, index_t n,
          index_t entries, float* y);
peer spmv(const context& ctx, const int* offsets, const int* columns, const double* values, const double* x, index_t n,
          index_t entries, double* y);

// Not a contest: puts data in order.
void sort_now(int* keys, index_t n);
void sort_now(long long* keys, index_t n);

}  // namespace peers
}  // namespace kleene::bench
