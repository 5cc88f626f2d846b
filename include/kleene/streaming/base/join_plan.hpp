// The type of plan_join()'s result.
#pragma once

#include "kleene/data/view.hpp"
#include "kleene/streaming/base/machines.hpp"

#include <limits>
#include <optional>
#include <utility>

namespace kleene {

namespace detail::cpu {

class join_plan;

}  // namespace detail::cpu

namespace detail {

// Holds the plan of the machine that plan_join() ran on.
template <class Cpu, class Cuda>
class either_join_plan {
 public:
  explicit either_join_plan(Cpu plan) : cpu_(std::move(plan)) {}
  explicit either_join_plan(Cuda plan) : cuda_(std::move(plan)) {}

  index_t rows() const { return cpu_ ? cpu_->rows() : cuda_->rows(); }
  template <class Left, class Right>
  void fill(Left left, Right right) {
    if (cpu_) cpu_->fill(left, right);
    else cuda_->fill(left, right, std::numeric_limits<index_t>::max());
  }

 private:
  std::optional<Cpu> cpu_;
  std::optional<Cuda> cuda_;
};

// In a unit that knows the CPU alone the plan is the CPU's itself.
template <class On, class A, class B, class Less>
struct join_plan_of {
  using type = either_join_plan<cpu::join_plan, typename On::cuda::template plan<A, B, Less>>;
};
template <class Cpu, class A, class B, class Less>
struct join_plan_of<machines<Cpu, void>, A, B, Less> {
  using type = cpu::join_plan;
};
template <class On, class A, class B, class Less>
using join_plan_on = typename join_plan_of<On, A, B, Less>::type;

}  // namespace detail

}  // namespace kleene
