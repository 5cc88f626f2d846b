// kleene solve: where orders are looked for, and where networks are contracted.
#pragma once

#include "commands.hpp"
#include "kleene/data/context.hpp"

#include <optional>

namespace kleene::cli {

class solve_machine {
 public:
  // --device cuda and cuda:N: a device that is not there is refused before anything is read.
  explicit solve_machine(const shared_flags& shared);

  // Orders are looked for by the processor, and small problems are contracted there.
  const context& processor() const { return processor_; }
  // Where a network is contracted, as far as that is known: unless asked otherwise, the processor, until decide().
  const context& contractor() const { return device_ ? *device_ : processor_; }
  // Of --device auto: a device, if there is one, takes what would keep a processor busy for longer than a device takes
  // to start. log2_operations: of all questions, in operations of the optimum's.
  void decide(double log2_operations);

  // About how long so many operations and elements moved take, where they are likely to run.
  double likely_seconds(double operations) const;

 private:
  bool takes_device(double operations) const;

  bool is_open_;  // --device auto
  context processor_;
  std::optional<context> device_;
};

}  // namespace kleene::cli
