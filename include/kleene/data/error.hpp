// Errors. Every error that Kleene throws carries a fault: a code (the exit status of the command line) and a message
// with the numbers in it. Checks run before any work; floors below operations are noexcept and return a status instead.
//
//   error           std::runtime_error     device missing, out of memory, unreadable file
//   argument_error  std::invalid_argument  arguments that contradict each other, overlap, or have no data
//   shape_error     std::invalid_argument  extents that do not fit
//   value_error     std::invalid_argument  an element outside an algebra's domain, a result that does not fit
//
// (fault is a mix-in because std::runtime_error and std::invalid_argument share a base: one class cannot be both.)
#pragma once

#include "kleene/algebra/language.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

namespace kleene {

// What went wrong, numbered as the command line exits.
enum class fault_code : int { usage = 2, bad_input = 3, device = 4, memory = 5, internal = 70 };

class fault {
 public:
  explicit fault(fault_code code) : code_(code) {}
  virtual ~fault() = default;
  fault_code code() const noexcept { return code_; }

 private:
  fault_code code_;
};

class error : public std::runtime_error, public fault {
 public:
  error(fault_code code, const std::string& message) : std::runtime_error(message), fault(code) {}
};

class argument_error : public std::invalid_argument, public fault {
 public:
  explicit argument_error(const std::string& message, fault_code code = fault_code::bad_input)
      : std::invalid_argument(message), fault(code) {}
};
class shape_error : public argument_error {
 public:
  using argument_error::argument_error;
};
class value_error : public argument_error {
 public:
  using argument_error::argument_error;
};

namespace detail {

// A count of bytes in words.
inline std::string bytes_text(double bytes) {
  const std::string digits = std::to_string(std::max(bytes, 0.0));
  return digits.substr(0, digits.find('.')) + " bytes";
}

// Runs work(). Where the standard library cannot get memory for it, that is error(memory) as everywhere else. bytes:
// about what the work takes.
template <class Work>
auto with_memory(const char* what, double bytes, const Work& work) -> decltype(work()) {
  const auto refuse = [&] {
    throw error(fault_code::memory, std::string(what) + ": out of memory; it takes about " + bytes_text(bytes));
  };
  try {
    return work();
  } catch (const std::bad_alloc&) {
    refuse();
  } catch (const std::length_error&) {  // a vector longer than any memory
    refuse();
  }
  throw;  // never reached
}

}  // namespace detail

// What a floor below operations returns.
enum class status : int {
  ok = 0,
  overflow,  // a finite result that the element type cannot hold; the outputs are written but not to be used
  diverges,  // the closure does not exist (a negative cycle, a star without a value)
};

}  // namespace kleene
