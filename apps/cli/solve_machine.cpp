#include "solve_machine.hpp"

#include "session.hpp"

#include <cmath>

namespace kleene::cli {

namespace {

constexpr double processor_rate = 3e9;  // operations a second, of two cores at tensors of 2^20 elements
constexpr double device_rate = 3e11;
// A second of two cores; a device starts in a third of that.
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

bool solve_machine::takes_device(double operations) const {
  return is_open_ && operations >= std::exp2(log2_worth_a_device) && !cuda_devices().empty();
}

void solve_machine::decide(double log2_operations) {
  if (takes_device(std::exp2(log2_operations))) device_.emplace(context::cuda());
  is_open_ = false;
}

double solve_machine::likely_seconds(double operations) const {
  return operations / (device_ || takes_device(operations) ? device_rate : processor_rate);
}

}  // namespace kleene::cli
