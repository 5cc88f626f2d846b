// The runtime's side of CUDA: devices, streams, memory, copies.
#include "runtime/cuda.hpp"

#include "kleene/data/device_matrix.hpp"
#include "kleene/kernels/cuda/tile/runtime.cuh"

#include <cuda_runtime.h>

namespace kleene {

using kernels::cuda::on_device, kernels::cuda::require;

namespace {

std::vector<cuda_device> find_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {  // no driver, or none that fits
    cudaGetLastError();
    return {};
  }
  std::vector<cuda_device> found;
  for (int d = 0; d < count; ++d) {
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, d) != cudaSuccess || p.major < 8) continue;
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
};

cuda_queue* cuda_open(int ordinal, void* stream) {
  const cuda_device* device = nullptr;
  for (const cuda_device& d : cuda_devices())
    if (d.ordinal == ordinal) device = &d;
  if (!device)
    throw error(fault_code::device, cuda_devices().empty()
                                        ? "no CUDA device: none of compute capability 8.0 or newer, or no driver"
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
  require(cudaMallocAsync(&queue->faults, sizeof(device_fault), queue->stream), "allocating the fault record");
  require(cudaMemsetAsync(queue->faults, 0, sizeof(device_fault), queue->stream), "clearing the fault record");
  return queue.release();
}

void cuda_close::operator()(cuda_queue* queue) const noexcept {
  const on_device here(queue->device->ordinal);
  if (queue->faults) cudaFreeAsync(queue->faults, queue->stream);
  if (queue->owns_stream && queue->stream) cudaStreamDestroy(queue->stream);
  delete queue;
}

void* cuda_stream(const cuda_queue* queue) { return queue->stream; }
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
  if (cudaMallocAsync(&p, bytes, queue->stream) != cudaSuccess) {
    cudaGetLastError();
    throw error(fault_code::memory, "cannot allocate " + std::to_string(bytes) + " bytes on " + queue->device->name);
  }
  return p;
}
void cuda_free(cuda_queue* queue, void* p) noexcept {
  const on_device here(queue->device->ordinal);
  if (p) cudaFreeAsync(p, queue->stream);
}

void cuda_wait(int device) {
  const on_device here(device);
  require(cudaDeviceSynchronize(), "synchronising");
}

void* cuda_allocate_owned(int device, std::size_t bytes) {
  const on_device here(device);
  void* p = nullptr;
  if (cudaMalloc(&p, bytes ? bytes : 1) != cudaSuccess) {
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
    for (index b = 0; b < r.extents[0]; ++b)
      require(cudaMemcpy2DAsync(static_cast<char*>(r.to) + b * r.to_strides[0] * e, pitch(r.to_strides),
                                static_cast<const char*>(r.from) + b * r.from_strides[0] * e, pitch(r.from_strides),
                                length * e, lines, cudaMemcpyDefault, stream),
              "copying");
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
