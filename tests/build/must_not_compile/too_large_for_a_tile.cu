// expect: does not fit a .*merge_.*search_.*set_tiles.*count_join_.*fill_join_.*segment_tiles.*scan_tiles.*reduce_all
// Elements of which 32 fill more shared memory than a kernel may declare: every family says so, with the bytes, before
// the assembler does.
#include "kleene/streaming/cuda/join.cuh"
#include "kleene/streaming/cuda/reduce.cuh"
#include "kleene/streaming/cuda/search.cuh"
#include "kleene/streaming/cuda/segments.cuh"
#include "kleene/streaming/cuda/sets.cuh"
#include "kleene/streaming/cuda/sort.cuh"

#ifdef WRONG
constexpr int size = 8192;
#else
constexpr int size = 16;
#endif

// One for each family, as a message appears once for a number of bytes.
template <int More>
struct element {
  int key;
  char payload[size - 4 + 4 * More];
  friend __host__ __device__ bool operator<(const element& a, const element& b) { return a.key < b.key; }
};
struct later {
  template <class T>
  __host__ __device__ T operator()(const T&, const T& b) const {
    return b;
  }
};

void f(const kleene::context& ctx, element<0>* a, element<1>* b, element<2>* c, element<3>* d, element<4>* e,
       element<5>* g, element<6>* h, kleene::index_t* at) {
  kleene::merge(ctx, a, a, a, a, a);
  kleene::lower_bound(ctx, b, b, b, b, at);
  kleene::set_union_to(ctx, c, c, c, c, c, at);
  kleene::join_to(ctx, kleene::join_kind::inner, d, d, d, d, at, at, 0, at);
  kleene::segmented_reduce(ctx, e, e, at, 0, e, *e, later{});
  kleene::inclusive_scan(ctx, g, g, g, later{});
  kleene::reduce_to(ctx, h, h, h, *h, later{});
  kleene::merge_sort(ctx, a, a);
}
