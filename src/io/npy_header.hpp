// What .npy and .npz files have in common: the header, a Python dictionary of three entries, and raw elements.
#pragma once

#include "kleene/algebra/half.hpp"
#include "kleene/data/view.hpp"
#include "kleene/io/input.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

static_assert(std::endian::native == std::endian::little, "npy files are read and written as they lie in memory");

// A type as the header spells it ("descr"), as Kleene writes it.
// clang-format off
template <class T> inline constexpr std::string_view type_name = "";
template <> inline constexpr std::string_view type_name<float>        = "<f4";
template <> inline constexpr std::string_view type_name<double>       = "<f8";
template <> inline constexpr std::string_view type_name<std::int32_t> = "<i4";
template <> inline constexpr std::string_view type_name<std::int64_t> = "<i8";
template <> inline constexpr std::string_view type_name<bool>         = "|b1";
template <> inline constexpr std::string_view type_name<f16>          = "<f2";
template <> inline constexpr std::string_view type_name<std::int8_t>  = "|i1";
template <> inline constexpr std::string_view type_name<std::uint8_t> = "|u1";
template <> inline constexpr std::string_view type_name<std::int16_t> = "<i2";
template <> inline constexpr std::string_view type_name<std::uint16_t> = "<u2";
template <> inline constexpr std::string_view type_name<std::uint32_t> = "<u4";
// clang-format on

struct npy_header {
  std::string type;       // as found, for messages
  std::string_view kind;  // the type without its order of bytes: one of `npy_kinds`, or empty
  bool swapped = false;   // the elements are big-endian
  bool fortran_order = false;
  std::vector<index_t> shape;
  std::uint64_t at = 0;  // where the dictionary starts
};

// Kind and bytes of the types that are read: the names that Kleene writes, without the order of bytes.
constexpr std::string_view npy_kinds[] = {"f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "b1"};
template <class T>
inline constexpr std::string_view kind_name = type_name<T>.substr(1);

// error(bad_input): "file: at byte N: what".
[[noreturn]] void fail_at(const input& in, std::uint64_t byte, const std::string& what);

inline std::string dimensions_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " dimension" : " dimensions");
}

// Of an array of any number of dimensions.
npy_header read_npy_header(input& in);

// Elements as they follow, in either order of bytes.
template <class T>
void read_elements(input& in, T* to, index_t count, bool swapped) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (in.read(to, bytes) < bytes) fail_at(in, in.offset(), "the file ends within its elements");
  if (!swapped || sizeof(T) == 1) return;
  auto* const first = reinterpret_cast<unsigned char*>(to);
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) std::reverse(first + at, first + at + sizeof(T));
}

// Any other byte in a bool would be undefined behaviour.
template <>
inline void read_elements(input& in, bool* to, index_t count, bool) {
  const std::uint64_t first = in.offset();
  auto* bytes = reinterpret_cast<unsigned char*>(to);
  read_elements(in, bytes, count, false);
  const auto* bad = std::find_if(bytes, bytes + count, [](unsigned char b) { return b > 1; });
  if (bad != bytes + count)
    fail_at(in, first + static_cast<std::uint64_t>(bad - bytes), "a bool of value " + std::to_string(*bad));
}

}  // namespace kleene::io::detail
