// What closures check and say before they run. Functions of the library (src/operations/closure.cpp): an algebra's own
// closure brings no copy of them.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/kernels/contract/closure_arguments.hpp"
#include "kleene/operations/detail/checks.hpp"

#include <string>

namespace kleene::detail {

using name_function = std::string (*)();  // &name_of<S>: most calls say nothing

// Refuses shapes and memory that do not fit, on any machine. p: null without predecessors.
void check_closure(const batch_facts& a, const batch_facts& p, index_t block);

// Checks a call and says what it will do: of one matrix, and of many.
closure_info begin_closure(name_function algebra, const context& ctx, const batch_facts& a, const batch_facts& p,
                           const closure_options& options);
closure_batch_info begin_closure_batch(const batch_facts& a, const batch_facts& p,
                                       const closure_batch_options& options);
void explain_batch(name_function algebra, const context& ctx, const batch_facts& a, bool with_predecessors,
                   index_t block);

}  // namespace kleene::detail
