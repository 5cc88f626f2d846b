// What shortest paths check and say: functions of the library (src/operations/shortest_paths.cpp), compiled once.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kleene::detail {

// Refuses a graph that is no square matrix, or whose vertices are no int32.
void require_square_graph(index_t rows, index_t cols);

// The sources that were asked for, or all n vertices.
std::vector<std::int32_t> checked_sources(std::span<const std::int32_t> asked, index_t n);

// Two vertices as messages have them.
std::string two_vertices(const std::function<std::string(index_t)>& name, index_t i, const char* between, index_t j);

// Why a method was chosen: what it would take on one core, in seconds, and what the other one would.
std::string estimate_words(double chosen, double other, const std::string& other_name);

void explain_paths(const std::string& algebra, const char* type, index_t vertices, index_t arcs, apsp_method method,
                   const std::string& reason, const context& ctx);

}  // namespace kleene::detail
