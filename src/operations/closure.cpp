// What closures check and say before they run: compiled once, not with every algebra.
#include "kleene/operations/detail/checks/closures.hpp"

#include <limits>

namespace kleene::detail {

void check_closure(const batch_facts& a, const batch_facts& p, index_t block) {
  const auto [count, n, cols] = a.extents;
  if (cols != n)
    throw shape_error("a closure needs a square matrix; A is " + std::to_string(n) + "x" + std::to_string(cols));
  if (block < 0) throw argument_error("a block of " + std::to_string(block) + " vertices");
  require_distinct_elements("A", a);
  if (is_null(p)) return;
  if (p.extents[0] != count)
    throw shape_error("the predecessor matrix is " + shape_of(p.extents) + ", A is " + shape_of(a.extents));
  require_shape("the predecessor matrix", p, count, n, n);
  require_distinct_elements("the predecessor matrix", p);
  require_disjoint("A", a, "the predecessor matrix", p);
  if (n > std::numeric_limits<std::int32_t>::max())
    throw shape_error("predecessors are int32: " + std::to_string(n) + " vertices are too many");
}

namespace {

index_t block_of(index_t asked) { return asked > 0 ? asked : closure_block; }

std::string how(const context& ctx, bool with_predecessors) {
  return ctx.describe() + (with_predecessors ? ", with predecessors" : "");
}

}  // namespace

closure_info begin_closure(name_function algebra, const context& ctx, const batch_facts& a, const batch_facts& p,
                           const closure_options& options) {
  check_closure(a, p, options.block);
  const index_t n = a.extents[1];
  closure_info info;
  info.block = block_of(options.block);
  info.operations = 2.0 * double(n) * double(n) * double(n);
  if (n > 0 && explain_enabled())
    explain("closure " + algebra() + " " + shape_of(a.extents) + ": blocks of " + std::to_string(info.block) + ", " +
            how(ctx, !is_null(p)));
  return info;
}

closure_batch_info begin_closure_batch(const batch_facts& a, const batch_facts& p,
                                       const closure_batch_options& options) {
  check_closure(a, p, options.block);
  const index_t count = a.extents[0], n = a.extents[1];
  if (!options.sizes.empty() && static_cast<index_t>(options.sizes.size()) != count)
    throw shape_error(std::to_string(options.sizes.size()) + " sizes for " + std::to_string(count) + " matrices");
  closure_batch_info info;
  if (options.sizes.empty()) info.operations = 2.0 * double(count) * double(n) * double(n) * double(n);
  for (index_t b = 0; b < static_cast<index_t>(options.sizes.size()); ++b) {
    const index_t size = options.sizes[b];
    if (size < 0 || size > n)
      throw argument_error("matrix " + std::to_string(b) + " of " + std::to_string(n) + " rows cannot have " +
                           std::to_string(size) + " vertices");
    info.operations += 2.0 * double(size) * double(size) * double(size);
  }
  return info;
}

void explain_batch(name_function algebra, const context& ctx, const batch_facts& a, bool with_predecessors,
                   index_t block) {
  if (!explain_enabled()) return;
  explain("closure " + algebra() + ", " + shape_of(a.extents) + ": blocks of " + std::to_string(block_of(block)) +
          ", a matrix a thread, " + how(ctx, with_predecessors));
}

}  // namespace kleene::detail
