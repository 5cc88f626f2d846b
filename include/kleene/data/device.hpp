// What Kleene knows of CUDA devices, in plain C++: the same header serves builds with and without CUDA. Where there is
// none compiled in, the count is 0.
#pragma once

#include "kleene/data/error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kleene {

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

// What kernels report about values they met; filled on the device, the first fault counts.
struct device_fault {
  enum kind_type : int { none, domain, overflow, wraps };
  int kind;
  const char* algebra;
  const char* operand;
  long long row, column;
  double value;
};

namespace detail {

// A stream with its device and its place for faults.
struct cuda_queue;
struct cuda_close {
  void operator()(cuda_queue* queue) const noexcept;
};

// Device memory, in the order of the queue's work. error(memory) with the number of bytes.
void* cuda_allocate(cuda_queue* queue, std::size_t bytes);
void cuda_free(cuda_queue* queue, void* p) noexcept;

// Whether what is put on the stream goes into a graph. The context's memory cannot grow then.
bool cuda_captures(const cuda_queue* queue);
[[noreturn]] void refuse_to_grow(std::size_t bytes);

// Memory for words that thread blocks leave each other. Each word travels with a tag; memory and tag are such that no
// word in it carries the tag yet, so nothing has to be cleared before a kernel starts. Valid until the next call.
struct tagged_memory {
  void* memory;
  std::uint64_t tag;
};
tagged_memory cuda_tagged(cuda_queue* queue, std::size_t bytes);

// Waits for all work on a device, whoever put it there.
void cuda_wait(int device);

// Why kernels on that device cannot use the memory at p, as the end of a sentence ("is in pageable host memory ...");
// empty where they can, or where the driver does not say.
std::string cuda_refuses(int device, const void* p);

// Device memory that outlives queues.
void* cuda_allocate_owned(int device, std::size_t bytes);
void cuda_free_owned(int device, void* p) noexcept;

}  // namespace detail
}  // namespace kleene
