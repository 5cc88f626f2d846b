#include "io/zip.hpp"

#include "io/inflate.hpp"
#include "kleene/data/error.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <optional>
#include <unordered_set>

namespace kleene::io::detail {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view entry_magic = "PK\1\2"sv, end_magic = "PK\5\6"sv;
constexpr std::string_view end64_magic = "PK\6\6"sv, locator64_magic = "PK\6\7"sv;
constexpr std::uint64_t local_bytes = 30, entry_bytes = 46, end_bytes = 22, end64_bytes = 56, locator64_bytes = 20;
constexpr std::uint64_t all_ones = 0xffffffff;  // the number stands in the ZIP64 field
constexpr std::uint64_t most_ratio = 1032;      // of deflate: two bits are a match of 258 bytes

// What is being read of an archive: numbers that lie anywhere, little-endian, and refusals with their place.
class archive_reader {
 public:
  archive_reader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  std::vector<zip_member> members() {
    const directory d = find_directory();
    std::vector<zip_member> all;
    std::unordered_set<std::string_view> names;
    std::uint64_t at = d.at;
    for (std::uint64_t m = 0; m < d.members; ++m) {
      const std::uint64_t entry = at;
      all.push_back(member(at, d));
      if (!names.insert(bytes_.substr(entry + entry_bytes, all.back().name.size())).second)
        fail(entry, fmt::format("a second member {}", shown(all.back().name)));
    }
    if (at != d.at + d.bytes) fail(at, "the directory has other members than its end says");
    return all;
  }

 private:
  struct directory {
    std::uint64_t at = 0, bytes = 0, members = 0;
  };

  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const {
    throw error(fault_code::bad_input, fmt::format("{}: at byte {}: {}", file_, at, what));
  }
  bool holds(std::uint64_t at, std::uint64_t count) const { return at <= bytes_.size() && count <= bytes_.size() - at; }
  // The caller knows that it lies inside.
  std::uint64_t number(std::uint64_t at, int count) const {
    std::uint64_t value = 0;
    for (int b = count; b-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes_[at + b]);
    return value;
  }
  void require(std::uint64_t at, std::uint64_t count, std::string_view magic, const char* what) const {
    if (!holds(at, count)) fail(bytes_.size(), fmt::format("the archive ends within {}", what));
    if (!bytes_.substr(at).starts_with(magic)) fail(at, fmt::format("here should be {}", what));
  }

  // The end of the directory is the end of the file: it has no comment.
  directory find_directory() const {
    if (!bytes_.starts_with(zip_magic) && !bytes_.starts_with(end_magic)) fail(0, "this is no ZIP archive");
    const std::uint64_t end = bytes_.size() < end_bytes ? 0 : bytes_.size() - end_bytes;
    if (bytes_.size() < end_bytes || !bytes_.substr(end).starts_with(end_magic) || number(end + 20, 2) != 0)
      fail(bytes_.size(), "a truncated ZIP archive, or one with a comment: it does not end with its directory");
    directory d{number(end + 16, 4), number(end + 12, 4), number(end + 10, 2)};
    if (number(end + 4, 4) != 0 || number(end + 8, 2) != d.members) fail(end, "an archive of several files");
    std::uint64_t behind = end;
    if (end >= locator64_bytes + end64_bytes && bytes_.substr(end - locator64_bytes).starts_with(locator64_magic)) {
      behind = number(end - locator64_bytes + 8, 8);
      require(behind, end64_bytes, end64_magic, "the ZIP64 end of the directory");
      if (behind != end - locator64_bytes - end64_bytes) fail(behind, "the ZIP64 end of the directory lies elsewhere");
      d = {number(behind + 48, 8), number(behind + 40, 8), number(behind + 32, 8)};
    }
    if (!holds(d.at, d.bytes) || d.at + d.bytes != behind) fail(end, "the directory does not lie before its end");
    if (d.members > d.bytes / entry_bytes)
      fail(end, fmt::format("{} members do not fit into the directory", d.members));
    return d;
  }

  // The numbers of a ZIP64 field in their order, taken where the 32 bits before are all ones.
  class wide_numbers {
   public:
    wide_numbers(const archive_reader& in, std::uint64_t at, std::uint64_t end) : in_(in) {
      while (end - at >= 4) {
        const std::uint64_t kind = in.number(at, 2), bytes = in.number(at + 2, 2);
        if (end - at - 4 < bytes) in.fail(at, "an extra field is longer than its place");
        if (kind == 1) at_ = at + 4, end_ = at_ + bytes;
        at += 4 + bytes;
      }
    }
    std::uint64_t widened(std::uint64_t narrow) {
      if (narrow != all_ones || at_ == 0) return narrow;
      if (end_ - at_ < 8) in_.fail(at_, "the ZIP64 field lacks a number");
      at_ += 8;
      return in_.number(at_ - 8, 8);
    }

   private:
    const archive_reader& in_;
    std::uint64_t at_ = 0, end_ = 0;
  };

  // The entry of the directory at `at`, which moves behind it.
  zip_member member(std::uint64_t& at, const directory& d) const {
    const std::uint64_t entry = at, end = d.at + d.bytes;
    require(entry, entry_bytes, entry_magic, "an entry of the directory");
    const std::uint64_t name_bytes = number(entry + 28, 2), extra_bytes = number(entry + 30, 2);
    at += entry_bytes + name_bytes + extra_bytes + number(entry + 32, 2);
    if (at > end) fail(entry, "an entry of the directory is longer than the directory");
    zip_member m;
    m.name = bytes_.substr(entry + entry_bytes, name_bytes);
    const std::uint64_t flags = number(entry + 8, 2), method = number(entry + 10, 2);
    if (flags & 1) fail(entry, fmt::format("{} is encrypted", shown(m.name)));
    if (method != 0 && method != 8)
      fail(entry, fmt::format("{} is compressed by method {}; those read are 0 (stored) and 8 (deflated)",
                              shown(m.name), method));
    m.deflated = method == 8;
    m.crc = static_cast<std::uint32_t>(number(entry + 16, 4));
    const std::uint64_t extra = entry + entry_bytes + name_bytes;
    wide_numbers wide(*this, extra, extra + extra_bytes);
    m.size = wide.widened(number(entry + 24, 4));
    const std::uint64_t packed = wide.widened(number(entry + 20, 4));
    const std::uint64_t local = wide.widened(number(entry + 42, 4));
    m.bytes = packed_bytes(m, local, packed, flags, d);
    const bool too_large = m.deflated ? m.size / most_ratio > packed : m.size != packed;
    if (too_large) fail(entry, fmt::format("{} is said to hold {} bytes, in {}", shown(m.name), m.size, packed));
    return m;
  }

  // What lies behind a local header, which must agree with the directory. The sizes and the CRC may follow the member
  // instead (flag 8), as they do where NumPy writes into a pipe.
  std::string_view packed_bytes(const zip_member& m, std::uint64_t local, std::uint64_t packed, std::uint64_t flags,
                                const directory& d) const {
    require(local, local_bytes, zip_magic, "a member");
    const std::uint64_t name_bytes = number(local + 26, 2), extra_bytes = number(local + 28, 2);
    const std::uint64_t extra = local + local_bytes + name_bytes, first = extra + extra_bytes;
    if (first > d.at || packed > d.at - first)
      fail(local, fmt::format("{} does not end before the directory", shown(m.name)));
    const bool same_name = bytes_.substr(local + local_bytes, name_bytes) == m.name;
    if (!same_name || number(local + 8, 2) != (m.deflated ? 8u : 0u) || number(local + 6, 2) != flags)
      fail(local, fmt::format("the directory says otherwise of {}", shown(m.name)));
    wide_numbers wide(*this, extra, first);
    const std::uint64_t size = wide.widened(number(local + 22, 4)), bytes = wide.widened(number(local + 18, 4));
    if (!(flags & 8) && (size != m.size || bytes != packed || number(local + 14, 4) != m.crc))
      fail(local, fmt::format("the directory says otherwise of {}", shown(m.name)));
    return bytes_.substr(first, packed);
  }

  std::string_view bytes_;
  const std::string& file_;
};

// Members one way or the other: they become what the directory says, or are corrupt.
class member_decoder final : public decoder {
 public:
  explicit member_decoder(const zip_member& m) : left_(m.size), crc_(m.crc), deflated_(m.deflated) {
    if (deflated_ && inflateInit2(&stream_, -15) != Z_OK) throw std::bad_alloc();  // below 0: no wrapper
  }
  ~member_decoder() override {
    if (deflated_) inflateEnd(&stream_);
  }
  member_decoder(const member_decoder&) = delete;
  member_decoder& operator=(const member_decoder&) = delete;

  void step(buffers& b) override {
    const unsigned char* const to = b.to;
    if (!ended_ && deflated_) ended_ = inflate_step(stream_, b);
    else if (!ended_) copy(b);
    const auto made = static_cast<std::uint64_t>(b.to - to);
    if (made > left_) throw corrupt_data{"there is more than the directory says"};
    left_ -= made;
    seen_ = static_cast<std::uint32_t>(crc32_z(seen_, to, made));
    if (!deflated_) ended_ = left_ == 0;
    if (!ended_) return;
    if (b.left > 0) throw corrupt_data{"there is more behind its end"};
    if (left_ > 0) throw corrupt_data{"there is less than the directory says"};
    if (seen_ != crc_) throw corrupt_data{"its CRC is wrong"};
  }
  bool complete() const override { return ended_; }

 private:
  static void copy(buffers& b) {
    const std::size_t count = std::min(b.left, b.room);
    std::copy_n(b.next, count, b.to);
    b.next += count;
    b.left -= count;
    b.to += count;
    b.room -= count;
  }

  z_stream stream_{};
  std::uint64_t left_;
  std::uint32_t crc_, seen_ = 0;
  bool deflated_, ended_ = false;
};

}  // namespace

std::vector<zip_member> zip_members(std::string_view archive, const std::string& file) {
  return archive_reader(archive, file).members();
}

std::unique_ptr<input> open_member(const zip_member& member, const std::string& file) {
  return std::make_unique<input>(fmt::format("{} ({})", file, member.name), member.bytes,
                                 std::make_unique<member_decoder>(member), member.size);
}

}  // namespace kleene::io::detail
