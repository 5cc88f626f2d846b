// How a plain function runs: on its thread's context, and without an exception that leaves it.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/error.hpp"
#include "kleene/operations/own/plain/requests.hpp"

#include <cstdio>
#include <exception>

namespace kleene::plain {

// The thread's context, kept from call to call with its workspace.
inline const context& context_of(int threads) {
  thread_local int asked = threads;
  thread_local context kept = context::cpu({.threads = threads});
  if (asked != threads) kept = context::cpu({.threads = threads}), asked = threads;
  return kept;
}

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

}  // namespace kleene::plain
