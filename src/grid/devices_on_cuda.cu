// The CUDA runtime's side of a grid of devices: streams, events, copies from device to device.
#include "grid/device_links.hpp"
#include "grid/nccl_carrier.hpp"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/grid/detail/device_stream.hpp"

#include <unistd.h>

namespace kleene {

namespace {

// What a root leaves for those that copy from it, until they have begun.
struct device_offer {
  int device;
  const void* data;
  const detail::device_event* ready;                // on the root's stream
  std::vector<const detail::device_event*> copied;  // on those of who copied, by their numbers in the scope
};

class device_communicator final : public thread_communicator {
 public:
  device_communicator(hub& h, const grid_place& place, int device)
      : thread_communicator(h, place), here_(device), device_(device) {}

  void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) override {
    if (place_.number_in(within) == root) offer(stream, within, data, bytes);
    else copy(stream, place_.rank_of(within, root), data, bytes);
  }

 private:
  void offer(cuda_stream stream, scope within, const void* data, std::size_t bytes) {
    const int members = place_.members_of(within);
    if (members == 1) return;
    ready_.record(stream);
    device_offer offered{device_, data, &ready_, std::vector<const detail::device_event*>(members)};
    std::vector<member_offer> each(members);
    std::exception_ptr stopped;
    {
      sent_posts sent(hub_);
      try {
        for (int member = 0; member < members; ++member) {
          each[member] = {&offered, member};
          if (const int to = place_.rank_of(within, member); to != place_.rank())
            sent.add({place_.rank(), to, hub::on_devices}, &each[member], bytes);
        }
        sent.wait();
      } catch (...) {  // the memory may go now, and some may be copying from it
        stopped = std::current_exception();
      }
    }
    for (const detail::device_event* copied : offered.copied) {
      if (!copied) continue;
      if (stopped) copied->wait();
      else copied->delay(stream);
    }
    if (stopped) std::rethrow_exception(stopped);
  }

  void copy(cuda_stream stream, int from, void* to, std::size_t bytes) {
    const hub::line_key key{from, place_.rank(), hub::on_devices};
    hub_.take(key, hub_.expect(key), bytes, [&](const void* post) {
      const auto& [offered, member] = *static_cast<const member_offer*>(post);
      offered->ready->delay(stream);
      if (bytes > 0)
        gpu::require(cudaMemcpyPeerAsync(to, device_, offered->data, offered->device, bytes, stream),
                     "copying from another device");
      // One event serves all copies of this worker's: where it is recorded again before a root has waited for it, it
      // stands for later work of this stream, which no work of that root's comes before.
      copied_.record(stream);
      offered->copied[member] = &copied_;
    });
  }

  struct member_offer {
    device_offer* offered;
    int member;
  };

  gpu::on_device here_;
  int device_;
  detail::device_event ready_, copied_;
};

}  // namespace

bool can_reach_peer(int device, int other) {
  int can = 0;
  if (device != other) gpu::require(cudaDeviceCanAccessPeer(&can, device, other), "asking for peer access");
  return can != 0;
}

void allow_peer_access(const std::vector<int>& devices) {
  for (const int from : devices)
    for (const int to : devices) {
      if (!can_reach_peer(from, to)) continue;
      const gpu::on_device here(from);
      if (const cudaError_t allowed = cudaDeviceEnablePeerAccess(to, 0); allowed != cudaErrorPeerAccessAlreadyEnabled)
        gpu::require(allowed, "letting a device reach another");
      else cudaGetLastError();
    }
}

std::unique_ptr<communicator> make_device_communicator(hub& shared, const grid_place& place, int device) {
  return std::make_unique<device_communicator>(shared, place, device);
}

namespace detail {

device_scope::device_scope(int device) {
  gpu::require(cudaGetDevice(&before_), "asking for a device");
  gpu::require(cudaSetDevice(device), "choosing a device");
}
device_scope::~device_scope() { cudaSetDevice(before_); }

device_stream::device_stream() {
  int low = 0, high = 0;
  gpu::require(cudaDeviceGetStreamPriorityRange(&low, &high), "asking for stream priorities");
  gpu::require(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, high), "making a stream");
}
// Others may wait for what is on it, and memory that it uses goes after it.
device_stream::~device_stream() {
  cudaStreamSynchronize(stream_);
  cudaStreamDestroy(stream_);
}

device_event::device_event() {
  gpu::require(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
}
device_event::~device_event() { cudaEventDestroy(event_); }
void device_event::record(cuda_stream stream) {
  gpu::require(cudaEventRecord(event_, stream), "recording an event");
  is_recorded_ = true;
}
void device_event::delay(cuda_stream stream) const {
  if (is_recorded_) gpu::require(cudaStreamWaitEvent(stream, event_), "waiting for an event");
}
void device_event::wait() const {
  if (is_recorded_) gpu::require(cudaEventSynchronize(event_), "waiting for an event");
}

device_timer::~device_timer() {
  for (const pair& each : begun_) cudaEventDestroy(each.begin), cudaEventDestroy(each.end);
  for (const pair& each : free_) cudaEventDestroy(each.begin), cudaEventDestroy(each.end);
}
void device_timer::begin(cuda_stream stream) {
  seconds();
  pair next{};
  if (free_.empty()) {
    gpu::require(cudaEventCreate(&next.begin), "making an event");
    gpu::require(cudaEventCreate(&next.end), "making an event");
  } else {
    next = free_.back();
    free_.pop_back();
  }
  begun_.push_back(next);
  gpu::require(cudaEventRecord(next.begin, stream), "recording an event");
}
void device_timer::end(cuda_stream stream) {
  gpu::require(cudaEventRecord(begun_.back().end, stream), "recording an event");
}
double device_timer::seconds() {
  cudaError_t state = cudaSuccess;
  for (; !begun_.empty() && (state = cudaEventQuery(begun_.front().end)) == cudaSuccess; begun_.pop_front()) {
    float milliseconds = 0;
    if (cudaEventElapsedTime(&milliseconds, begun_.front().begin, begun_.front().end) == cudaSuccess)
      seconds_ += milliseconds / 1e3;
    free_.push_back(begun_.front());
  }
  if (state == cudaErrorNotReady) cudaGetLastError();
  return seconds_;
}

// Pinning a range of a mapped file brings all of it into memory: hence a bound.
pinned_range::pinned_range(void* first, std::size_t bytes) {
  const double machine = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  if (bytes == 0 || double(bytes) > 0.75 * machine) return;
  if (cudaHostRegister(first, bytes, cudaHostRegisterDefault) == cudaSuccess) first_ = first;
  else cudaGetLastError();  // the caller's own pinned memory, say, or a limit of the system's
}
pinned_range::~pinned_range() {
  if (!first_) return;
  cudaDeviceSynchronize();
  cudaHostUnregister(first_);
}

}  // namespace detail
}  // namespace kleene
