#include "kleene/grid/npy.hpp"

#include "kleene/grid/detail/npy_file.hpp"
#include "kleene/grid/detail/shared_file.hpp"

#include <algorithm>

namespace kleene {

namespace {

using detail::shared_file;

// visit(place in the file, local elements, bytes) for each run of elements that lie together in both, of rows of a
// worker's share from its row `first` on.
template <class Element, class Visit>
void for_each_run(const worker& w, const distribution& d, index_t first, const matrix_view<Element>& share,
                  std::uint64_t start, const Visit& visit) {
  const cyclic_axis rows{d.m, d.mb, d.rsrc, w.rows()}, cols{d.n, d.nb, d.csrc, w.cols()};
  for (index_t i = 0; i < share.rows(); ++i)
    cols.for_each_run(w.col(), [&](index_t at, index_t global, index_t count) {
      const auto element = static_cast<std::uint64_t>(rows.indxl2g(first + i, w.row()) * d.n + global);
      visit(start + element * sizeof(Element), &share(i, at), static_cast<std::size_t>(count) * sizeof(Element));
    });
}

}  // namespace

template <io::npy_element T>
distributed_matrix<T> read_npy(worker& w, const std::string& path, distribution d) {
  w.together([&] {
    const detail::npy_elements found = detail::find_elements<T>(path);
    d.m = found.rows, d.n = found.cols;
  });
  distributed_matrix<T> a(w, d);
  read_npy(path, a);
  return a;
}

template <io::npy_element T>
void read_npy(const std::string& path, distributed_matrix<T>& a) {
  a.at().together([&] {
    const detail::npy_elements found = detail::find_elements<T>(path);
    if (found.rows != a.layout().m || found.cols != a.layout().n)
      throw shape_error(path + " is " + std::to_string(found.rows) + " x " + std::to_string(found.cols) +
                        ", the matrix " + to_string(a.layout()));
    const shared_file file(path, shared_file::mode::read);
    for_each_run(a.at(), a.layout(), 0, a.local(), found.at, [&](std::uint64_t at, T* to, std::size_t bytes) {
      file.read(at, to, bytes);
      if constexpr (std::is_same_v<T, bool>) {  // any other byte in a bool would be undefined behaviour
        const auto* first = reinterpret_cast<const unsigned char*>(to);
        const auto* bad = std::find_if(first, first + bytes, [](unsigned char b) { return b > 1; });
        if (bad != first + bytes)
          throw error(fault_code::bad_input, path + ": at byte " + std::to_string(at + std::uint64_t(bad - first)) +
                                                 ": a bool of value " + std::to_string(*bad));
      }
    });
  });
}

template <class T>
detail::npy_in_writing<T>::npy_in_writing(const std::string& path, worker& w, const distribution& d)
    : worker_(w), layout_(d) {
  const std::string start = npy_start<T>(d.m, d.n);
  start_ = start.size();
  worker_.together([&] {
    path_ = replaced_name(path);
    aside_ = path_ + ".partial";
    if (worker_.rank() != 0) return;
    const shared_file file(aside_, shared_file::mode::create, path_);
    unfinished_.made(aside_);
    file.reserve(start.size() + static_cast<std::uint64_t>(d.m * d.n) * sizeof(T));
    file.write(0, start.data(), start.size());
  });
}

template <class T>
void detail::npy_in_writing<T>::write(index_t first, const matrix_view<const T>& rows) const {
  const shared_file file(aside_, shared_file::mode::write);
  for_each_run(worker_, layout_, first, rows, start_,
               [&](std::uint64_t at, const T* from, std::size_t bytes) { file.write(at, from, bytes); });
  file.sync();
}

template <class T>
void detail::npy_in_writing<T>::finish() {
  worker_.together([&] {
    if (worker_.rank() != 0) return;
    rename_synced(aside_, path_);
    unfinished_.keep();
  });
}

template <io::npy_element T>
void write_npy(const std::string& path, const distributed_matrix<T>& a) {
  detail::npy_in_writing<T> file(path, a.at(), a.layout());
  a.at().together([&] { file.write(0, a.local()); });
  file.finish();
}

#define KLEENE_NPY(T)                                                                    \
  template void read_npy<T>(const std::string&, distributed_matrix<T>&);                 \
  template distributed_matrix<T> read_npy<T>(worker&, const std::string&, distribution); \
  template void write_npy<T>(const std::string&, const distributed_matrix<T>&);          \
  template class detail::npy_in_writing<T>;
KLEENE_NPY(float)
KLEENE_NPY(double)
KLEENE_NPY(std::int32_t)
KLEENE_NPY(std::int64_t)
KLEENE_NPY(bool)
#undef KLEENE_NPY

}  // namespace kleene
