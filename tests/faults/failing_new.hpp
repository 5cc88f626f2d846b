// Lets the n-th allocation of a call fail, for every n, and looks at what it leaves behind. The program that includes
// this is linked with failing_new.cpp.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/matrix.hpp"

#include "support/equal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <typeinfo>

namespace kleene::test {

// From now on `count` allocations by operator new succeed, and the next one fails, once.
void fail_allocation_after(long count);
// No more fail. Whether none did since.
bool allocations_succeed();

// What a call writes: reset() before it, and whether it is as reset() left it.
template <class T>
struct output {
  matrix<T> value, before;
  explicit output(const matrix<T>& start) : value(start), before(start) {}
  void reset() { std::copy_n(before.data(), before.size(), value.data()); }
  bool untouched() const {
    return std::equal(value.data(), value.data() + value.size(), before.data(),
                      [](const T& a, const T& b) { return a == b; });
  }
};

// call(ctx) with its first, second, ... allocation failing, until it gets by; each time on a new context. Returns how
// many failed.
template <class Call, class... T>
long each_allocation_fails(const Call& call, output<T>&... outputs) {
  for (long n = 0; n < 100000; ++n) {
    const context ctx = context::cpu({.threads = 2});
    (outputs.reset(), ...);
    std::string said;
    bool had_all = true;
    fail_allocation_after(n);
    try {
      call(ctx);
      had_all = allocations_succeed();
    } catch (const error& e) {
      had_all = allocations_succeed();
      said = e.what();
      EXPECT_EQ(int(e.code()), 5) << said;
    } catch (const std::exception& e) {
      had_all = allocations_succeed();
      ADD_FAILURE() << "allocation " << n << ": " << typeid(e).name() << ": " << e.what();
      said = "another exception";
    }
    if (had_all) {
      EXPECT_EQ(said, "") << "with all its memory";
      return n;
    }
    if (said.empty()) continue;  // it could do without that memory
    const bool has_number = said.find_first_of("0123456789") != std::string::npos && contains(said, "bytes");
    EXPECT_TRUE(has_number) << "allocation " << n << " says: " << said;
    EXPECT_TRUE((outputs.untouched() && ...)) << "allocation " << n << ": an output was written";
    call(ctx);
    if (testing::Test::HasFailure()) return n;
  }
  ADD_FAILURE() << "no end of allocations";
  return -1;
}

}  // namespace kleene::test
