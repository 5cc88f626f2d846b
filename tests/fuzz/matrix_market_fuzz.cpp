// Matrix Market files: what is read is a matrix, and comes back the same when it is written and read again.
#include "kleene/io/matrix_market.hpp"

#include "fuzz/file.hpp"
#include "fuzz/lists.hpp"

using namespace kleene;
using namespace kleene::fuzz;

namespace {

template <class V>
void write_and_read(const V& values, const std::string& path) {
  io::write_matrix_market(path, values);
  const io::matrix_market_file again = io::read_matrix_market(path);
  require(std::holds_alternative<V>(again.values) && same_entries(std::get<V>(again.values), values),
          "another matrix comes back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const memory_file folder;
  reads([&] {
    const io::matrix_market_file file = io::parse_matrix_market(text_of(data, size), "f");
    const auto check = [&](const auto& values) {
      check_entries(values, false);
      write_and_read(values, folder.beside("f.mtx"));
    };
    std::visit(check, file.values);
  });
  reads([&] { (void)io::parse_matrix_market(text_of(data, size), "f", io::real_type::f32); });
  return 0;
}
