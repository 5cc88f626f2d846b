// The runtime's side of CUDA: devices, streams, memory, copies.
#include "runtime/cuda.hpp"

#include "kleene/data/device_matrix.hpp"
#include "kleene/data/failing_allocation.hpp"
#include "kleene/kernels/cuda/tile/runtime.cuh"

#include <cuda_runtime.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace kleene {

using kernels::cuda::on_device, kernels::cuda::require;

namespace {

// Whether this build holds code for devices of that capability, by the names of KLEENE_CUDA_ARCHITECTURES: 90a is
// machine code for 9.0 alone, 80 for 8.0 to 8.9, 80+ is PTX for all from there on; what is no number says nothing.
bool has_code_for(int capability) {
  std::istringstream names(KLEENE_CUDA_ARCHITECTURES);
  for (std::string name; names >> name;) {
    const int of = std::atoi(name.c_str());
    const bool alone = name.find('a') != std::string::npos, onwards = name.back() == '+';
    if (of == 0 || capability == of) return true;
    if (!alone && capability > of && (onwards || capability / 10 == of / 10)) return true;
  }
  return false;
}

std::vector<cuda_device> find_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {  // no driver, or none that fits
    cudaGetLastError();
    return {};
  }
  std::vector<cuda_device> found;
  for (int d = 0; d < count; ++d) {
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, d) != cudaSuccess || p.major < 8 || !has_code_for(10 * p.major + p.minor)) continue;
    found.push_back(
        {d, p.name, 10 * p.major + p.minor, p.multiProcessorCount, p.totalGlobalMem, p.sharedMemPerBlockOptin});
  }
  return found;
}

}  // namespace

bool has_cuda() { return true; }
std::string cuda_architectures() { return KLEENE_CUDA_ARCHITECTURES; }
const std::vector<cuda_device>& cuda_devices() {
  static const std::vector<cuda_device> devices = find_devices();
  return devices;
}

namespace detail {

struct cuda_queue {
  const cuda_device* device;
  cudaStream_t stream;
  bool owns_stream;
  device_fault* faults;
  cudaStream_t side[3] = {};
  void* tagged = nullptr;  // zero at first; afterwards words with tags up to `tag`
  std::size_t tagged_bytes = 0;
  std::uint64_t tag = 0;
};

cuda_queue* cuda_open(int ordinal, void* stream) {
  const cuda_device* device = nullptr;
  for (const cuda_device& d : cuda_devices())
    if (d.ordinal == ordinal) device = &d;
  if (!device)
    throw error(fault_code::device, cuda_devices().empty()
                                        ? std::string("no CUDA device: none that this build holds code for (") +
                                              KLEENE_CUDA_ARCHITECTURES + "), or no driver"
                                        : "no CUDA device " + std::to_string(ordinal));
  const on_device here(ordinal);
  std::unique_ptr<cuda_queue, cuda_close> queue(
      new cuda_queue{device, static_cast<cudaStream_t>(stream), stream == nullptr, nullptr});
  if (queue->owns_stream) require(cudaStreamCreateWithFlags(&queue->stream, cudaStreamNonBlocking), "making a stream");
  // The pool keeps what was freed: without this every synchronisation would give it back to the driver.
  cudaMemPool_t pool;
  std::uint64_t keep = ~0ull;
  require(cudaDeviceGetDefaultMemPool(&pool, ordinal), "finding the memory pool");
  require(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "keeping the memory pool");
  queue->faults = static_cast<device_fault*>(cuda_allocate(queue.get(), sizeof(device_fault)));
  require(cudaMemsetAsync(queue->faults, 0, sizeof(device_fault), queue->stream), "clearing the fault record");
  return queue.release();
}

void cuda_close::operator()(cuda_queue* queue) const noexcept {
  const on_device here(queue->device->ordinal);
  if (queue->faults) cudaFreeAsync(queue->faults, queue->stream);
  if (queue->tagged) cudaFreeAsync(queue->tagged, queue->stream);
  for (cudaStream_t side : queue->side)
    if (side) cudaStreamDestroy(side);
  if (queue->owns_stream && queue->stream) cudaStreamDestroy(queue->stream);
  delete queue;
}

void* cuda_stream(const cuda_queue* queue) { return queue->stream; }
std::size_t cuda_available(cuda_queue* queue) {
  const on_device here(queue->device->ordinal);
  std::size_t free = 0, total = 0;
  require(cudaMemGetInfo(&free, &total), "asking for free memory");
  cudaMemPool_t pool;
  std::uint64_t reserved = 0, used = 0;
  require(cudaDeviceGetDefaultMemPool(&pool, queue->device->ordinal), "finding the memory pool");
  require(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "asking the memory pool");
  require(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "asking the memory pool");
  return free + (reserved - used);
}
void* cuda_side_stream(cuda_queue* queue, int which) {
  cudaStream_t& side = queue->side[which];
  if (!side) {
    const on_device here(queue->device->ordinal);
    int low = 0, high = 0;
    require(cudaDeviceGetStreamPriorityRange(&low, &high), "asking for stream priorities");
    require(cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, high), "making a stream");
  }
  return side;
}
const cuda_device* cuda_device_of(const cuda_queue* queue) { return queue->device; }
device_fault* cuda_faults(const cuda_queue* queue) { return queue->faults; }

device_fault cuda_synchronise(cuda_queue* queue) {
  const on_device here(queue->device->ordinal);
  device_fault fault{};
  require(cudaMemcpyAsync(&fault, queue->faults, sizeof fault, cudaMemcpyDeviceToHost, queue->stream), "synchronising");
  require(cudaStreamSynchronize(queue->stream), "synchronising");
  if (fault.kind != device_fault::none)
    require(cudaMemsetAsync(queue->faults, 0, sizeof fault, queue->stream), "clearing the fault record");
  return fault;
}

void* cuda_allocate(cuda_queue* queue, std::size_t bytes) {
  const on_device here(queue->device->ordinal);
  void* p = nullptr;
  if (!may_allocate() || cudaMallocAsync(&p, bytes, queue->stream) != cudaSuccess) {
    cudaGetLastError();
    throw error(fault_code::memory, "cannot allocate " + std::to_string(bytes) + " bytes on " + queue->device->name);
  }
  return p;
}
void cuda_free(cuda_queue* queue, void* p) noexcept {
  const on_device here(queue->device->ordinal);
  if (p) cudaFreeAsync(p, queue->stream);
}

bool cuda_captures(const cuda_queue* queue) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  require(cudaStreamIsCapturing(queue->stream, &status), "asking whether a stream is captured");
  return status != cudaStreamCaptureStatusNone;
}

tagged_memory cuda_tagged(cuda_queue* queue, std::size_t bytes) {
  const bool captures = cuda_captures(queue);
  if (bytes > queue->tagged_bytes) {
    if (captures) refuse_to_grow(bytes);
    void* grown = cuda_allocate(queue, bytes);
    cuda_free(queue, queue->tagged);
    queue->tagged = grown;
    queue->tagged_bytes = bytes;
    const on_device here(queue->device->ordinal);
    require(cudaMemsetAsync(grown, 0, bytes, queue->stream), "clearing tagged memory");
  } else if (captures && bytes > 0) {  // a graph's kernels have the same tag whenever it is launched
    const on_device here(queue->device->ordinal);
    require(cudaMemsetAsync(queue->tagged, 0, bytes, queue->stream), "clearing tagged memory");
  }
  return {queue->tagged, ++queue->tag};
}

void cuda_wait(int device) {
  const on_device here(device);
  require(cudaDeviceSynchronize(), "synchronising");
}

void* cuda_allocate_owned(int device, std::size_t bytes) {
  const on_device here(device);
  void* p = nullptr;
  if (!may_allocate() || cudaMalloc(&p, bytes ? bytes : 1) != cudaSuccess) {
    cudaGetLastError();
    throw error(fault_code::memory,
                "cannot allocate " + std::to_string(bytes) + " bytes on CUDA device " + std::to_string(device));
  }
  return p;
}
void cuda_free_owned(int device, void* p) noexcept {
  const on_device here(device);
  cudaFree(p);
}

namespace {

template <class Unit>
__global__ void copy_strided(const copy_request r, index count) {
  const index n = blockIdx.x * index(blockDim.x) + threadIdx.x;
  if (n >= count) return;
  const index j = n % r.extents[2], i = n / r.extents[2] % r.extents[1], b = n / r.extents[2] / r.extents[1];
  const index units = r.element / sizeof(Unit);
  const Unit* from = static_cast<const Unit*>(r.from) +
                     units * (b * r.from_strides[0] + i * r.from_strides[1] + j * r.from_strides[2]);
  Unit* to = static_cast<Unit*>(r.to) + units * (b * r.to_strides[0] + i * r.to_strides[1] + j * r.to_strides[2]);
  for (index u = 0; u < units; ++u) to[u] = from[u];
}

index count_of(const copy_request& r) { return r.extents[0] * r.extents[1] * r.extents[2]; }
std::array<index, 3> packed(const copy_request& r) { return {r.extents[1] * r.extents[2], r.extents[2], 1}; }

void copy_on_device(const copy_request& r, cudaStream_t stream) {
  const index count = count_of(r);
  const auto blocks = static_cast<unsigned>((count + 255) / 256);
  if (r.element % 8 == 0)
    copy_strided<unsigned long long><<<blocks, 256, 0, stream>>>(r, count);
  else if (r.element % 4 == 0)
    copy_strided<unsigned><<<blocks, 256, 0, stream>>>(r, count);
  else
    copy_strided<unsigned char><<<blocks, 256, 0, stream>>>(r, count);
  require(cudaGetLastError(), "copying");
}

void copy_on_host(const copy_request& r) {
  const std::size_t e = r.element;
  for (index b = 0; b < r.extents[0]; ++b)
    for (index i = 0; i < r.extents[1]; ++i)
      for (index j = 0; j < r.extents[2]; ++j)
        std::memcpy(static_cast<char*>(r.to) +
                        static_cast<index>(e) * (b * r.to_strides[0] + i * r.to_strides[1] + j * r.to_strides[2]),
                    static_cast<const char*>(r.from) +
                        static_cast<index>(e) * (b * r.from_strides[0] + i * r.from_strides[1] + j * r.from_strides[2]),
                    e);
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
  index lines;
  bool from_host;
};

// Between pageable host memory and the device, by several threads, each with a pinned buffer and a stream of its own:
// one thread alone is held up by page faults (3 GB/s where the bus could move 50). Returns when all is copied.
constexpr std::size_t staged_bytes = 64 << 20, stage_bytes = 4 << 20;
void copy_staged(const line_copy& c, cudaStream_t stream) {
  const index each = std::max<index>(1, static_cast<index>(stage_bytes / c.length));
  const index parts = (c.lines + each - 1) / each;
  int device = 0;
  require(cudaGetDevice(&device), "copying");
  require(cudaStreamSynchronize(stream), "copying");
  std::atomic<index> next{0};
  std::exception_ptr fault;
  std::mutex first;
  const auto work = [&]() {
    try {
      const on_device here(device);
      cudaStream_t own;
      require(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "making a stream");
      const std::unique_ptr<CUstream_st, decltype(&cudaStreamDestroy)> stream_owner(own, &cudaStreamDestroy);
      void* buffer = nullptr;
      if (!may_allocate() || cudaMallocHost(&buffer, each * c.length) != cudaSuccess) {
        cudaGetLastError();
        throw error(fault_code::memory, "cannot pin " + std::to_string(each * c.length) + " bytes");
      }
      const std::unique_ptr<void, decltype(&cudaFreeHost)> buffer_owner(buffer, &cudaFreeHost);
      char* const pinned = static_cast<char*>(buffer);
      for (index part; (part = next++) < parts;) {
        const index line = part * each, lines = std::min(each, c.lines - line);
        const auto copy_here = [&] {
          for (index l = 0; l < lines; ++l) {
            if (c.from_host)
              std::memcpy(pinned + l * c.length, c.from + (line + l) * c.from_pitch, c.length);
            else
              std::memcpy(c.to + (line + l) * c.to_pitch, pinned + l * c.length, c.length);
          }
        };
        if (c.from_host) copy_here();
        require(c.from_host ? cudaMemcpy2DAsync(c.to + line * c.to_pitch, c.to_pitch, pinned, c.length, c.length, lines,
                                                cudaMemcpyHostToDevice, own)
                            : cudaMemcpy2DAsync(pinned, c.length, c.from + line * c.from_pitch, c.from_pitch, c.length,
                                                lines, cudaMemcpyDeviceToHost, own),
                "copying");
        require(cudaStreamSynchronize(own), "copying");
        if (!c.from_host) copy_here();
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(first);
      if (!fault) fault = std::current_exception();
    }
  };
  std::vector<std::thread> team;
  const index threads = std::min<index>({parts, 16, std::max(1u, std::thread::hardware_concurrency())});
  for (index t = 1; t < threads; ++t) team.emplace_back(work);
  work();
  for (std::thread& t : team) t.join();
  if (fault) std::rethrow_exception(fault);
}

// Rows of contiguous elements on both sides, with positive strides: what cudaMemcpy2D can do.
bool copy_rows(const copy_request& r, cudaStream_t stream) {
  for (int outer : {1, 2}) {
    const int inner = 3 - outer;
    const index length = r.extents[inner], lines = r.extents[outer];
    const auto fits = [&](const std::array<index, 3>& s) {
      return (s[inner] == 1 || length == 1) && (s[outer] >= length || lines == 1) && s[0] >= 0;
    };
    if (!fits(r.from_strides) || !fits(r.to_strides)) continue;
    const std::size_t e = r.element;
    const auto pitch = [&](const std::array<index, 3>& s) { return std::max<std::size_t>(s[outer], length) * e; };
    const bool from_host = r.from_space == memory::host, to_host = r.to_space == memory::host;
    const bool staged = from_host != to_host && static_cast<std::size_t>(length * lines) * e >= staged_bytes &&
                        static_cast<std::size_t>(length) * e <= 16 * stage_bytes &&
                        is_pageable(from_host ? r.from : r.to);
    for (index b = 0; b < r.extents[0]; ++b) {
      if (staged) {
        copy_staged({static_cast<char*>(r.to) + b * r.to_strides[0] * e,
                     static_cast<const char*>(r.from) + b * r.from_strides[0] * e, pitch(r.to_strides),
                     pitch(r.from_strides), length * e, lines, from_host},
                    stream);
        continue;
      }
      require(cudaMemcpy2DAsync(static_cast<char*>(r.to) + b * r.to_strides[0] * e, pitch(r.to_strides),
                                static_cast<const char*>(r.from) + b * r.from_strides[0] * e, pitch(r.from_strides),
                                length * e, lines, cudaMemcpyDefault, stream),
              "copying");
    }
    return true;
  }
  return false;
}

}  // namespace

void copy_elements(const context& ctx, const copy_request& r) {
  if (ctx.kind() != device_kind::cuda) {
    if (r.from_space == memory::device || r.to_space == memory::device)
      throw error(fault_code::device, "device memory is beyond the reach of " + ctx.describe());
    return copy_on_host(r);
  }
  const on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const bool from_host = r.from_space == memory::host, to_host = r.to_space == memory::host;
  if (from_host && to_host) return copy_on_host(r);
  if (r.extents[0] <= 64 && copy_rows(r, stream)) return;
  if (!from_host && !to_host) return copy_on_device(r, stream);

  // Strides that no block copy can follow: through packed memory on both sides.
  const std::size_t bytes = count_of(r) * r.element;
  std::unique_ptr<char[]> host(new char[bytes]);
  const std::unique_ptr<void, void (*)(void*)> device(cuda_allocate_owned(ctx.device()->ordinal, bytes),
                                                      [](void* p) { cudaFree(p); });
  copy_request part = r;
  if (from_host) {
    part.to = host.get(), part.to_strides = packed(r);
    copy_on_host(part);
    require(cudaMemcpyAsync(device.get(), host.get(), bytes, cudaMemcpyHostToDevice, stream), "copying");
    part = r, part.from = device.get(), part.from_strides = packed(r);
    copy_on_device(part, stream);
    require(cudaStreamSynchronize(stream), "copying");
  } else {
    part.to = device.get(), part.to_strides = packed(r);
    copy_on_device(part, stream);
    require(cudaMemcpyAsync(host.get(), device.get(), bytes, cudaMemcpyDeviceToHost, stream), "copying");
    require(cudaStreamSynchronize(stream), "copying");
    part = r, part.from = host.get(), part.from_strides = packed(r);
    copy_on_host(part);
  }
}

}  // namespace detail
}  // namespace kleene
