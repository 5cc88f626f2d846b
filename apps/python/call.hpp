// How a call from Python runs: on a context of its thread's, without the interpreter's lock, stopped by Ctrl-C.
#pragma once

#include "kleene/data/context.hpp"

#include <nanobind/nanobind.h>

#include <chrono>

namespace kleene::python {

namespace nb = nanobind;

// What every function may be told: 0 threads are default_threads(), progress is None or called as (done, total).
struct call_options {
  int threads = 0;
  nb::object progress{};
};

// How long work goes on between two looks for signals.
inline constexpr std::chrono::milliseconds between_looks{50};

// Looks for signals (Ctrl-C) now and then, and tells the caller's `progress` how far the work is. What a handler or
// `progress` raises is thrown as nb::python_error, through the operation, to the interpreter.
class attention {
 public:
  explicit attention(nb::handle progress) : progress_(progress) {}
  bool operator()(double done, double total);

 private:
  nb::handle progress_;  // null: nobody asks
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// The thread's context, kept from call to call with its workspace; while a call is using it (a signal's handler calls
// Kleene, too) another one is made.
class borrowed_context {
 public:
  explicit borrowed_context(int threads);
  ~borrowed_context();
  borrowed_context(const borrowed_context&) = delete;
  borrowed_context& operator=(const borrowed_context&) = delete;
  context& get() { return *context_; }

 private:
  context* context_ = nullptr;
  bool is_own_ = false;
};

// Runs work(ctx, look) without the interpreter's lock; look(done, total) is for work of many pieces, between them.
template <class Work>
auto run(const call_options& options, const Work& work) {
  borrowed_context borrowed(options.threads);
  attention look(options.progress.is_none() ? nb::handle() : nb::handle(options.progress));
  borrowed.get().on_progress([&look](double done, double total) { return look(done, total); });
  const nb::gil_scoped_release unlocked;
  return work(static_cast<const context&>(borrowed.get()), look);
}

// Has the interpreter raise for Kleene's errors: MemoryError for want of memory, ValueError for arguments, values and
// files, else RuntimeError.
void register_errors();

}  // namespace kleene::python
