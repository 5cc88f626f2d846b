#include "io/other_containers.hpp"

#include "kleene/data/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kleene::io::detail {

namespace {

using namespace std::string_view_literals;

struct container {
  std::size_t at;  // where its sign stands
  std::string_view sign;
  const char *what, *hint;
};

constexpr const char* as_table = "save the graph as an edge list, a line from,to,weight for each arc";
constexpr const char* unpack = "unpack it first";

constexpr std::array<container, 15> containers = {{
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive", unpack},
    {0, "Rar!\x1a\x07"sv, "a RAR archive", unpack},
    {257, "ustar"sv, "a tar archive", unpack},
    {0, "\x04\x22\x4d\x18"sv, "compressed by lz4", "decompress it first"},
    {0, "\x1f\x9d"sv, "compressed by compress (.Z)", "decompress it first"},
    {0, "\x5d\0\0"sv, "compressed by lzma alone", "decompress it first"},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an Excel workbook (.xls), or an older document", "save it as CSV"},
    {0, "\x89HDF\r\n\x1a\n"sv, "HDF5", as_table},
    {0, "MATLAB 5.0 MAT-file"sv, "a MAT-file of MATLAB", "save the matrix as .mtx (mmwrite) or .npz (SciPy)"},
    {0, "SQLite format 3\0"sv, "a database of SQLite", "save the table as CSV"},
    {0, "ARROW1\0\0"sv, "an Arrow or Feather file", "save the table as Parquet or CSV"},
    {0, "\x89PNG\r\n\x1a\n"sv, "a picture (PNG)", as_table},
    {0, "\xff\xd8\xff"sv, "a picture (JPEG)", as_table},
    {0, "%PDF-"sv, "a PDF document", as_table},
    {0, "\x80\x04\x95"sv, "a pickle of Python", as_table},
}};

}  // namespace

void refuse_other_containers(std::string_view content, std::string_view file) {
  constexpr std::size_t looked_at = 1 << 12;
  const std::string_view start = content.substr(0, looked_at);
  for (const auto& [at, sign, what, hint] : containers)
    if (content.size() >= at && content.substr(at).starts_with(sign))
      throw error(fault_code::bad_input,
                  fmt::format("{}: at byte {}: this is {}, which is not read: {}", file, at, what, hint));
  // A control character or two may be a fault in a line, which the reader of lines says.
  const auto controls = std::ranges::count_if(start, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
  if (controls > 2 && 50 * controls > std::ssize(start))
    throw error(fault_code::bad_input,
                fmt::format("{}: {} of its first {} bytes are control characters: the file is binary, of no format "
                            "that is known, and no text",
                            file, controls, start.size()));
}

}  // namespace kleene::io::detail
