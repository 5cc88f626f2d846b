// Which calls a context has put on its device and not seen done. A kernel that faults (a functor of the caller's that
// writes out of bounds) is reported by whatever asks the device next, which says neither which call it was nor where:
// these names are what the error's message has to go by, and KLEENE_SYNC=1 has the call itself throw.
//
// A call of the caller's is noted once, whatever it calls in its turn, before its work is put on the stream. The last
// few are kept, as pointers to literals and numbers: nothing is allocated and nothing waits.
#pragma once

#include "kleene/data/view.hpp"

#include <array>
#include <string>
#include <type_traits>

namespace kleene {

class context;

namespace detail {

// What a call is called. The words are literals.
struct call_name {
  const char* operation = "";
  const char* algebra = "";
  const char* type = "";
  std::array<index_t, 3> extents{-1, -1, -1};  // those below 0 are not there
  index_t batch = 1;
};
// "gemm min_plus f32 64x64x64, batch of 3"
std::string to_text(const call_name& call);

// The last calls of a context. Of those that there is no room for only the number is known.
class recent_calls {
 public:
  static constexpr int kept = 8;

  // A call begins, and ends; one within another is not noted.
  void begin(const call_name& call) noexcept {
    if (depth_++ == 0) calls_[count_++ % kept] = call;
  }
  void end() noexcept { --depth_; }
  bool in_call() const noexcept { return depth_ > 0; }
  // The device has done all that it was given. A call that is still going on may give it more.
  void settle() noexcept { settled_ = count_ - in_call(); }
  // What is not settled, in order, neighbours of the same text as one: "gemm min_plus f32 64x64x64 (3 times), merge";
  // empty where there is nothing.
  std::string text() const;

 private:
  std::array<call_name, kept> calls_;
  index_t count_ = 0, settled_ = 0;
  int depth_ = 0;
};

// While it lives, errors of the device in this thread name these calls.
class naming_calls {
 public:
  explicit naming_calls(const recent_calls& calls) noexcept;
  ~naming_calls();
  naming_calls(const naming_calls&) = delete;
  naming_calls& operator=(const naming_calls&) = delete;

 private:
  const recent_calls* before_;
};
// The end of a message about a kernel's fault: "; of this context's calls it may be ..."; empty where none is known.
std::string suspected_calls();

// A call on a context, from its beginning to its end. (On the CPU nothing comes of it.)
class device_call {
 public:
  device_call(const context& ctx, const call_name& name) noexcept;
  ~device_call();
  device_call(const device_call&) = delete;
  device_call& operator=(const device_call&) = delete;
  // Ends it: all its work is on the stream. With KLEENE_SYNC, ctx.synchronise(), but for what is being captured.
  void finish();

 private:
  const context& ctx_;
  naming_calls naming_;
  bool ended_ = false;
};

// work(), as a call of that name.
template <class Work>
auto run_as_call(const context& ctx, const call_name& name, const Work& work) {
  device_call call(ctx, name);
  if constexpr (std::is_void_v<decltype(work())>) {
    work();
    call.finish();
  } else {
    auto result = work();
    call.finish();
    return result;
  }
}

}  // namespace detail
}  // namespace kleene
