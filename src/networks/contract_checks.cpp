#include "kleene/networks/detail/contract_checks.hpp"

#include "kleene/data/error.hpp"

#include <cstdint>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace kleene::detail {

std::vector<std::vector<network_axis>> network_axes(const network& n, std::span<const tensor_facts> tensors) {
  require_network(n);
  if (static_cast<int>(tensors.size()) != n.size())
    throw argument_error("contract: the network has " + std::to_string(n.size()) + " tensors, but " +
                         std::to_string(tensors.size()) + " are given");
  std::vector<std::vector<network_axis>> all(tensors.size());
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const std::vector<int>& labels = n.tensors[t];
    const tensor_facts& x = tensors[t];
    const std::string name = "contract: tensor " + std::to_string(t);
    if (x.extents->size() != static_cast<int>(labels.size()))
      throw shape_error(name + " has rank " + std::to_string(x.extents->size()) + ", but " +
                        std::to_string(labels.size()) + " indices in the network");
    all[t].reserve(labels.size());
    for (int r = 0; r < x.extents->size(); ++r) {
      const int label = labels[static_cast<std::size_t>(r)];
      const index_t extent = n.extents[static_cast<std::size_t>(label)];
      if ((*x.extents)[r] != extent)
        throw shape_error(name + " is " + extents_text(*x.extents) + ", but index " + std::to_string(label) +
                          ", its axis " + std::to_string(r) + ", is " + std::to_string(extent) + " in the network");
      bool is_diagonal = false;
      for (network_axis& axis : all[t])
        if (axis.label == label) axis.stride += (*x.strides)[r], is_diagonal = true;
      if (!is_diagonal) all[t].push_back({label, extent, (*x.strides)[r]});
    }
    if (!x.data && size_of(*x.extents) > 0)
      throw argument_error(name + " has elements, but its data is a null pointer");
  }
  return all;
}

index_t require_contraction_order(const network& n, const contraction_order& order) {
  require_pairs(n.size(), order.pairs);
  double counted = 1;
  index_t slices = 1;
  std::vector<bool> refused(static_cast<std::size_t>(n.indices()), true);
  for (const std::vector<int>& labels : n.tensors)
    for (const int label : labels) refused[static_cast<std::size_t>(label)] = false;
  for (const int label : n.open) refused[static_cast<std::size_t>(label)] = true;
  for (const int label : order.sliced) {
    if (label < 0 || label >= n.indices() || refused[static_cast<std::size_t>(label)])
      throw argument_error("contract: index " + std::to_string(label) +
                           " is sliced, but it is open, or sliced already, or in no tensor");
    refused[static_cast<std::size_t>(label)] = true;
    counted *= static_cast<double>(n.extents[static_cast<std::size_t>(label)]);
    if (counted > most_counted) throw argument_error("contract: there are more slices than can be counted");
    slices *= n.extents[static_cast<std::size_t>(label)];
  }
  return slices;
}

void require_contraction_memory(const context& ctx, double bytes, std::size_t allowed) {
  const std::size_t limit = allowed > 0 ? allowed : ctx.available();
  if (bytes <= static_cast<double>(limit)) return;
  throw error(fault_code::memory, "contract: the order needs " + bytes_text(bytes) + " of workspace, but " +
                                      bytes_text(static_cast<double>(limit)) +
                                      (allowed > 0 ? " are allowed" : " are free"));
}

void refuse_lost_term() { throw error(fault_code::internal, "best_configuration: no term of a pair gives its result"); }

void ask_for_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace kleene::detail
