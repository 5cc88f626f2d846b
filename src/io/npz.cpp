#include "kleene/io/npz.hpp"

#include "io/memory.hpp"
#include "io/npy_header.hpp"
#include "io/zip.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

namespace kleene::io {

namespace {

using detail::fail_at;
using detail::kind_name;

[[noreturn]] void refuse_archive(const std::string& path, const std::string& what) {
  throw error(fault_code::bad_input, fmt::format("{}: {}", path, what));
}

// One array of the archive. Its header is read, its elements are taken once.
class array {
 public:
  array(const detail::zip_member& member, const std::string& file, std::size_t dimensions)
      : in_(detail::open_member(member, file)), header_(detail::read_npy_header(*in_)) {
    if (header_.shape.size() != dimensions)
      fail_at(*in_, header_.at,
              fmt::format("an array of {} where {} has {}", detail::dimensions_text(header_.shape.size()), member.name,
                          dimensions));
    first_ = in_->offset();
  }

  index_t count() const { return header_.shape[0]; }
  std::string_view kind() const { return header_.kind; }
  // For its header; for an element, with the place.
  [[noreturn]] void refuse(const std::string& what) const { fail_at(*in_, header_.at, what); }
  // Of its header, as messages have it.
  const std::string& place() const { return in_->path(); }
  [[noreturn]] void refuse_element(index_t at, const std::string& what) const {
    const auto bytes = static_cast<std::uint64_t>(kind().back() - '0');  // "f8", "i4": of one of them
    fail_at(*in_, first_ + static_cast<std::uint64_t>(at) * bytes, fmt::format("element {} {}", at, what));
  }
  [[noreturn]] void refuse_type(const std::string& wanted) const {
    fail_at(*in_, header_.at, fmt::format("elements of type {} where {} is needed", shown(header_.type), wanted));
  }

  // The array may hold as many elements of `bytes` bytes as it says.
  void require_elements(std::size_t bytes) const {
    if (static_cast<std::uint64_t>(count()) > (in_->most_content() - in_->offset()) / bytes)
      fail_at(*in_, header_.at,
              fmt::format("{} elements of {} bytes are promised, which it cannot hold", count(), bytes));
  }

  // Calls use(number, position) for each element, which is a T.
  template <class T, class Use>
  void take(const Use& use) {
    constexpr index_t piece = 1 << 13;
    require_elements(sizeof(T));
    const auto elements = std::make_unique<T[]>(piece);
    for (index_t first = 0; first < count(); first += piece) {
      const index_t some = std::min(piece, count() - first);
      detail::read_elements(*in_, elements.get(), some, header_.swapped);
      for (index_t e = 0; e < some; ++e) use(elements[e], first + e);
    }
    finish();
  }
  // The same of integers that count or number something.
  template <class Use>
  void take_indices(const Use& use) {
    if (kind() == kind_name<std::int32_t>) take<std::int32_t>(use);
    else if (kind() == kind_name<std::int64_t>) take<std::int64_t>(use);
    else refuse_type("i4 or i8");
  }

  // The word that an array without dimensions is, of bytes or of UTF-32.
  std::string take_word() {
    const bool wide = header_.type == "<U3" || header_.type == ">U3";
    if (!wide && header_.type != "|S3") refuse_type("|S3");
    std::string word(wide ? 12 : 3, '\0');
    if (in_->read(word.data(), word.size()) < word.size()) fail_at(*in_, in_->offset(), "the file ends within it");
    finish();
    std::erase(word, '\0');
    return word;
  }

 private:
  void finish() {
    char beyond;
    if (in_->read(&beyond, 1) != 0) fail_at(*in_, in_->offset() - 1, "there is more after the last element");
  }

  std::unique_ptr<input> in_;
  detail::npy_header header_;
  std::uint64_t first_ = 0;  // where the elements start
};

class sparse_reader {
 public:
  sparse_reader(const std::vector<detail::zip_member>& members, const std::string& path, real_type reals)
      : members_(members), path_(path), reals_(reals) {}

  npz_sparse read() {
    const std::string layout = open("format", 0).take_word();
    if (layout == "bsr" || layout == "dia")
      refuse_layout(fmt::format("a sparse matrix in the layout {}: csr, csc and coo are read; save matrix.tocsr()",
                                shown(layout)));
    if (layout != "csr" && layout != "csc" && layout != "coo")
      refuse_layout(fmt::format("no layout of a sparse matrix that is known: {}", shown(layout)));
    require_members(layout);
    read_shape();
    array data = open("data", 1);
    const std::string_view kind = data.kind();
    const bool real = kind.starts_with('f');
    if (kind.empty()) data.refuse_type(fmt::format("one of {}", fmt::join(detail::npy_kinds, ", ")));
    npz_sparse made{{}, layout, place_};
    if (real) made.entries = fill<double>(layout, data);
    else made.entries = fill<std::int64_t>(layout, data);
    return made;
  }

 private:
  [[noreturn]] void refuse_layout(const std::string& what) const {
    refuse_archive(fmt::format("{} (format.npy)", path_), what);
  }
  array open(std::string_view name, std::size_t dimensions) const {
    for (const detail::zip_member& m : members_)
      if (m.name == fmt::format("{}.npy", name)) return array(m, path_, dimensions);
    refuse_archive(path_, fmt::format("a sparse matrix without {}.npy", name));
  }
  void require_members(const std::string& layout) const {
    for (const detail::zip_member& m : members_) {
      const bool ends = layout == "coo" ? m.name == "row.npy" || m.name == "col.npy"
                                        : m.name == "indices.npy" || m.name == "indptr.npy";
      if (!ends && m.name != "format.npy" && m.name != "shape.npy" && m.name != "data.npy" && m.name != "_is_array.npy")
        refuse_archive(path_, fmt::format("a member {}, which no {} matrix has", shown(m.name), layout));
    }
  }
  void read_shape() {
    array shape = open("shape", 1);
    place_ = shape.place();
    if (shape.count() != 2)
      shape.refuse(
          fmt::format("{} {}, and a matrix has two", shape.count(), shape.count() == 1 ? "extent" : "extents"));
    shape.take_indices([&](std::int64_t extent, index_t at) {
      constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
      if (extent < 0 || extent > most)
        shape.refuse_element(at, fmt::format("is {}, and extents are from 0 to {}", extent, most));
      (at == 0 ? rows_ : cols_) = extent;
    });
  }

  // The length that two arrays share.
  index_t common_count(const array& a, const char* name, const array& b, const char* other) const {
    if (a.count() != b.count())
      refuse_archive(path_, fmt::format("{} has {} elements, and {} has {}", name, a.count(), other, b.count()));
    return a.count();
  }

  template <class W>
  coo<W> fill(const std::string& layout, array& data) const {
    coo<W> list;
    list.rows = rows_;
    list.cols = cols_;
    const bool is_list = layout == "coo", by_column = layout == "csc";
    array ends = open(is_list ? "row" : "indptr", 1), indices = open(is_list ? "col" : "indices", 1);
    const index_t entries = common_count(indices, is_list ? "col.npy" : "indices.npy", data, "data.npy");
    if (is_list) common_count(ends, "row.npy", data, "data.npy");
    indices.require_elements(sizeof(std::int32_t));
    data.require_elements(1);
    require_memory(path_, static_cast<double>(entries) * (2 * sizeof(std::int32_t) + sizeof(W)));
    std::vector<std::int32_t>&first = by_column ? list.col : list.row, &second = by_column ? list.row : list.col;
    for (auto* numbers : {&first, &second}) numbers->reserve(static_cast<std::size_t>(entries));
    list.value.reserve(static_cast<std::size_t>(entries));
    if (is_list) take_positions(ends, rows_, first);
    else take_offsets(ends, by_column ? cols_ : rows_, entries, by_column ? "columns" : "rows", first);
    take_positions(indices, by_column ? rows_ : cols_, second);
    take_values(data, list.value);
    return list;
  }

  // Numbers of rows or columns, from 0.
  void take_positions(array& from, index_t extent, std::vector<std::int32_t>& to) const {
    from.take_indices([&](std::int64_t v, index_t at) {
      if (v < 0 || v >= extent) from.refuse_element(at, fmt::format("is {}, in a matrix of {} x {}", v, rows_, cols_));
      to.push_back(static_cast<std::int32_t>(v));
    });
  }
  // Where each of n rows ends, as the number of the row of each entry.
  void take_offsets(array& from, index_t n, index_t entries, const char* rows, std::vector<std::int32_t>& to) const {
    if (from.count() != n + 1) from.refuse(fmt::format("{} elements, and {} {} take {}", from.count(), n, rows, n + 1));
    std::int64_t last = 0;
    from.take_indices([&](std::int64_t offset, index_t at) {
      if (at == 0 ? offset != 0 : offset < last || offset > entries)
        from.refuse_element(at, fmt::format("is {}: they rise from 0 to the number of entries, {}", offset, entries));
      if (at > 0) to.insert(to.end(), static_cast<std::size_t>(offset - last), static_cast<std::int32_t>(at - 1));
      last = offset;
    });
    if (last != entries)
      from.refuse_element(n, fmt::format("is the last, {}, and there are {} entries", last, entries));
  }

  template <class W>
  void take_values(array& from, std::vector<W>& to) const {
    const auto take = [&]<class T>(T) {
      from.take<T>([&](T value, index_t at) {
        const auto wide = static_cast<W>(value);
        if constexpr (std::is_same_v<W, double>) require_weight(from, wide, at);
        to.push_back(wide);
      });
    };
    const std::string_view kind = from.kind();
    if constexpr (std::is_same_v<W, double>) {
      if (kind == kind_name<double>) take(double());
      else if (kind == kind_name<float>) take(float());
      else if (kind == kind_name<f16>) take(f16());
      else from.refuse_type("f2, f4 or f8");
    } else {
      if (kind == kind_name<std::int64_t>) take(std::int64_t());
      else if (kind == kind_name<std::int32_t>) take(std::int32_t());
      else if (kind == kind_name<std::int8_t>) take(std::int8_t());
      else if (kind == kind_name<std::uint8_t>) take(std::uint8_t());
      else if (kind == kind_name<std::int16_t>) take(std::int16_t());
      else if (kind == kind_name<std::uint16_t>) take(std::uint16_t());
      else if (kind == kind_name<std::uint32_t>) take(std::uint32_t());
      else if (kind == kind_name<bool>) take(bool());
      else from.refuse_type("an integer or b1");
    }
  }
  void require_weight(const array& from, double value, index_t at) const {
    if (!std::isfinite(value)) from.refuse_element(at, fmt::format("is {}, which is not finite", value));
    const auto narrow = static_cast<float>(value);
    if (reals_ == real_type::f32 && narrow != value && (narrow == 0 || !std::isfinite(narrow)))
      from.refuse_element(at, fmt::format("is {}, outside the range of f32 (1.4e-45 to 3.4e38, and 0): ask for f64 "
                                          "(--dtype f64)",
                                          value));
  }

  const std::vector<detail::zip_member>& members_;
  const std::string& path_;
  real_type reals_;
  std::string place_;  // of the extents
  index_t rows_ = 0, cols_ = 0;
};

}  // namespace

npz_content read_npz(input& in, real_type reals) {
  dense_facts facts;
  return read_npz(in, reals, facts);
}
npz_content read_npz(input& in, real_type reals, dense_facts& facts) {
  return detail::with_memory_of(in.path(), [&]() -> npz_content {
    const std::string& path = in.path();
    if (!in.compression().empty())
      refuse_archive(path,
                     fmt::format("an .npz that {} has compressed once more: decompress it first", in.compression()));
    const std::string bytes = read_whole(in);
    const std::vector<detail::zip_member> members = detail::zip_members(bytes, path);
    const auto named = [&](const char* name) {
      return std::ranges::count(members, name, &detail::zip_member::name) > 0;
    };
    if (named("format.npy") && members.size() > 1) return sparse_reader(members, path, reals).read();
    if (members.size() == 1 && members.front().name.ends_with(".npy"))
      return read_npy_any(*detail::open_member(members.front(), path), facts);
    if (named("[Content_Types].xml")) refuse_archive(path, "an Excel workbook: save it as CSV");
    if (named("mimetype") && named("content.xml")) refuse_archive(path, "an OpenDocument file: save it as CSV");
    const auto is_array = [](const detail::zip_member& m) { return m.name.ends_with(".npy"); };
    if (!members.empty() && std::ranges::none_of(members, is_array))
      refuse_archive(path, fmt::format("a zip archive of {}{}: unpack it first", shown(members.front().name),
                                       members.size() > 1 ? " and others" : ""));
    std::vector<std::string> names;
    for (const detail::zip_member& m : members) names.push_back(m.name);
    if (names.size() > 8) names.resize(8), names.push_back("...");
    for (std::string& name : names) name = name == "..." ? name : shown(name);
    refuse_archive(
        path, fmt::format("neither a sparse matrix of scipy.sparse.save_npz nor one array of numpy.savez: {}",
                          names.empty() ? "it holds nothing" : fmt::format("it holds {}", fmt::join(names, ", "))));
  });
}
npz_content read_npz(const std::string& path, real_type reals) {
  return detail::with_memory_of(path, [&] {
    input in(path);
    return read_npz(in, reals);
  });
}

}  // namespace kleene::io
