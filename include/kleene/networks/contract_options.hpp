// What a contraction may be told, and what it tells; the contract is in contract.hpp.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/view.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kleene {

template <class S>
concept contractible = full_semiring<S> && is_commutative<S>;

struct contraction_report {
  int pairs = 0;
  int launched = 0;  // pairs, and sums before pairs, that a device computes in each slice
  index_t slices = 1;
  std::size_t bytes = 0;  // of workspace, at its peak
  double seconds = 0;     // of planning and running
};

struct contract_options {
  std::size_t memory = 0;  // bytes that the contraction may take; 0: what there is
  bool check_domain = true;
  bool small_on_processor = true;  // where the context is a device: pairs that take less time than a launch
  contraction_report* report = nullptr;
};

template <class T>
struct configuration {
  T value;
  bool exists = false;               // whether the value is another than zero()
  std::vector<std::int32_t> values;  // of each index, 0 of those in no tensor; empty where there is none
};

}  // namespace kleene
