// Connections between processes, as few calls of the system's as relay.hpp needs.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace kleene {

// A file descriptor that is closed with this.
class socket_handle {
 public:
  explicit socket_handle(int number = -1) : number_(number) {}
  ~socket_handle();
  socket_handle(socket_handle&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  socket_handle& operator=(socket_handle&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }

  // Whether all of it went, or came. A peer that is gone is no signal.
  bool write(const void* data, std::size_t bytes) const;
  bool read(void* data, std::size_t bytes) const;
  // read() gives up after so many seconds without a byte; 0: never.
  void limit_reads(double seconds) const;
  // Ends both directions, or only this one's: who reads finds the end.
  void shut() const;
  void shut_writing() const;

 private:
  int number_;
};

// host:port. error(device) where it cannot be.
socket_handle listen_at(const std::string& address, int most);
// Empty after so many seconds without a caller.
socket_handle accept_within(const socket_handle& listening, double seconds);
// Empty where nobody listens there yet. argument_error: no host:port.
socket_handle connect_to(const std::string& address);

}  // namespace kleene
