// ZIP archives (APPNOTE 6.3) as NumPy writes them: members stored or deflated, ZIP64 where it forces it. The central
// directory is what counts; what stands before each member must say the same.
#pragma once

#include "io/decoder.hpp"
#include "kleene/io/input.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

struct zip_member {
  std::string name;
  std::string_view bytes;  // as they lie in the archive
  std::uint64_t size = 0;  // of the content
  std::uint32_t crc = 0;   // of the content
  bool deflated = false;
};

inline constexpr std::string_view zip_magic{"PK\3\4", 4};

// What an archive in memory holds, which must outlive them; `file` names it in messages. error(bad_input), "file: at
// byte N: what", where the archive is cut or contradicts itself, a name occurs twice, a member says that it is larger
// than its bytes can become, is encrypted or compressed in another way, or there is a comment.
std::vector<zip_member> zip_members(std::string_view archive, const std::string& file);

// A member's content, read through `file` (member); its size and CRC are checked where it ends.
std::unique_ptr<input> open_member(const zip_member& member, const std::string& file);

}  // namespace kleene::io::detail
