// NumPy files: as found, as a type that is asked for, as a dense matrix; and what is read comes back the same when
// written.
#include "kleene/io/npy.hpp"

#include "kleene/io/graph.hpp"

#include "fuzz/file.hpp"

#include <algorithm>
#include <cstring>

using namespace kleene;
using namespace kleene::fuzz;

namespace {

template <class T>
bool same_bytes(const matrix<T>& a, const matrix<T>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static memory_file file;
  file.hold(text_of(data, size));
  const std::string path = file.path("f.npy");
  const bool any = reads([&] {
    const io::npy_matrix values = io::read_npy_any(path);
    std::visit(
        [&]<class T>(const matrix<T>& m) {
          if constexpr (std::is_same_v<T, bool>)
            require(std::all_of(reinterpret_cast<const unsigned char*>(m.data()),
                                reinterpret_cast<const unsigned char*>(m.data()) + m.size(),
                                [](unsigned char b) { return b < 2; }),
                    "a bool that is neither");
          io::write_npy(file.beside("g.npy"), m);
          require(same_bytes(io::read_npy<T>(file.beside("g.npy")), m), "another matrix comes back");
        },
        values);
  });
  const bool real = reads([&] { (void)io::read_npy<double>(path); });
  const bool truth = reads([&] { (void)io::read_npy<bool>(path); });
  const bool dense = reads([&] { (void)io::read_dense(path); });
  require(any || !(real || truth), "one type is read where none is found");
  require(!any || dense, "read_dense refuses what read_npy_any reads");
  return 0;
}
