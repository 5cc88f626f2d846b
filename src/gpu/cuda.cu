// The runtime's side of CUDA: devices, streams, memory. Copies are in copy.cu.
#include "gpu/cuda.hpp"

#include "kleene/data/detail/device_choice.hpp"
#include "kleene/data/detail/failing_allocation.hpp"
#include "kleene/gpu/host/runtime.cuh"

#include <cuda_runtime.h>

#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace kleene {

namespace {

// The devices that this build can use, and a sentence for each that it cannot.
struct inventory {
  std::vector<cuda_device> usable;
  std::string others;

  void leave_out(const std::string& why) { others += (others.empty() ? "" : "; ") + why; }
};

inventory take_inventory() {
  inventory devices;
  int count = 0;
  if (const cudaError_t result = cudaGetDeviceCount(&count); result != cudaSuccess) {  // no driver, or none that fits
    cudaGetLastError();
    devices.leave_out(std::string("the CUDA runtime says \"") + cudaGetErrorString(result) + "\"");
  }
  for (int d = 0; d < count; ++d) {
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, d) != cudaSuccess) continue;
    const int capability = 10 * p.major + p.minor;
    if (const std::string why = detail::why_device_is_unused(p.name, capability, KLEENE_CUDA_ARCHITECTURES);
        !why.empty())
      devices.leave_out(why);
    else
      devices.usable.push_back(
          {d, p.name, capability, p.multiProcessorCount, p.totalGlobalMem, p.sharedMemPerBlockOptin});
  }
  return devices;
}

const inventory& at_hand() {
  static const inventory devices = take_inventory();
  return devices;
}
const std::vector<cuda_device>& devices_at_hand() { return at_hand().usable; }

}  // namespace

namespace detail {

struct cuda_queue {
  const cuda_device* device;
  device_allocator memory;
  cudaStream_t stream = nullptr;
  bool owns_stream = false;
  device_fault* faults = nullptr;
  // Of this queue alone: the process's own pools keep what they were told to keep. Null where `memory` is the caller's.
  cudaMemPool_t pool = nullptr;
  cudaStream_t side[3] = {};
  void* tagged = nullptr;  // zero at first; afterwards words with tags up to `tag`
  std::size_t tagged_bytes = 0;
  std::uint64_t tag = 0;
};

namespace {

// nullptr where there is none to be had; error(device) where a kernel's fault is what CUDA answers with.
void* allocate_or_null(cuda_queue* queue, std::size_t bytes) {
  void* p = nullptr;
  if (!may_allocate()) return nullptr;
  if (!queue->memory) {
    const cudaError_t result = cudaMallocFromPoolAsync(&p, bytes, queue->pool, queue->stream);
    if (result == cudaSuccess) return p;
    cudaGetLastError();
    if (gpu::is_of_earlier_work(result)) gpu::require(result, "allocating memory");
    return nullptr;
  }
  try {
    return queue->memory.allocate(bytes, queue->stream);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* allocate(cuda_queue* queue, std::size_t bytes) {
  const gpu::on_device here(queue->device->ordinal);
  if (void* p = allocate_or_null(queue, bytes)) return p;
  throw error(fault_code::memory, "cannot allocate " + std::to_string(bytes) + " bytes on " + queue->device->name);
}
void free(cuda_queue* queue, void* p, std::size_t bytes) noexcept {
  const gpu::on_device here(queue->device->ordinal);
  if (!p) return;
  if (queue->memory) queue->memory.deallocate(p, bytes, queue->stream);
  else cudaFreeAsync(p, queue->stream);
}
bool has_allocator(const cuda_queue* queue) { return bool(queue->memory); }

// A pool that keeps what was freed: by default every synchronisation would give it back to the driver.
cudaMemPool_t make_pool(int ordinal) {
  cudaMemPoolProps of_device{};
  of_device.allocType = cudaMemAllocationTypePinned;
  of_device.location = {cudaMemLocationTypeDevice, ordinal};
  cudaMemPool_t pool = nullptr;
  std::uint64_t keep = ~0ull;
  gpu::require(cudaMemPoolCreate(&pool, &of_device), "making a memory pool");
  gpu::require(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "keeping the memory pool");
  return pool;
}

// stream: the caller's; null: one of the queue's own.
cuda_queue* open_queue(int ordinal, cudaStream_t stream, const device_allocator& memory) {
  const cuda_device* device = nullptr;
  for (const cuda_device& d : devices_at_hand())
    if (d.ordinal == ordinal) device = &d;
  if (!device)
    throw error(fault_code::device, "no CUDA device" +
                                        (devices_at_hand().empty() ? std::string() : " " + std::to_string(ordinal)) +
                                        (at_hand().others.empty() ? "" : ": " + at_hand().others));
  const gpu::on_device here(ordinal);
  std::unique_ptr<cuda_queue, cuda_close> queue(new cuda_queue{device, memory, stream, stream == nullptr});
  if (queue->owns_stream)
    gpu::require(cudaStreamCreateWithFlags(&queue->stream, cudaStreamNonBlocking), "making a stream");
  if (!memory) queue->pool = make_pool(ordinal);
  queue->faults = static_cast<device_fault*>(allocate(queue.get(), sizeof(device_fault)));
  gpu::require(cudaMemsetAsync(queue->faults, 0, sizeof(device_fault), queue->stream), "clearing the fault record");
  return queue.release();
}
cuda_queue* open(int ordinal, const device_allocator& memory) { return open_queue(ordinal, nullptr, memory); }

// The device of a stream of the caller's.
int device_of_stream([[maybe_unused]] cudaStream_t stream) {
  int device = 0;
#if CUDART_VERSION >= 12080
  if (stream != cudaStreamLegacy && stream != cudaStreamPerThread) {
    gpu::require(cudaStreamGetDevice(stream, &device), "asking a stream for its device");
    return device;
  }
#endif
  if (cudaGetDevice(&device) != cudaSuccess) cudaGetLastError();  // then opening says that there is none
  return device;
}
cuda_queue* open_on(cuda_stream asked, const device_allocator& memory) {
  const cudaStream_t stream = asked ? asked : cudaStreamLegacy;
  return open_queue(device_of_stream(stream), stream, memory);
}

void release_tagged(cuda_queue* queue) noexcept {
  if (queue->tagged) free(queue, queue->tagged, queue->tagged_bytes);
  queue->tagged = nullptr;
  queue->tagged_bytes = 0;
}

// A pool may be destroyed, the runtime's documents say, while its memory is still being freed in the order of a stream.
// Driver 580 dies of it, there or in a later call, where that stream is one of the caller's: so the stream is waited
// for. One that is being captured cannot be, and its pool stays.
void close_pool(cuda_queue* queue) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const bool waits = cudaStreamIsCapturing(queue->stream, &status) == cudaSuccess &&
                     status == cudaStreamCaptureStatusNone && cudaStreamSynchronize(queue->stream) == cudaSuccess;
  if (waits) cudaMemPoolDestroy(queue->pool);
  else cudaGetLastError();
}

void close(cuda_queue* queue) noexcept {
  const gpu::on_device here(queue->device->ordinal);
  if (queue->faults) free(queue, queue->faults, sizeof(device_fault));
  release_tagged(queue);
  for (cudaStream_t side : queue->side)
    if (side) cudaStreamDestroy(side);
  if (queue->pool) close_pool(queue);
  if (queue->owns_stream && queue->stream) cudaStreamDestroy(queue->stream);
  delete queue;
}

cuda_stream stream_of(const cuda_queue* queue) { return queue->stream; }
std::size_t available(cuda_queue* queue) {
  if (queue->memory) return std::numeric_limits<std::size_t>::max();
  const gpu::on_device here(queue->device->ordinal);
  std::size_t free = 0, total = 0;
  gpu::require(cudaMemGetInfo(&free, &total), "asking for free memory");
  std::uint64_t reserved = 0, used = 0;
  gpu::require(cudaMemPoolGetAttribute(queue->pool, cudaMemPoolAttrReservedMemCurrent, &reserved),
               "asking the memory pool");
  gpu::require(cudaMemPoolGetAttribute(queue->pool, cudaMemPoolAttrUsedMemCurrent, &used), "asking the memory pool");
  return free + (reserved - used);
}
cuda_stream side_stream(cuda_queue* queue, int which) {
  cudaStream_t& side = queue->side[which];
  if (!side) {
    const gpu::on_device here(queue->device->ordinal);
    int low = 0, high = 0;
    gpu::require(cudaDeviceGetStreamPriorityRange(&low, &high), "asking for stream priorities");
    gpu::require(cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, high), "making a stream");
  }
  return side;
}
const cuda_device* device_of(const cuda_queue* queue) { return queue->device; }
device_fault* faults_of(const cuda_queue* queue) { return queue->faults; }

device_fault synchronise(cuda_queue* queue) {
  const gpu::on_device here(queue->device->ordinal);
  device_fault fault{};
  gpu::require(cudaMemcpyAsync(&fault, queue->faults, sizeof fault, cudaMemcpyDeviceToHost, queue->stream),
               "synchronising");
  gpu::require(cudaStreamSynchronize(queue->stream), "synchronising");
  if (fault.kind != device_fault::none)
    gpu::require(cudaMemsetAsync(queue->faults, 0, sizeof fault, queue->stream), "clearing the fault record");
  return fault;
}

bool captures(const cuda_queue* queue) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  gpu::require(cudaStreamIsCapturing(queue->stream, &status), "asking whether a stream is captured");
  return status != cudaStreamCaptureStatusNone;
}

tagged_memory tagged(cuda_queue* queue, std::size_t bytes) {
  const bool captured = captures(queue);
  if (bytes > queue->tagged_bytes) {
    if (captured) refuse_to_grow(bytes);
    void* grown = allocate(queue, bytes);
    release_tagged(queue);
    queue->tagged = grown;
    queue->tagged_bytes = bytes;
    const gpu::on_device here(queue->device->ordinal);
    gpu::require(cudaMemsetAsync(grown, 0, bytes, queue->stream), "clearing tagged memory");
  } else if (captured && bytes > 0) {  // a graph's kernels have the same tag whenever it is launched
    const gpu::on_device here(queue->device->ordinal);
    gpu::require(cudaMemsetAsync(queue->tagged, 0, bytes, queue->stream), "clearing tagged memory");
  }
  return {queue->tagged, ++queue->tag};
}

std::size_t tagged_bytes(const cuda_queue* queue) { return queue->tagged_bytes; }

void wait(int device) {
  const gpu::on_device here(device);
  gpu::require(cudaDeviceSynchronize(), "synchronising");
}

std::string why_unreachable(int device, const void* p) {
  const gpu::on_device here(device);
  cudaPointerAttributes is{};
  if (cudaPointerGetAttributes(&is, p) != cudaSuccess) {
    cudaGetLastError();
    return "";
  }
  int pageable = 0;
  switch (is.type) {
    case cudaMemoryTypeUnregistered:  // legal where the device walks the host's page tables
      if (cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, device) == cudaSuccess && pageable)
        return "";
      return "is a view of device memory, but what it points to is neither that nor pinned host memory: copy it with "
             "to_device";
    case cudaMemoryTypeDevice:
      if (is.device == device || is.devicePointer != nullptr) return "";
      return "is in the memory of CUDA device " + std::to_string(is.device) + ", which CUDA device " +
             std::to_string(device) + " cannot reach";
    default:
      if (is.devicePointer != nullptr) return "";
      return "is in pinned host memory that CUDA device " + std::to_string(device) + " cannot reach";
  }
}

void* allocate_owned(int device, std::size_t bytes) {
  const gpu::on_device here(device);
  void* p = nullptr;
  if (!may_allocate() || cudaMalloc(&p, bytes ? bytes : 1) != cudaSuccess) {
    cudaGetLastError();
    throw error(fault_code::memory,
                "cannot allocate " + std::to_string(bytes) + " bytes on CUDA device " + std::to_string(device));
  }
  return p;
}
void free_owned(int device, void* p) noexcept {
  const gpu::on_device here(device);
  cudaFree(p);
}

}  // namespace

constinit const cuda_backend backend{
    .is_compiled = true,
    .architectures = KLEENE_CUDA_ARCHITECTURES,
    .devices = devices_at_hand,
    .open = open,
    .open_on = open_on,
    .close = close,
    .stream = stream_of,
    .side_stream = side_stream,
    .device_of = device_of,
    .faults = faults_of,
    .synchronise = synchronise,
    .captures = captures,
    .allocate = allocate,
    .free = free,
    .has_allocator = has_allocator,
    .tagged = tagged,
    .tagged_bytes = tagged_bytes,
    .release_tagged = release_tagged,
    .available = available,
    .allocate_owned = allocate_owned,
    .free_owned = free_owned,
    .copy = copy_on_cuda,
    .wait = wait,
    .why_unreachable = why_unreachable,
};

}  // namespace detail
}  // namespace kleene
