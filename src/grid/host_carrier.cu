// Panels from device to device by way of pinned host memory and the messages of a grid's workers.
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/grid/detail/device_stream.hpp"
#include "kleene/grid/grid.hpp"

#include <algorithm>

namespace kleene::detail {

namespace {

// A message beside a copy, each of this size: larger ones gain nothing over any network, and pinned memory is scarce.
constexpr std::size_t piece = std::size_t{8} << 20;

class pinned_piece {
 public:
  pinned_piece() { gpu::require(cudaMallocHost(&data_, piece), "asking for pinned memory"); }
  ~pinned_piece() { cudaFreeHost(data_); }
  pinned_piece(const pinned_piece&) = delete;
  pinned_piece& operator=(const pinned_piece&) = delete;

  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
};

class host_carrier final : public panel_carrier {
 public:
  host_carrier(communicator& by, const grid_place& place) : by_(by), place_(place) {}
  // Copies into its memory may be on a stream still.
  ~host_carrier() override {
    for (const side& each : sides_) wait_quietly(each.copied);
  }

  void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) override {
    if (place_.members_of(within) == 1 || bytes == 0) return;
    if (place_.number_in(within) == root) send(stream, within, root, static_cast<char*>(data), bytes);
    else receive(stream, within, root, static_cast<char*>(data), bytes);
  }

 private:
  struct side {
    pinned_piece memory;
    device_event copied;  // to or from the device
    pending message;
  };

  static void wait_quietly(const device_event& event) noexcept {
    try {
      event.wait();
    } catch (const error&) {
    }
  }

  // While one piece is sent the next one is copied.
  void send(cuda_stream stream, scope within, int root, char* data, std::size_t bytes) {
    for (std::size_t at = 0, turn = 0; at < bytes; at += piece, ++turn) {
      side& now = sides_[turn % 2];
      const std::size_t size = std::min(piece, bytes - at);
      end(now);
      now.copied.wait();
      gpu::require(cudaMemcpyAsync(now.memory.get(), data + at, size, cudaMemcpyDeviceToHost, stream),
                   "copying a panel to the host");
      now.copied.record(stream);
      now.copied.wait();
      now.message = by_.begin_broadcast(within, root, now.memory.get(), size);
    }
    end_both(bytes);
  }
  void receive(cuda_stream stream, scope within, int root, char* data, std::size_t bytes) {
    const auto begin = [&](std::size_t at, side& to) {
      to.copied.wait();  // what was there is on the device
      to.message = by_.begin_broadcast(within, root, to.memory.get(), std::min(piece, bytes - at));
    };
    begin(0, sides_[0]);
    for (std::size_t at = 0, turn = 0; at < bytes; at += piece, ++turn) {
      side& now = sides_[turn % 2];
      if (at + piece < bytes) begin(at + piece, sides_[(turn + 1) % 2]);
      end(now);
      gpu::require(
          cudaMemcpyAsync(data + at, now.memory.get(), std::min(piece, bytes - at), cudaMemcpyHostToDevice, stream),
          "copying a panel to the device");
      now.copied.record(stream);
    }
  }
  static void end(side& one) {
    if (one.message) one.message->wait();
    one.message.reset();
  }
  // In the order in which they were begun.
  void end_both(std::size_t bytes) {
    const std::size_t turns = (bytes + piece - 1) / piece;
    end(sides_[turns % 2]);
    end(sides_[(turns + 1) % 2]);
  }

  communicator& by_;
  grid_place place_;
  side sides_[2];
};

}  // namespace

std::unique_ptr<panel_carrier> make_host_carrier(communicator& by, const grid_place& place) {
  return std::make_unique<host_carrier>(by, place);
}

}  // namespace kleene::detail
