// A text in blocks of whole lines, for threads that take turns in reading (or inflating) a block and parse their blocks
// at the same time; and the refusal that counts where several threads meet one.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace kleene::io::detail {

// How many bytes of a text is(at) says yes of, by lanes of a byte: std::count adds in 64 bits, and takes a tenth of a
// reader's time.
template <class Is>
index_t count_bytes(const char* at, const char* end, const Is& is) {
  constexpr std::size_t lanes = 32, rounds = 255;
  index_t count = 0;
  while (static_cast<std::size_t>(end - at) >= lanes) {
    std::uint8_t counts[lanes] = {};
    const std::size_t steps = std::min(rounds, static_cast<std::size_t>(end - at) / lanes);
    for (std::size_t step = 0; step < steps; ++step, at += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) counts[lane] += is(at + lane);
    for (const std::uint8_t some : counts) count += some;
  }
  for (; at != end; ++at) count += is(at);
  return count;
}
// The ends of lines in a text, and the lines that start with a mark.
inline index_t count_lines(std::string_view text) {
  return count_bytes(text.data(), text.data() + text.size(), [](const char* at) { return *at == '\n'; });
}
inline index_t count_lines(std::string_view text, char mark) {
  if (text.empty()) return 0;
  return (text.front() == mark) + count_bytes(text.data(), text.data() + text.size() - 1, [mark](const char* at) {
           return static_cast<bool>((at[0] == '\n') & (at[1] == mark));
         });
}

class line_blocks {
 public:
  static constexpr std::size_t size = scanner::longest_line;

  struct block {
    std::unique_ptr<char[]> memory{};
    std::size_t room = 0;  // `size`, or more where a line took more
    std::string_view text{};
    index_t sequence = 0, lines_before = 0, comments_before = 0;
  };

  // What follows the line that the scanner is at, which must outlive this. Lines that start with `comment` are counted
  // for comments_before; 0: none are. A block is longer than `size` only where its one line is, up to about `longest`.
  explicit line_blocks(scanner& in, char comment = '\0', std::size_t longest = size)
      : in_(in), comment_(comment), longest_(longest), lines_(in.line_number()) {}
  // The line that the scanner is at, and what follows.
  enum from_line { from_this_line };
  line_blocks(scanner& in, from_line)
      : in_(in), comment_('\0'), longest_(size), rest_(in.line()), lines_(in.line_number() - 1) {
    if (rest_.size() >= size) fail_at(in.line_number(), fmt::format("a line of more than {} bytes", size - 1));
    rest_ += '\n';
  }

  // The next block; false behind the last one, and after stop().
  bool next(block& to) {
    make_room(to, size, 0);
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    ended_ = true;  // also where reading fails
    to.sequence = blocks_++;
    to.lines_before = lines_;
    to.comments_before = comments_;
    const std::size_t whole = fill(to);
    rest_.assign(to.text.substr(whole));
    to.text = to.text.substr(0, whole);
    lines_ += count_lines(to.text) + (!to.text.empty() && to.text.back() != '\n');
    if (comment_ != '\0') comments_ += count_lines(to.text, comment_);
    return true;
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }

  // Of the file, in the blocks that there have been.
  index_t lines() const { return lines_; }
  [[noreturn]] void fail_at(index_t line, const std::string& what) const {
    scanner({}, in_.file(), real_type::f64, line).fail(what);
  }

 private:
  // Puts what was left and what follows, as much as ends a line, and returns how much of it is whole lines.
  std::size_t fill(block& to) {
    std::size_t have = rest_.size(), searched = 0;
    std::memcpy(to.memory.get(), rest_.data(), have);
    for (std::size_t room = size;; room += size) {
      make_room(to, room, have);
      have += in_.take(to.memory.get() + have, room - have);
      to.text = {to.memory.get(), have};
      ended_ = have < room;
      if (ended_) return have;
      const std::size_t end = to.text.substr(searched).rfind('\n');
      if (end != to.text.npos) return searched + end + 1;
      ended_ = true;  // should the line be refused, or no memory be there
      if (have >= longest_) fail_at(lines_ + 1, fmt::format("a line of more than {} bytes", have - 1));
      searched = have;
    }
  }
  // Room for so many bytes, of which the first `have` are there. No more is taken than twice what was read.
  void make_room(block& to, std::size_t bytes, std::size_t have) const {
    if (bytes <= to.room) return;
    const std::size_t room = std::max(bytes, 2 * to.room);
    if (room > size) require_memory(std::string(in_.file()), static_cast<double>(room));
    auto memory = std::make_unique_for_overwrite<char[]>(room);
    if (have > 0) std::memcpy(memory.get(), to.memory.get(), have);
    to.memory = std::move(memory);
    to.room = room;
  }

  std::mutex mutex_;
  scanner& in_;
  const char comment_;
  const std::size_t longest_;
  std::string rest_;  // of the last block, behind its last line
  index_t blocks_ = 0, lines_, comments_ = 0;
  bool ended_ = false;
};

// The first refusal of a file, whoever meets it.
struct first_refusal {
  std::mutex mutex{};
  index_t sequence = std::numeric_limits<index_t>::max();
  std::exception_ptr what{};

  void note(index_t at) {
    const std::lock_guard lock(mutex);
    if (at < sequence) sequence = at, what = std::current_exception();
  }
};

// Parses the blocks of a source, of which `head` is the first, on up to `threads` threads: parser_of(member) makes what
// a thread parses all its blocks with, parse(block). A text that one block holds a little of is parsed by one thread.
template <class ParserOf>
void parse_blocks(line_blocks& source, line_blocks::block&& head, int threads, first_refusal& refusal,
                  const ParserOf& parser_of) {
  run_team(head.text.size() < line_blocks::size / 16 ? 1 : threads, [&](const team_member& member) {
    auto parse = parser_of(member);
    line_blocks::block own, &mine = member.thread == 0 ? head : own;
    try {
      for (bool more = member.thread == 0 || source.next(mine); more; more = source.next(mine)) parse(mine);
    } catch (...) {
      refusal.note(mine.sequence);
      source.stop();
    }
  });
}

}  // namespace kleene::io::detail
