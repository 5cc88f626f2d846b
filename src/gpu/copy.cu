// Copies between host and device memory and within the latter: by the driver where strides allow it, else by a kernel.
#include "gpu/cuda.hpp"

#include "kleene/data/detail/copy_shape.hpp"
#include "kleene/data/detail/failing_allocation.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/wait.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kleene::detail {

namespace {

template <class Unit>
__global__ void copy_strided(const copy_request r, index_t count) {
  const index_t n = blockIdx.x * index_t(blockDim.x) + threadIdx.x;
  if (n >= count) return;
  const index_t j = n % r.extents[2], i = n / r.extents[2] % r.extents[1], b = n / r.extents[2] / r.extents[1];
  const index_t units = r.element / sizeof(Unit);
  const Unit* from = static_cast<const Unit*>(r.from) +
                     units * (b * r.from_strides[0] + i * r.from_strides[1] + j * r.from_strides[2]);
  Unit* to = static_cast<Unit*>(r.to) + units * (b * r.to_strides[0] + i * r.to_strides[1] + j * r.to_strides[2]);
  for (index_t u = 0; u < units; ++u) to[u] = from[u];
}

index_t count_of(const copy_request& r) { return r.extents[0] * r.extents[1] * r.extents[2]; }
std::array<index_t, 3> packed(const copy_request& r) { return {r.extents[1] * r.extents[2], r.extents[2], 1}; }

void copy_on_device(const copy_request& r, cudaStream_t stream) {
  const index_t count = count_of(r);
  const unsigned blocks = gpu::grid_of(ceil_div(count, 256));
  if (r.element % 8 == 0) gpu::launch(copy_strided<unsigned long long>, {blocks, 256, 0, stream}, r, count);
  else if (r.element % 4 == 0) gpu::launch(copy_strided<unsigned>, {blocks, 256, 0, stream}, r, count);
  else gpu::launch(copy_strided<unsigned char>, {blocks, 256, 0, stream}, r, count);
}

// Whether the driver would have to stage the copy itself, through one thread and a small buffer.
bool is_pageable(const void* p) {
  cudaPointerAttributes is{};
  if (cudaPointerGetAttributes(&is, p) != cudaSuccess) {
    cudaGetLastError();
    return true;
  }
  return is.type == cudaMemoryTypeUnregistered;
}

// Lines of bytes, with their pitches.
struct line_copy {
  char* to;
  const char* from;
  std::size_t to_pitch, from_pitch, length;
  index_t lines;
  bool from_host;
};

// Between pageable host memory and the device, by several threads, each with a pinned buffer and a stream of its own:
// one thread alone is held up by page faults (3 GB/s where the bus could move 50). Returns when all is copied.
constexpr std::size_t staged_bytes = 64 << 20, stage_bytes = 4 << 20;
void copy_staged(const line_copy& c, cudaStream_t stream) {
  const index_t each = std::max<index_t>(1, static_cast<index_t>(stage_bytes / c.length));
  const index_t parts = ceil_div(c.lines, each);
  int device = 0;
  gpu::require(cudaGetDevice(&device), "copying");
  gpu::require(cudaStreamSynchronize(stream), "copying");
  std::atomic<index_t> next{0};
  std::exception_ptr fault;
  std::mutex first;
  const auto work = [&]() {
    try {
      const gpu::on_device here(device);
      cudaStream_t own;
      gpu::require(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "making a stream");
      const std::unique_ptr<CUstream_st, decltype(&cudaStreamDestroy)> stream_owner(own, &cudaStreamDestroy);
      void* buffer = nullptr;
      if (!may_allocate() || cudaMallocHost(&buffer, each * c.length) != cudaSuccess) {
        cudaGetLastError();
        throw error(fault_code::memory, "cannot pin " + std::to_string(each * c.length) + " bytes");
      }
      const std::unique_ptr<void, decltype(&cudaFreeHost)> buffer_owner(buffer, &cudaFreeHost);
      char* const pinned = static_cast<char*>(buffer);
      for (index_t part; (part = next++) < parts;) {
        const index_t line = part * each, lines = std::min(each, c.lines - line);
        const auto copy_here = [&] {
          for (index_t l = 0; l < lines; ++l) {
            if (c.from_host) std::memcpy(pinned + l * c.length, c.from + (line + l) * c.from_pitch, c.length);
            else std::memcpy(c.to + (line + l) * c.to_pitch, pinned + l * c.length, c.length);
          }
        };
        if (c.from_host) copy_here();
        gpu::require(c.from_host ? cudaMemcpy2DAsync(c.to + line * c.to_pitch, c.to_pitch, pinned, c.length, c.length,
                                                     lines, cudaMemcpyHostToDevice, own)
                                 : cudaMemcpy2DAsync(pinned, c.length, c.from + line * c.from_pitch, c.from_pitch,
                                                     c.length, lines, cudaMemcpyDeviceToHost, own),
                     "copying");
        gpu::require(cudaStreamSynchronize(own), "copying");
        if (!c.from_host) copy_here();
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(first);
      if (!fault) fault = std::current_exception();
    }
  };
  std::vector<std::thread> team;
  const index_t threads = std::min<index_t>({parts, 16, std::max(1u, std::thread::hardware_concurrency())});
  for (index_t t = 1; t < threads; ++t) team.emplace_back(work);
  work();
  for (std::thread& t : team) t.join();
  if (fault) std::rethrow_exception(fault);
}

// One run of bytes, or lines of them.
void copy_lines(const line_copy& c, bool may_stage, cudaStream_t stream) {
  const std::size_t bytes = c.length * static_cast<std::size_t>(c.lines);
  if (may_stage) {
    if (c.lines > 1 && c.length <= 16 * stage_bytes) return copy_staged(c, stream);
    if (c.lines == 1) {  // in lines of a stage each, and what is left
      const index_t whole = static_cast<index_t>(bytes / stage_bytes);
      copy_staged({c.to, c.from, stage_bytes, stage_bytes, stage_bytes, whole, c.from_host}, stream);
      const std::size_t done = whole * stage_bytes;
      if (done == bytes) return;
      return gpu::require(cudaMemcpyAsync(c.to + done, c.from + done, bytes - done, cudaMemcpyDefault, stream),
                          "copying");
    }
  }
  gpu::require(c.lines == 1 ? cudaMemcpyAsync(c.to, c.from, bytes, cudaMemcpyDefault, stream)
                            : cudaMemcpy2DAsync(c.to, c.to_pitch, c.from, c.from_pitch, c.length, c.lines,
                                                cudaMemcpyDefault, stream),
               "copying");
}

// Boxes of lines whose planes are whole numbers of lines apart.
void copy_box(const line_copy& c, index_t planes, index_t to_height, index_t from_height, cudaStream_t stream) {
  cudaMemcpy3DParms box{};
  box.srcPtr = make_cudaPitchedPtr(const_cast<char*>(c.from), c.from_pitch, c.length, from_height);
  box.dstPtr = make_cudaPitchedPtr(c.to, c.to_pitch, c.length, to_height);
  box.extent = make_cudaExtent(c.length, c.lines, planes);
  box.kind = cudaMemcpyDefault;
  gpu::require(cudaMemcpy3DAsync(&box, stream), "copying");
}

// What the driver copies by itself: runs, lines of runs, planes of lines, all with strides that go up. False for
// others.
bool copy_runs(const copy_request& r, cudaStream_t stream) {
  constexpr index_t most_pitch = 0x7fffffff, most_planes = 64;
  copy_shape s{r.extents, r.from_strides, r.to_strides};
  if (!s.has_runs()) {  // single elements as lines, if that leaves a loop for them
    if (s.extents[0] > 1) return false;
    s = {{s.extents[1], s.extents[2], 1}, {s.from[1], s.from[2], 1}, {s.to[1], s.to[2], 1}};
  }
  const index_t planes = s.extents[0], lines = s.extents[1], length = s.extents[2], e = static_cast<index_t>(r.element);
  const auto goes_up = [&](const std::array<index_t, 3>& stride) {
    return (lines == 1 || (stride[1] >= length && stride[1] * e <= most_pitch)) && (planes == 1 || stride[0] >= 0);
  };
  if (!goes_up(s.from) || !goes_up(s.to)) return false;
  const bool from_host = r.from_space == memory::host, to_host = r.to_space == memory::host;
  const bool may_stage = lines * length * e >= static_cast<index_t>(staged_bytes) && from_host != to_host &&
                         is_pageable(from_host ? r.from : r.to);
  const auto pitch = [&](const std::array<index_t, 3>& stride) {
    return static_cast<std::size_t>((lines > 1 ? stride[1] : length) * e);
  };
  const auto plane = [&](index_t b) {
    return line_copy{static_cast<char*>(r.to) + b * s.to[0] * e,
                     static_cast<const char*>(r.from) + b * s.from[0] * e,
                     pitch(s.to),
                     pitch(s.from),
                     static_cast<std::size_t>(length * e),
                     lines,
                     from_host};
  };
  const auto is_box = [&](const std::array<index_t, 3>& stride) {
    return lines > 1 && stride[0] % stride[1] == 0 && stride[0] / stride[1] >= lines;
  };
  if (planes > 1 && !may_stage && is_box(s.from) && is_box(s.to)) {
    copy_box(plane(0), planes, s.to[0] / s.to[1], s.from[0] / s.from[1], stream);
    return true;
  }
  if (planes > most_planes) return false;
  for (index_t b = 0; b < planes; ++b) copy_lines(plane(b), may_stage, stream);
  return true;
}

}  // namespace

void copy_on_cuda(const context& ctx, const copy_request& request) {
  const copy_shape shape = shape_of_copy(request.extents, request.from_strides, request.to_strides);
  copy_request r = request;
  r.extents = shape.extents, r.from_strides = shape.from, r.to_strides = shape.to;
  const auto require_address = [&](const char* name, const void* p, memory space) {
    if (space != memory::device) return;
    if (const std::string why = backend.why_unreachable(ctx.device()->ordinal, p); !why.empty())
      throw error(fault_code::device, std::string(name) + " of a copy " + why);
  };
  require_address("the source", r.from, r.from_space);
  require_address("the target", r.to, r.to_space);
  const gpu::on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const bool from_host = r.from_space == memory::host, to_host = r.to_space == memory::host;
  if (from_host && to_host) return copy_on_host(r);
  const bool within = !from_host && !to_host;
  if (!(within && r.extents[0] > 64) && copy_runs(r, stream)) return;
  if (within) return copy_on_device(r, stream);

  // Strides that no block copy can follow: through packed memory on both sides.
  const std::size_t bytes = count_of(r) * r.element;
  std::unique_ptr<char[]> host(new char[bytes]);
  const auto device = ctx.temporary(bytes);
  copy_request part = r;
  if (from_host) {
    part.to = host.get(), part.to_strides = packed(r);
    copy_on_host(part);
    gpu::require(cudaMemcpyAsync(device.get(), host.get(), bytes, cudaMemcpyHostToDevice, stream), "copying");
    part = r, part.from = device.get(), part.from_strides = packed(r);
    copy_on_device(part, stream);
    gpu::wait(ctx, "copying");
  } else {
    part.to = device.get(), part.to_strides = packed(r);
    copy_on_device(part, stream);
    gpu::require(cudaMemcpyAsync(host.get(), device.get(), bytes, cudaMemcpyDeviceToHost, stream), "copying");
    gpu::wait(ctx, "copying");
    part = r, part.from = host.get(), part.from_strides = packed(r);
    copy_on_host(part);
  }
}

}  // namespace kleene::detail
