// DIMACS graphs and coordinates.
#include "kleene/io/dimacs.hpp"

#include "fuzz/file.hpp"
#include "fuzz/lists.hpp"

using namespace kleene;
using namespace kleene::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const auto check = [](const auto& values) { check_entries(values, true); };
  const bool wide = reads([&] { std::visit(check, io::parse_dimacs_graph(text, "f")); });
  const bool narrow = reads([&] { std::visit(check, io::parse_dimacs_graph(text, "f", io::real_type::f32)); });
  require(wide || !narrow, "f32 reads what f64 refuses");
  reads([&] { check(io::parse_dimacs_coordinates(text, "f")); });
  return 0;
}
