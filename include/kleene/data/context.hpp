// A context names where work runs: the processor, how many threads, which instruction set, or a CUDA device and a
// stream; and it owns the pool of workspace that operations reuse from call to call. One context serves one thread at a
// time; two contexts are independent. Contexts are moved, not copied; what is left of one that was moved from is a
// context for the CPU with one thread.
//
// On a CUDA context operations that return nothing are asynchronous: they run in the order of the calls, and what they
// find wrong with the values (outside a domain, a result that does not fit) is thrown by the next synchronise(). Until
// then the outputs of the faulty call are as they were (domain) or not to be used (overflow). A kernel that the device
// itself stops (a functor of the caller's that writes out of bounds) is an error(device) of whatever asks the device
// next, and of all that asks it later: no process gets over that. The message names the context's calls that may have
// done it, those since it last saw the device done. KLEENE_SYNC=1 has each call wait, and throw what is its own.
//
// Some kernels start only where several of their blocks find room at the same time: clusters (products of 8 and 16 bits
// and of packed bits on sm_90), teams (closures), the two blocks of a set operation. Beside a kernel of somebody else's
// that holds nearly all multiprocessors they wait until it has ended; everything else shares what is left.
#pragma once

#include "kleene/data/detail/recent_calls.hpp"
#include "kleene/data/device.hpp"
#include "kleene/data/view.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kleene {

enum class device_kind : int { cpu, cuda };

// The vector units that CPU kernels are compiled for, in rising order.
enum class instruction_set : int { baseline, avx2, avx512 };

const char* to_string(instruction_set isa);
// The best that both this machine and this build support.
instruction_set best_instruction_set();
// By name; error(usage) for an unknown name, error(device) where the machine lacks it.
instruction_set instruction_set_from(std::string_view name);

struct cpu_options {
  int threads = 0;         // 0: default_threads(); more than most_threads() are as many as those (see parallel.hpp)
  std::string_view isa{};  // empty: KLEENE_CPU from the environment, else the best
};

// Reports how far long work has come: done and total in the same unit (operations). Called now and then, from the
// thread that called the operation; returning false asks the operation to stop, which then throws error(usage,
// "interrupted"). What a callback throws ends the operation too, and arrives at the operation's caller as it is. Either
// way what the operation was writing is not to be used.
using progress_callback = std::function<bool(double done, double total)>;

// What a context holds to work in, in bytes.
struct memory_needs {
  std::size_t workspace = 0;
  std::size_t tagged = 0;  // CUDA: what thread blocks leave each other
  bool operator==(const memory_needs&) const = default;
};

namespace detail {
const std::shared_ptr<cuda_queue>& queue_of(const context& ctx);
recent_calls& calls_of(const context& ctx);
}  // namespace detail

class context {
 public:
  // The processors of this machine. KLEENE_CPU=baseline|avx2|avx512 forces an instruction set. argument_error: a
  // negative number of threads.
  static context cpu(cpu_options options = {});
  // A CUDA device, with a stream of the context's own that waits for no other. error(device) where there is no such
  // device, or no CUDA compiled in: that is checked here and nowhere else. What it allocates comes from `memory`;
  // unsaid, from a pool of its own, which keeps what is freed until the context is gone (the process's pools are left
  // alone). The end of the last that uses that pool, the context or what it allocated, waits for the stream.
  static context cuda(int device = 0, device_allocator memory = {});
  // A stream (cudaStream_t) of the caller's and its device; it outlives the context, and what of `memory` is left then.
  // Null and cudaStreamLegacy are the legacy default stream of the thread's current device. A context on
  // cudaStreamPerThread stays with the thread that made it.
  static context cuda(cuda_stream stream, device_allocator memory = {});
  // The CUDA device if there is one, else the CPU. Never throws for want of a device.
  static context best();

  context(context&& other) noexcept { swap(other); }
  // The old workspace goes back before the queue that it came from is closed: both die with `taken`, in that order.
  context& operator=(context&& other) noexcept {
    context taken(std::move(other));
    swap(taken);
    return *this;
  }

  device_kind kind() const { return kind_; }
  int threads() const { return threads_; }
  instruction_set isa() const { return isa_; }
  // The CUDA stream (cudaStream_t) that work is put on and its device; null on the CPU.
  cuda_stream stream() const;
  // Streams of the context's own for work that runs beside stream() and before it in line: high priority, made when
  // first asked for. Operations that use them let stream() wait for them in the end. which: 0, 1, 2.
  cuda_stream side_stream(int which) const;
  const cuda_device* device() const;
  // "cpu (avx512, 2 threads)", "cuda (0: NVIDIA H200)".
  std::string describe() const;
  // Whether work on this context can read and write memory of that kind.
  bool reaches(memory space) const {
    return space == memory::managed || (space == memory::host) == (kind_ == device_kind::cpu);
  }

  // Waits until all work of this context is done, then throws what it found wrong, if anything (value_error, error).
  // Does nothing on the CPU.
  void synchronise() const;

  // At least `bytes` of scratch memory where the work runs, 64-byte aligned (CUDA: 256), valid until the context is
  // used again: operations work in it. It grows and is kept. error(memory) with the number of bytes when there is none
  // to be had.
  void* workspace(std::size_t bytes) const;
  // The same for as long as the result lives, besides the workspace (CUDA: in the order of the stream).
  auto temporary(std::size_t bytes) const { return device_pointer(allocate(bytes), {cuda_, bytes}); }
  // CUDA: memory for what thread blocks leave each other during one kernel (detail::tagged_memory).
  detail::tagged_memory tagged(std::size_t bytes) const { return detail::backend.tagged(cuda_.get(), bytes); }
  // How much of the workspace and of tagged memory the context holds: after a call, what that call and those before it
  // needed. There is nothing else that it keeps, but for a record of faults (48 bytes) and what its pool has unused.
  memory_needs workspace_bytes() const;
  // Has at least that much from here on: of what another context, or this one before release_workspace(), held. Calls
  // that need no more do not allocate workspace, and can be captured in a CUDA graph. error(memory).
  void reserve(const memory_needs& needs) const;
  // Memory that allocations where the work runs could still get, in bytes; the workspace counts as free. The largest
  // size_t where an allocator of the caller's knows.
  std::size_t available() const;
  // Gives both back: to the allocator of the caller's, or to the context's pool, which keeps them for whatever the
  // context allocates next.
  void release_workspace() const;
  // CUDA: where kernels report what synchronise() throws. Null on the CPU.
  device_fault* faults() const;

  void on_progress(progress_callback callback) { progress_ = std::move(callback); }
  const progress_callback& progress() const { return progress_; }

 private:
  context() = default;
  explicit context(detail::cuda_queue* queue);

  friend const std::shared_ptr<detail::cuda_queue>& detail::queue_of(const context& ctx);
  friend detail::recent_calls& detail::calls_of(const context& ctx);
  using device_pointer = std::unique_ptr<void, detail::queue_release>;

  void* allocate(std::size_t bytes) const;
  void swap(context& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(threads_, other.threads_);
    std::swap(isa_, other.isa_);
    std::swap(progress_, other.progress_);
    std::swap(cuda_, other.cuda_);
    std::swap(workspace_, other.workspace_);
    std::swap(workspace_bytes_, other.workspace_bytes_);
    std::swap(calls_, other.calls_);
  }

  device_kind kind_ = device_kind::cpu;
  int threads_ = 1;
  instruction_set isa_ = instruction_set::baseline;
  progress_callback progress_;
  std::shared_ptr<detail::cuda_queue> cuda_;  // before the workspace, which goes back to it
  mutable device_pointer workspace_;
  mutable std::size_t workspace_bytes_ = 0;
  mutable detail::recent_calls calls_;
};

inline const std::shared_ptr<detail::cuda_queue>& detail::queue_of(const context& ctx) { return ctx.cuda_; }
inline detail::recent_calls& detail::calls_of(const context& ctx) { return ctx.calls_; }

// KLEENE_EXPLAIN=1 (or set_explain) prints which kernel and policy ran and why, one line a call, on stderr.
bool explain_enabled();
void set_explain(bool on);
void explain(const std::string& line);

// KLEENE_SYNC=1 (or set_sync) ends each call on a CUDA context with synchronise(), but for what is captured in a graph:
// what is wrong with its kernels or its values is thrown by that call. For finding faults: no two calls overlap then.
bool sync_enabled();
void set_sync(bool on);

// Physical memory that an allocation could still get, in bytes (Linux: MemAvailable; elsewhere the largest size_t).
std::size_t available_memory();

}  // namespace kleene
