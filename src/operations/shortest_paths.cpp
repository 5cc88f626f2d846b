#include "kleene/operations/shortest_paths.hpp"

namespace kleene {

namespace {
constexpr std::pair<apsp_method, const char*> names[] = {
    {apsp_method::automatic, "auto"},
    {apsp_method::floyd_warshall, "floyd_warshall"},
    {apsp_method::dijkstra, "dijkstra"},
    {apsp_method::hierarchy, "hierarchy"},
};
}  // namespace

const char* to_string(apsp_method method) { return names[static_cast<int>(method)].second; }

apsp_method apsp_method_from(std::string_view name) {
  for (const auto& [method, text] : names)
    if (name == text) return method;
  throw error(fault_code::usage,
              "unknown method '" + std::string(name) + "' (auto, floyd_warshall, dijkstra or hierarchy)");
}

}  // namespace kleene
