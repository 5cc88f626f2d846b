#include "solve_machine.hpp"

#include "session.hpp"

namespace kleene::cli {

namespace {

// A second of two cores, at 3 x 10^9 a second; a device starts in a third of that.
constexpr double log2_worth_a_device = 31.5;

context made(shared_flags shared, const std::string& device) {
  shared.device = device;
  return make_context(shared);
}

}  // namespace

solve_machine::solve_machine(const shared_flags& shared)
    : is_open_(shared.device == "auto"), processor_(made(shared, "cpu")) {
  if (!is_open_ && shared.device != "cpu") device_.emplace(made(shared, shared.device));
}

void solve_machine::decide(double log2_operations) {
  if (is_open_ && !cuda_devices().empty() && log2_operations >= log2_worth_a_device) device_.emplace(context::cuda());
  is_open_ = false;
}

}  // namespace kleene::cli
