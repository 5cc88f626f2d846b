// An order of contraction of a network, for orders.py, which puts it beside cotengra's:
//
//   g++ -std=c++20 -O2 -Iinclude bench/peers/orders.cpp build/release/libkleene.a -lfmt -lz -llzma -lzstd -lbz2 \
//       -lexpat -fopenmp -o orders
//   ./orders SECONDS LOG2_ELEMENTS THREADS < network > order.json
//
// The network: how many indices there are, all of extent 2, and then a line of labels for each tensor; nothing is open.
#include "kleene/networks/order.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>

int main(int count, char** arguments) {
  if (count != 4) return std::fputs("orders SECONDS LOG2_ELEMENTS THREADS < network\n", stderr), 64;
  try {
    kleene::network n;
    std::string line;
    std::getline(std::cin, line);
    n.extents.assign(std::stoul(line), 2);
    while (std::getline(std::cin, line)) {
      std::istringstream labels(line);
      n.tensors.emplace_back();
      for (int label; labels >> label;) n.tensors.back().push_back(label);
    }
    kleene::order_options options;
    options.seconds = std::atof(arguments[1]);
    options.most_elements = kleene::index_t{1} << std::atoi(arguments[2]);
    options.threads = std::atoi(arguments[3]);
    options.traffic_weight = 0;  // operations alone, as the peer is asked
    const kleene::contraction_order found = kleene::find_order(n, options);
    std::string pairs, sliced;
    for (const auto& [a, b] : found.pairs) pairs += fmt::format("{}[{}, {}]", pairs.empty() ? "" : ", ", a, b);
    for (const int index : found.sliced) sliced += fmt::format("{}{}", sliced.empty() ? "" : ", ", index);
    fmt::print("{{\"method\": \"{}\", \"pairs\": [{}], \"sliced\": [{}]}}\n", found.method, pairs, sliced);
  } catch (const std::exception& wrong) {
    return std::fprintf(stderr, "%s\n", wrong.what()), 1;
  }
}
