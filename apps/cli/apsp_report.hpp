// What kleene apsp says of a graph: its answer without the element type, as text and as JSON.
#pragma once

#include "commands.hpp"
#include "extremes.hpp"
#include "graph_facts.hpp"
#include "graph_input.hpp"
#include "kleene/data/context.hpp"
#include "plan.hpp"
#include "worker_times.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kleene::cli {

struct apsp_report {
  std::string method, reason;
  double seconds = 0, operations = 0;
  index_t arcs = 0, reachable = 0, unreachable = 0;
  std::string sum{}, mean{}, diameter{};  // as JSON; null: beyond the range of f64
  std::string diameter_shown{}, mean_shown{};
  std::int32_t from = -1, to = -1;  // of the diameter
  std::vector<std::int32_t> negative_cycle{}, route{};
  std::string route_length{}, route_cost{};
  bool is_asked = false;  // for the route, by --from and --to
  std::int32_t asked_from = -1, asked_to = -1;
  std::vector<std::string> route_weights{};  // as JSON
  extreme_pairs extremes{};
  std::optional<index_t> asked_pairs{};         // how many --targets and --within have left
  std::string absent{};                         // what stands for no path in the file of --out
  std::optional<plan> longest{};                // over max_plus
  std::vector<worker_row> workers{};            // of a grid
  bool of_processes = false;                    // it is one of several processes
  std::optional<component_sizes> components{};  // over or_and: of vertices that reach each other
};

void print_json(const shared_flags& shared, const graph_input& input, const context& ctx, const apsp_report& r);
void print_text(const shared_flags& shared, const graph_input& input, const context& ctx, const picture_flags& picture,
                const apsp_report& r);

}  // namespace kleene::cli
