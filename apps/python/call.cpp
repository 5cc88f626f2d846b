#include "call.hpp"

#include "kleene/data/error.hpp"

#include <memory>

namespace kleene::python {

bool attention::operator()(double done, double total) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < between_looks && done < total) return true;
  last_ = now;
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (progress_.is_valid()) progress_(done, total);
  return true;
}

namespace {

struct kept_context {
  std::unique_ptr<context> ctx;
  int threads = 0;
  bool in_use = false;
};
thread_local kept_context kept;

}  // namespace

borrowed_context::borrowed_context(int threads) {
  if (kept.in_use) {
    is_own_ = true;
    context_ = new context(context::cpu({.threads = threads}));
    return;
  }
  if (!kept.ctx || kept.threads != threads) {
    kept.ctx = std::make_unique<context>(context::cpu({.threads = threads}));
    kept.threads = threads;
  }
  kept.in_use = true;
  context_ = kept.ctx.get();
}

borrowed_context::~borrowed_context() {
  if (is_own_) {
    delete context_;
    return;
  }
  context_->on_progress({});
  kept.in_use = false;
}

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const error& e) {
      const bool memory = e.code() == fault_code::memory;
      const bool input = e.code() == fault_code::bad_input || e.code() == fault_code::usage;
      PyErr_SetString(memory ? PyExc_MemoryError : input ? PyExc_ValueError : PyExc_RuntimeError, e.what());
    } catch (const argument_error& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
}

}  // namespace kleene::python
