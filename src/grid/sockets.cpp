#include "grid/sockets.hpp"

#include "kleene/data/error.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>

namespace kleene {

namespace {

using addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

// [::1]:80, host:80
addresses resolve(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (colon == std::string::npos || host.empty() || colon + 1 == address.size())
    throw argument_error("'" + address + "' is no place to meet: host:port is");
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (const int wrong = getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found))
    throw error(fault_code::device, "no way to meet at " + address + ": " + gai_strerror(wrong));
  return {found, freeaddrinfo};
}

// Small messages go at once, and a machine that has vanished is found out within 20 s.
void prepare(int number) {
  const auto set = [&](int level, int option, int value) { setsockopt(number, level, option, &value, sizeof value); };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 20'000);
}

}  // namespace

socket_handle::~socket_handle() {
  if (number_ >= 0) close(number_);
}

bool socket_handle::write(const void* data, std::size_t bytes) const {
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t went = ::send(number_, at, bytes, MSG_NOSIGNAL);
    if (went < 0 && errno == EINTR) continue;
    if (went <= 0) return false;
    at += went, bytes -= static_cast<std::size_t>(went);
  }
  return true;
}

bool socket_handle::read(void* data, std::size_t bytes) const {
  for (char* at = static_cast<char*>(data); bytes > 0;) {
    const ssize_t came = ::recv(number_, at, bytes, 0);
    if (came < 0 && errno == EINTR) continue;
    if (came <= 0) return false;
    at += came, bytes -= static_cast<std::size_t>(came);
  }
  return true;
}

void socket_handle::limit_reads(double seconds) const {
  const double whole = std::floor(seconds);
  const timeval limit{static_cast<time_t>(whole), static_cast<suseconds_t>((seconds - whole) * 1e6)};
  setsockopt(number_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

void socket_handle::shut() const { shutdown(number_, SHUT_RDWR); }
void socket_handle::shut_writing() const { shutdown(number_, SHUT_WR); }

// An address that this machine does not have is another name of it (outside a container, say): then at all that it has.
socket_handle listen_at(const std::string& address, int most) {
  const addresses found = resolve(address);
  int wrong = 0;
  for (const addrinfo* at = found.get(); at; at = at->ai_next) {
    socket_handle made(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!made) continue;
    const int yes = 1;
    setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    bool is_bound = bind(made.get(), at->ai_addr, at->ai_addrlen) == 0;
    if (!is_bound && errno == EADDRNOTAVAIL) {
      sockaddr_storage any{};
      std::memcpy(&any, at->ai_addr, at->ai_addrlen);
      if (any.ss_family == AF_INET) reinterpret_cast<sockaddr_in*>(&any)->sin_addr.s_addr = htonl(INADDR_ANY);
      else reinterpret_cast<sockaddr_in6*>(&any)->sin6_addr = in6addr_any;
      is_bound = bind(made.get(), reinterpret_cast<const sockaddr*>(&any), at->ai_addrlen) == 0;
    }
    if (is_bound && ::listen(made.get(), most) == 0) return made;
    wrong = errno;
  }
  throw error(fault_code::device, "rank 0 cannot listen at " + address + ": " + std::strerror(wrong) +
                                      " (KLEENE_RENDEZVOUS names another host:port)");
}

socket_handle accept_within(const socket_handle& listening, double seconds) {
  pollfd waiting{listening.get(), POLLIN, 0};
  if (poll(&waiting, 1, static_cast<int>(seconds * 1e3)) <= 0) return socket_handle();
  socket_handle came(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (came) prepare(came.get());
  return came;
}

socket_handle connect_to(const std::string& address) {
  const addresses found = resolve(address);
  for (const addrinfo* at = found.get(); at; at = at->ai_next) {
    socket_handle made(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (made && connect(made.get(), at->ai_addr, at->ai_addrlen) == 0) {
      prepare(made.get());
      return made;
    }
  }
  return socket_handle();
}

}  // namespace kleene
