#include "kleene/grid/grid.hpp"

#include "kleene/grid/distribution.hpp"
#include "kleene/kernels/contract/closure_overflow.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>

namespace kleene {

namespace {

constexpr int most_workers = 4096;  // a mistake rather than a wish

// An error in flight from one worker to the others.
struct message {
  enum kind : int { other, argument, shape, value, overflow } what = other;
  fault_code code = fault_code::internal;
  char text[4096] = {};
};

message message_of(const std::exception_ptr& thrown) {
  message m;
  std::string text;
  const auto note = [&](const auto& e, message::kind what) { m.what = what, m.code = e.code(), text = e.what(); };
  try {
    std::rethrow_exception(thrown);
  } catch (const overflow_error& e) {
    note(e, message::overflow);
  } catch (const value_error& e) {
    note(e, message::value);
  } catch (const shape_error& e) {
    note(e, message::shape);
  } catch (const argument_error& e) {
    note(e, message::argument);
  } catch (const error& e) {
    note(e, message::other);
  } catch (const std::bad_alloc&) {
    m.code = fault_code::memory;
    text = "out of memory";
  }
  text.copy(m.text, sizeof m.text - 1);
  return m;
}

std::exception_ptr exception_of(const message& m) {
  switch (m.what) {
    case message::overflow:
      return std::make_exception_ptr(overflow_error(m.text, m.code));
    case message::value:
      return std::make_exception_ptr(value_error(m.text, m.code));
    case message::shape:
      return std::make_exception_ptr(shape_error(m.text, m.code));
    case message::argument:
      return std::make_exception_ptr(argument_error(m.text, m.code));
    default:
      return std::make_exception_ptr(error(m.code, m.text));
  }
}

}  // namespace

void worker::together(const std::function<void()>& work) {
  std::exception_ptr mine;
  try {
    work();
  } catch (const fault&) {
    mine = std::current_exception();
  } catch (const std::bad_alloc&) {
    mine = std::current_exception();
  }
  constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();
  const std::int64_t lowest = comm_.minimum(mine ? rank() : nobody);
  if (lowest != nobody) throw_of(static_cast<int>(lowest), mine);
}

void worker::throw_of(int failed, const std::exception_ptr& mine) {
  message m;
  if (failed == rank()) m = message_of(mine);
  comm_.broadcast(scope::all, failed, &m, sizeof m);
  agreed_ = exception_of(m);
  std::rethrow_exception(agreed_);
}

std::string to_string(const distribution& d) {
  return std::to_string(d.m) + " x " + std::to_string(d.n) + " in blocks of " + std::to_string(d.mb) + " x " +
         std::to_string(d.nb) + " from (" + std::to_string(d.rsrc) + ", " + std::to_string(d.csrc) + ")";
}

namespace detail {
void require_grid(int rows, int cols) {
  if (rows < 1 || cols < 1 || std::int64_t{rows} * cols > most_workers)
    throw argument_error("a grid of " + std::to_string(rows) + " x " + std::to_string(cols) + " workers: 1 to " +
                         std::to_string(most_workers) + " are possible");
}

grid_place grid_shape(int workers, int rows, int cols, const worker_noun& what) {
  if (rows < 0 || cols < 0) require_grid(rows, cols);
  if (rows == 0 && cols > 0) rows = workers / cols;
  if (rows > 0 && cols == 0) cols = workers / rows;
  if (rows == 0 && cols == 0) {
    for (int r = 1; r * r <= workers; ++r)
      if (workers % r == 0) rows = r;
    cols = workers / rows;
  }
  if (std::int64_t{rows} * cols != workers)
    throw argument_error("a grid of " + std::to_string(rows) + " x " + std::to_string(cols) + " workers on " +
                         std::to_string(workers) + " " + (workers == 1 ? what.one : what.many));
  require_grid(rows, cols);
  return {.rows = rows, .cols = cols};
}
}  // namespace detail

}  // namespace kleene
