#include "kleene/data/context.hpp"

#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/data/memory.hpp"
#include "kleene/data/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace kleene {

namespace {

struct isa_row {
  instruction_set isa;
  const char* name;
  bool (*supported)();
};

#if defined(__x86_64__) && defined(__GNUC__)
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#else
bool has_avx2() { return false; }
bool has_avx512() { return false; }
#endif

constexpr isa_row isa_table[] = {
    {instruction_set::baseline, "baseline", [] { return true; }},
    {instruction_set::avx2, "avx2", has_avx2},
    {instruction_set::avx512, "avx512", has_avx512},
};

// On or off: by a variable of the environment, unless the program has said.
class environment_switch {
 public:
  constexpr explicit environment_switch(const char* name) : name_(name) {}
  bool is_on() {
    int state = state_.load(std::memory_order_relaxed);
    if (state < 0) {
      const char* asked = std::getenv(name_);
      state = asked && *asked && std::string_view(asked) != "0";
      state_ = state;
    }
    return state != 0;
  }
  void set(bool on) { state_ = on; }

 private:
  const char* name_;
  std::atomic<int> state_{-1};  // -1: not asked yet
};
constinit environment_switch explains("KLEENE_EXPLAIN"), syncs("KLEENE_SYNC");

}  // namespace

const char* to_string(instruction_set isa) { return isa_table[static_cast<int>(isa)].name; }

instruction_set best_instruction_set() {
  instruction_set best = instruction_set::baseline;
  for (const isa_row& row : isa_table)
    if (row.supported()) best = row.isa;
  return best;
}

instruction_set instruction_set_from(std::string_view name) {
  for (const isa_row& row : isa_table)
    if (name == row.name) {
      if (!row.supported())
        throw error(fault_code::device, "this machine or build has no " + std::string(name) + " (KLEENE_CPU)");
      return row.isa;
    }
  throw error(fault_code::usage,
              "unknown instruction set '" + std::string(name) + "' (KLEENE_CPU takes baseline, avx2 or avx512)");
}

// What a build for one processor runs, whatever a context says.
void require_compiled_set() {
#ifdef KLEENE_INSTRUCTION_SET
  constexpr const isa_row& only = isa_table[static_cast<int>(instruction_set::KLEENE_INSTRUCTION_SET)];
  if (!only.supported())
    throw error(fault_code::device, std::string("this Kleene was built for ") + only.name +
                                        " alone (KLEENE_INSTRUCTION_SET), which this processor does not have");
#endif
}

context context::cpu(cpu_options options) {
  if (options.threads < 0)
    throw argument_error("context::cpu: " + std::to_string(options.threads) +
                             " threads asked for; 0 means as many as there are processors",
                         fault_code::usage);
  context c;
  c.threads_ = options.threads > 0 ? options.threads : default_threads();
  if (c.threads_ > least_most_threads)  // which spares most calls a question to the system
    if (const int most = most_threads(); c.threads_ > most) {
      explain(std::to_string(c.threads_) + " threads asked for, " + std::to_string(most) + " taken");
      c.threads_ = most;
    }
  std::string_view name = options.isa;
  if (name.empty())
    if (const char* forced = std::getenv("KLEENE_CPU"); forced && *forced) name = forced;
  c.isa_ = name.empty() ? best_instruction_set() : instruction_set_from(name);
  require_compiled_set();
  return c;
}

context::context(detail::cuda_queue* queue) : kind_(device_kind::cuda), cuda_(queue, detail::cuda_close()) {}

context context::cuda(int device, device_allocator memory) { return context(detail::backend.open(device, memory)); }
context context::cuda(cuda_stream stream, device_allocator memory) {
  return context(detail::backend.open_on(stream, memory));
}

context context::best() { return cuda_devices().empty() ? cpu() : cuda(); }

std::string context::describe() const {
  if (cuda_) return "cuda (" + std::to_string(device()->ordinal) + ": " + device()->name + ")";
  return std::string("cpu (") + to_string(isa_) + ", " + std::to_string(threads_) +
         (threads_ == 1 ? " thread)" : " threads)");
}

cuda_stream context::stream() const { return cuda_ ? detail::backend.stream(cuda_.get()) : nullptr; }
cuda_stream context::side_stream(int which) const {
  return cuda_ ? detail::backend.side_stream(cuda_.get(), which) : nullptr;
}
const cuda_device* context::device() const { return cuda_ ? detail::backend.device_of(cuda_.get()) : nullptr; }
device_fault* context::faults() const { return cuda_ ? detail::backend.faults(cuda_.get()) : nullptr; }

void context::synchronise() const {
  if (!cuda_) return;
  const device_fault fault = [&] {
    const detail::naming_calls naming(calls_);
    return detail::backend.synchronise(cuda_.get());
  }();
  calls_.settle();
  if (fault.kind == device_fault::none) return;
  const std::string place = "(" + std::to_string(fault.row) + ", " + std::to_string(fault.column) + ")";
  switch (fault.kind) {
    case device_fault::domain:
      throw value_error(std::string(fault.operand) + place + " = " + detail::to_text(fault.value) +
                        " is outside the domain of " + fault.algebra);
    case device_fault::wraps:
      throw value_error(std::string(fault.algebra) + ": sums of products of these magnitudes can leave 64 bits");
    default:
      throw value_error(std::string(fault.algebra) +
                        ": a finite result is too large for the element type; use a wider one. C is not to be used");
  }
}

void detail::queue_release::operator()(void* p) const noexcept {
  if (queue) backend.free(queue.get(), p, bytes);
  else aligned_delete{}(p);
}

void* context::allocate(std::size_t bytes) const {
  if (cuda_) return detail::backend.allocate(cuda_.get(), bytes);
  void* p = detail::aligned_allocate(bytes);
  detail::advise_large_pages(p, bytes);
  return p;
}

std::size_t context::available() const {
  const std::size_t left = cuda_ ? detail::backend.available(cuda_.get()) : available_memory();
  return left + std::min(workspace_bytes_, std::numeric_limits<std::size_t>::max() - left);
}

memory_needs context::workspace_bytes() const {
  return {workspace_bytes_, cuda_ ? detail::backend.tagged_bytes(cuda_.get()) : 0};
}
void context::reserve(const memory_needs& needs) const {
  (void)workspace(needs.workspace);
  if (cuda_ && needs.tagged > workspace_bytes().tagged) (void)tagged(needs.tagged);
}
void context::release_workspace() const {
  workspace_.reset();
  workspace_bytes_ = 0;
  if (cuda_) detail::backend.release_tagged(cuda_.get());
}

void detail::refuse_to_grow(std::size_t bytes) {
  throw error(fault_code::memory, "a context whose stream is captured cannot get the " + std::to_string(bytes) +
                                      " bytes that the call needs: make the call once before, so that it has them");
}

void* context::workspace(std::size_t bytes) const {
  if (bytes > workspace_bytes_) {
    if (cuda_ && detail::backend.captures(cuda_.get())) detail::refuse_to_grow(bytes);
    workspace_.reset();  // CUDA: freed in the order of the stream, after the work that uses it
    workspace_bytes_ = 0;
    workspace_ = device_pointer(allocate(bytes), {cuda_, bytes});
    workspace_bytes_ = bytes;
  }
  return workspace_.get();
}

bool explain_enabled() { return explains.is_on(); }
void set_explain(bool on) { explains.set(on); }
void explain(const std::string& line) {
  if (explain_enabled()) std::fprintf(stderr, "kleene: %s\n", line.c_str());
}
bool sync_enabled() { return syncs.is_on(); }
void set_sync(bool on) { syncs.set(on); }

}  // namespace kleene
