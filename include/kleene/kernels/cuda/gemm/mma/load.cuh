// Tiles of an operand from global to shared memory, for the tensor cores of sm_80: copies of 16 bytes that
// run beside the arithmetic where the operand allows it, of one double each where it does not.
#pragma once

#include "kleene/data/view.hpp"
#include "kleene/gpu/ptx/cp_async.cuh"

namespace kleene::kernels::cuda {

// An operand as lines (rows of A, columns of B) by depth, in elements.
enum class pieces : int {
  along_depth,  // 16 bytes along k, aligned
  along_lines,  // 16 bytes along the lines, aligned: elements of 2 and 8 bytes
  single,       // one by one, any strides: elements of 8 bytes
};
template <class T>
struct mma_operand {
  const T* data = nullptr;
  index_t lines = 0, depth = 0;
  index_t batch_stride = 0, line_stride = 0, depth_stride = 0;
  pieces by = pieces::along_depth;
};

// Shared memory holds rows of 128 bytes, k next to each other (along_lines: a row for each k, of 64 lines or 16 of
// doubles next to each other, panel after panel). Their chunks of 16 bytes are swizzled so that all of these touch
// every bank once: eight rows at the same chunk (ldmatrix, and the writes of doubles), four rows at two neighbouring
// chunks (the reads of doubles).
__device__ __forceinline__ int swizzle_of(int row) { return row % 4 * 2 + row / 4 % 2; }

// What one thread copies of the tiles of an operand, step after step of k. `By` is a constant and steps without edges
// have a path of their own, because every instruction here keeps a warp from the tensor cores (doubles at 8192 cubed:
// 60 Tops; 56 where each row asked for its bounds).
template <class T, int Lines, int Threads, pieces By>
class mma_loader {
  static constexpr int per = 16 / sizeof(T), along = 128 / sizeof(T);  // elements of a chunk, of a row
  static constexpr int rows = Threads / 8, eights = Threads / 4;       // that all threads copy at once; of singles
  static_assert(rows % 8 == 0 && Lines % eights == 0 && (By != pieces::single || sizeof(T) == 8));

 public:
  __device__ mma_loader(const mma_operand<T>& x, index_t batch, index_t first_line) : x_(x) {
    const int t = threadIdx.x;
    int line, k;
    if constexpr (By == pieces::along_depth) {
      line = t / 8, k = t % 8 * per;
      place_ = t / 8 * 128 + (t % 8 ^ swizzle_of(t / 8)) * 16;
    } else if constexpr (By == pieces::along_lines) {  // rows of a panel, then of the next
      line = t / 8 / along * along + t % 8 * per, k = t / 8 % along;
      place_ = t / 8 * 128 + (t % 8 ^ swizzle_of(t / 8)) * 16;
    } else {  // a warp takes eight lines by four k: whole sectors in either order, and every bank twice
      line = t / 32 * 8 + t % 8, k = t % 32 / 8;
      place_ = line * 128 + (k / 2 ^ swizzle_of(line)) * 16 + k % 2 * 8;
    }
    from_ = x.data + batch * x.batch_stride + (first_line + line) * x.line_stride + k * x.depth_stride;
    lines_ = clamped(x.lines - first_line - line), depth_ = x.depth - k;
    whole_steps_ = x.lines - first_line < Lines ? 0 : clamped(x.depth / along);
  }

  // The next step, into the buffer at `shared`. What lies outside becomes zero, which adds nothing.
  __device__ __forceinline__ void next(std::uint32_t shared) {
    if (By != pieces::single && whole_steps_ > 0) copy_whole(shared + place_);
    else copy_part(shared + place_);
    --whole_steps_;
    from_ += along * x_.depth_stride;
    depth_ -= along;
  }

 private:
  __device__ __forceinline__ void copy_whole(std::uint32_t to) const {
    const T* from = from_;
    if constexpr (By == pieces::along_depth) {
#pragma unroll
      for (int r = 0; r < Lines; r += rows, from += rows * x_.line_stride) gpu::cp_async(to + r * 128, from);
    } else if constexpr (rows >= along) {
#pragma unroll
      for (int r = 0; r < Lines; r += rows) gpu::cp_async(to + r * 128, from + r);
    } else {
#pragma unroll
      for (int r = 0; r < along; r += rows, from += rows * x_.depth_stride)
#pragma unroll
        for (int panel = 0; panel < Lines; panel += along) gpu::cp_async(to + (panel + r) * 128, from + panel);
    }
  }
  __device__ __forceinline__ void copy_part(std::uint32_t to) const {
    const int depth = clamped(depth_);
    if constexpr (By == pieces::along_depth) {
      const int bytes = bytes_of_rest(depth);
#pragma unroll
      for (int r = 0; r < Lines; r += rows)
        copy_chunk(to + r * 128, from_ + r * x_.line_stride, r < lines_ ? bytes : 0);
    } else if constexpr (By == pieces::along_lines && rows >= along) {
#pragma unroll
      for (int r = 0; r < Lines; r += rows)
        copy_chunk(to + r * 128, from_ + r, 0 < depth ? bytes_of_rest(lines_ - r) : 0);
    } else if constexpr (By == pieces::along_lines) {
#pragma unroll
      for (int panel = 0; panel < Lines; panel += along)
#pragma unroll
        for (int r = 0; r < along; r += rows)
          copy_chunk(to + (panel + r) * 128, from_ + panel + r * x_.depth_stride,
                     r < depth ? bytes_of_rest(lines_ - panel) : 0);
    } else {
#pragma unroll
      for (int r = 0; r < Lines; r += eights)
#pragma unroll
        for (int k = 0; k < along; k += 4)
          gpu::cp_async_8((to ^ k * 8) + r * 128, from_ + r * x_.line_stride + k * x_.depth_stride,
                          r < lines_ && k < depth ? 8 : 0);
    }
  }
  // A chunk of which `bytes` are there. Of doubles one by one: the copy of 16 bytes touches all of them, which may lie
  // outside of the caller's memory.
  __device__ static __forceinline__ void copy_chunk(std::uint32_t to, const T* from, int bytes) {
    if constexpr (sizeof(T) == 8)
      gpu::cp_async_8(to, from, bytes >= 8 ? 8 : 0), gpu::cp_async_8(to + 8, from + 1, bytes == 16 ? 8 : 0);
    else gpu::cp_async(to, from, bytes);
  }
  __device__ static int clamped(index_t n) { return static_cast<int>(n < (1 << 30) ? n : 1 << 30); }
  __device__ static int bytes_of_rest(int n) { return n >= per ? 16 : n > 0 ? n * static_cast<int>(sizeof(T)) : 0; }

  const mma_operand<T>& x_;
  const T* from_;
  index_t depth_;  // left, from this thread's first on
  int lines_, whole_steps_;
  std::uint32_t place_;
};

}  // namespace kleene::kernels::cuda
