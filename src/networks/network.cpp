// What is wrong with a network, with its numbers.
#include "kleene/networks/network.hpp"

#include "kleene/data/detail/axis_values.hpp"

namespace kleene {

namespace {

constexpr std::size_t most_tensors = std::size_t{1} << 30;  // an order numbers twice as many

void require_indices(const network& n, const std::vector<int>& axes, const std::string& whose) {
  if (axes.size() > most_axes)
    throw argument_error("network: " + whose + " has " + std::to_string(axes.size()) + " axes; at most " +
                         std::to_string(most_axes) + " can be");
  for (const int index : axes)
    if (index < 0 || index >= n.indices())
      throw argument_error("network: " + whose + " has index " + std::to_string(index) +
                           ", which there is not; there are " + std::to_string(n.indices()));
}

}  // namespace

void require_network(const network& n) {
  if (n.tensors.size() > most_tensors)
    throw argument_error("network: " + std::to_string(n.tensors.size()) + " tensors; at most 2^30 can be");
  for (std::size_t i = 0; i < n.extents.size(); ++i)
    if (n.extents[i] < 0)
      throw argument_error("network: index " + std::to_string(i) + " has the extent " + std::to_string(n.extents[i]));
  for (std::size_t t = 0; t < n.tensors.size(); ++t) require_indices(n, n.tensors[t], "tensor " + std::to_string(t));
  require_indices(n, n.open, "the result");
  std::vector<char> is_open(n.extents.size(), 0), is_held(n.extents.size(), 0);
  for (const auto& axes : n.tensors)
    for (const int index : axes) is_held[static_cast<std::size_t>(index)] = 1;
  for (const int index : n.open) {
    const auto i = static_cast<std::size_t>(index);
    if (is_open[i] != 0) throw argument_error("network: index " + std::to_string(index) + " is in the result twice");
    if (is_held[i] == 0)
      throw argument_error("network: index " + std::to_string(index) + " of the result is in no tensor");
    is_open[i] = 1;
  }
}

}  // namespace kleene
