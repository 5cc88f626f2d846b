// What Kleene knows of CUDA devices, in plain C++: the same header serves builds with and without CUDA. Where there is
// none compiled in, the count is 0.
#pragma once

#include "kleene/data/error.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct CUstream_st;

namespace kleene {

using cuda_stream = CUstream_st*;  // cudaStream_t

class context;

struct cuda_device {
  int ordinal;
  std::string name;
  int capability;  // 90 for compute capability 9.0
  int multiprocessors;
  std::size_t memory;         // bytes
  std::size_t shared_memory;  // bytes a block can have
};

// Whether this build holds CUDA kernels, the architectures they are compiled for ("90a 80", empty without), and the
// devices that are there to run them (none where the driver is missing).
bool has_cuda();
std::string cuda_architectures();
const std::vector<cuda_device>& cuda_devices();

namespace detail {
// Both orders of arguments are in use: RMM turned its own round.
template <class R>
concept takes_bytes_first = requires(R& resource, void* p, std::size_t bytes, cuda_stream stream) {
  { resource.allocate(bytes, stream) } -> std::convertible_to<void*>;
  resource.deallocate(p, bytes, stream);
};
template <class R>
concept takes_stream_first = requires(R& resource, void* p, std::size_t bytes, cuda_stream stream) {
  { resource.allocate(stream, bytes) } -> std::convertible_to<void*>;
  resource.deallocate(stream, p, bytes);
};
}  // namespace detail

// Device memory from an allocator of the caller's, in place of CUDA's: any object with allocate(bytes, stream) and
// deallocate(p, bytes, stream), or with the stream in front, as RMM's resources are; stream is a cudaStream_t or can be
// made from one. Memory is aligned to 256 bytes, and used and given back in the order of the stream. This refers to the
// object, which outlives every context and matrix that has memory of it. std::bad_alloc becomes error(memory) with the
// number of bytes.
class device_allocator {
 public:
  device_allocator() = default;  // CUDA's
  template <class R>
  requires detail::takes_bytes_first<R>
  device_allocator(R& resource)
      : resource_(&resource),
        allocate_([](void* r, std::size_t bytes, cuda_stream stream) -> void* {
          return static_cast<R*>(r)->allocate(bytes, stream);
        }),
        deallocate_([](void* r, void* p, std::size_t bytes, cuda_stream stream) {
          static_cast<R*>(r)->deallocate(p, bytes, stream);
        }) {}
  template <class R>
  requires detail::takes_stream_first<R>
  device_allocator(R& resource)
      : resource_(&resource),
        allocate_([](void* r, std::size_t bytes, cuda_stream stream) -> void* {
          return static_cast<R*>(r)->allocate(stream, bytes);
        }),
        deallocate_([](void* r, void* p, std::size_t bytes, cuda_stream stream) {
          static_cast<R*>(r)->deallocate(stream, p, bytes);
        }) {}

  explicit operator bool() const { return resource_ != nullptr; }
  void* allocate(std::size_t bytes, cuda_stream stream) const { return allocate_(resource_, bytes, stream); }
  void deallocate(void* p, std::size_t bytes, cuda_stream stream) const { deallocate_(resource_, p, bytes, stream); }

 private:
  void* resource_ = nullptr;
  void* (*allocate_)(void*, std::size_t, cuda_stream) = nullptr;
  void (*deallocate_)(void*, void*, std::size_t, cuda_stream) = nullptr;
};

// What kernels report about the values that they read; filled on the device, the first fault counts.
struct device_fault {
  enum kind_type : int { none, domain, overflow, wraps };
  int kind;
  const char* algebra;
  const char* operand;
  long long row, column;
  double value;
};

namespace detail {

struct cuda_queue;    // a stream with its device and the memory that kernels report faults in
struct copy_request;  // data/device_matrix.hpp

// Memory for words that thread blocks publish to each other. Each word is written with a tag, and no word in this
// memory carries that tag yet, so nothing has to be cleared before a kernel starts. Valid until the next call.
struct tagged_memory {
  void* memory;
  std::uint64_t tag;
};

// A function of any signature that throws error(device): this build has no CUDA kernels.
[[noreturn]] void refuse_cuda();
struct cuda_refusal {
  template <class R, class... A>
  using function = R (*)(A...);
  template <class R, class... A>
  constexpr operator function<R, A...>() const {
    return [](A...) -> R { refuse_cuda(); };
  }
};
inline constexpr cuda_refusal refused;

const std::vector<cuda_device>& no_cuda_devices();

// All that the library asks of the CUDA runtime. Its one value is in src/gpu/cuda.cu; a build without CUDA has the
// members' defaults, which know of no device and refuse to work on one.
struct cuda_backend {
  // What is compiled in, and the devices that are there to run it.
  bool is_compiled = false;
  const char* architectures = "";
  const std::vector<cuda_device>& (*devices)() = no_cuda_devices;

  // A queue on a device with a stream of its own, or on a stream of the caller's and its device (null: the legacy
  // default stream); error(device) where there is no such device.
  cuda_queue* (*open)(int device, const device_allocator&) = refused;
  cuda_queue* (*open_on)(cuda_stream, const device_allocator&) = refused;
  void (*close)(cuda_queue*) noexcept = [](cuda_queue*) noexcept {};
  cuda_stream (*stream)(const cuda_queue*) = refused;
  cuda_stream (*side_stream)(cuda_queue*, int which) = refused;
  const cuda_device* (*device_of)(const cuda_queue*) = refused;
  device_fault* (*faults)(const cuda_queue*) = refused;
  // Waits, and takes the fault that kernels left. error(device) for an error of the device itself.
  device_fault (*synchronise)(cuda_queue*) = refused;
  // Whether what is put on the stream goes into a graph. The context's memory cannot grow then.
  bool (*captures)(const cuda_queue*) = refused;

  // Device memory, in the order of the queue's work. error(memory) with the number of bytes.
  void* (*allocate)(cuda_queue*, std::size_t bytes) = refused;
  void (*free)(cuda_queue*, void*, std::size_t bytes) noexcept = [](cuda_queue*, void*, std::size_t) noexcept {};
  // Whether that memory is of an allocator of the caller's.
  bool (*has_allocator)(const cuda_queue*) = [](const cuda_queue*) { return false; };
  tagged_memory (*tagged)(cuda_queue*, std::size_t bytes) = refused;
  std::size_t (*tagged_bytes)(const cuda_queue*) = refused;
  void (*release_tagged)(cuda_queue*) noexcept = [](cuda_queue*) noexcept {};
  // Bytes that allocate could still get: what the device has free, and what its pool keeps unused. The largest size_t
  // where the memory is the caller's to know.
  std::size_t (*available)(cuda_queue*) = refused;

  // Device memory that outlives queues.
  void* (*allocate_owned)(int device, std::size_t bytes) = refused;
  void (*free_owned)(int device, void*) noexcept = [](int, void*) noexcept {};

  // On a context of a CUDA device.
  void (*copy)(const context&, const copy_request&) = refused;
  // Waits for all work on a device, whoever put it there.
  void (*wait)(int device) = refused;
  // Why kernels on that device cannot use the memory at p, as the end of a sentence ("is in pageable host memory ...");
  // empty where they can, or where the driver does not say.
  std::string (*why_unreachable)(int device, const void* p) = [](int, const void*) { return std::string(); };
};
extern const cuda_backend backend;

struct cuda_close {
  void operator()(cuda_queue* queue) const noexcept { backend.close(queue); }
};

// Gives memory back to the queue that it came from, which it keeps open; null: host memory.
struct queue_release {
  std::shared_ptr<cuda_queue> queue;
  std::size_t bytes = 0;
  void operator()(void* p) const noexcept;
};

[[noreturn]] void refuse_to_grow(std::size_t bytes);

}  // namespace detail
}  // namespace kleene
