// Graphs whose edges have no direction: METIS, G-set, .col and .clq, PACE. What is read holds every edge both ways.
#include "kleene/io/undirected.hpp"

#include "fuzz/file.hpp"
#include "fuzz/lists.hpp"
#include "kleene/io/gset.hpp"
#include "kleene/io/metis.hpp"

#include <algorithm>
#include <tuple>

using namespace kleene;
using namespace kleene::fuzz;

namespace {

template <class T>
void check_symmetric(const coo<T>& list) {
  check_entries(list, true);
  std::vector<std::tuple<std::int32_t, std::int32_t, T>> there, back;
  for (index_t e = 0; e < list.entries(); ++e) {
    there.emplace_back(list.row[e], list.col[e], list.value[e]);
    back.emplace_back(list.col[e], list.row[e], list.value[e]);
  }
  std::sort(there.begin(), there.end());
  std::sort(back.begin(), back.end());
  require(there == back, "an edge in one direction alone");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  reads([&] { check_symmetric(io::parse_metis(text, "f").edges); });
  reads([&] { check_symmetric(io::parse_dimacs_edges(text, "f")); });
  reads([&] { check_symmetric(io::parse_pace(text, "f")); });
  const bool wide = reads([&] { std::visit([](const auto& e) { check_symmetric(e); }, io::parse_gset(text, "f")); });
  const bool narrow = reads([&] { (void)io::parse_gset(text, "f", io::real_type::f32); });
  require(wide || !narrow, "f32 reads what f64 refuses");
  return 0;
}
