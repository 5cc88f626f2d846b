// What is compiled on a user's machine for a ring of one's own (kl.semiring): plain functions that ctypes calls, over
// the `ring` that stands before this file is included.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>

namespace kleene::own_ring {

// An array of three dimensions, in elements; null: not given.
struct array {
  void* data;
  std::int64_t extents[3], strides[3];

  template <class E>
  batch_view<E> view() const {
    if (!data) return {};
    return {static_cast<E*>(data), {extents[0], extents[1], extents[2]}, {strides[0], strides[1], strides[2]}};
  }
};

// The thread's context, kept from call to call with its workspace.
inline const context& context_of(int threads) {
  thread_local int asked = threads;
  thread_local context kept = context::cpu({.threads = threads});
  if (asked != threads) kept = context::cpu({.threads = threads}), asked = threads;
  return kept;
}

enum answer : int { done, wrong_value, no_memory, failed };

// Room for a message; of a longer one its beginning.
struct message {
  char text[1024];
};

// Exceptions do not cross into C: what work() throws becomes an answer and a message.
template <class Work>
int answer_of(message* said, const Work& work) noexcept {
  const auto say = [&](answer kind, const char* what) {
    std::snprintf(said->text, sizeof said->text, "%s", what);
    return int(kind);
  };
  try {
    work();
    return done;
  } catch (const error& e) {
    const bool is_input = e.code() == fault_code::bad_input || e.code() == fault_code::usage;
    return say(e.code() == fault_code::memory ? no_memory : is_input ? wrong_value : failed, e.what());
  } catch (const argument_error& e) {
    return say(wrong_value, e.what());
  } catch (const std::exception& e) {
    return say(failed, e.what());
  }
}

}  // namespace kleene::own_ring
