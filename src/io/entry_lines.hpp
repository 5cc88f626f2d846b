// Files whose head promises a number of lines, each an entry: their blocks are parsed by several threads at once, and
// brought together in the order of the file.
#pragma once

#include "io/line_blocks.hpp"
#include "io/memory.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/data/sparse.hpp"

#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

namespace kleene::io::detail {

// What the head promises, and what it and its entries are called.
struct entry_promise {
  index_t entries;
  const char *one, *many, *where;  // "an arc", "arcs", "the p line"
};

// The lines of the entries of a block: where an entry is not in the line after the one before, (entry, line).
class entry_places {
 public:
  void add(index_t line) {
    if (count_ == 0 || line != last_ + 1) gaps_.push_back({count_, line});
    ++count_;
    last_ = line;
  }
  index_t count() const { return count_; }
  index_t line_of(index_t entry) const {
    const auto behind = std::ranges::upper_bound(gaps_, entry, {}, &std::pair<index_t, index_t>::first);
    return behind[-1].second + entry - behind[-1].first;
  }

 private:
  std::vector<std::pair<index_t, index_t>> gaps_;
  index_t count_ = 0, last_ = 0;
};

template <class List>
struct entry_block {
  index_t sequence = 0;
  entry_places places{};  // of the entries that were begun
  List list{};
};

template <class T>
void reserve(std::vector<T>& list, std::size_t entries) {
  list.reserve(entries);
}
template <class T>
void reserve(coo<T>& list, std::size_t entries) {
  list.row.reserve(entries);
  list.col.reserve(entries);
  list.value.reserve(entries);
}

template <class T>
std::size_t size_of(const std::vector<T>& list) {
  return list.size();
}
template <class T>
std::size_t size_of(const coo<T>& list) {
  return list.value.size();
}

// What parse(text, block) makes of the blocks of a source, in the order of the file, up to the first refusal and
// perhaps some behind it; the block that is refused holds what came before.
template <class List, class Parse>
std::vector<entry_block<List>> collect_blocks(line_blocks& source, int threads, first_refusal& refusal,
                                              const Parse& parse) {
  line_blocks::block head;
  source.next(head);
  std::vector<std::vector<entry_block<List>>> of_threads(static_cast<std::size_t>(threads));
  parse_blocks(source, std::move(head), threads, refusal, [&](const team_member& member) {
    // expected: elements of a block, as many as of the one before, and some.
    return [&, &own = of_threads[static_cast<std::size_t>(member.thread)],
            expected = std::size_t{0}](const line_blocks::block& text) mutable {
      entry_block<List>& block = own.emplace_back();
      block.sequence = text.sequence;
      reserve(block.list, expected);
      parse(text, block);
      expected = size_of(block.list) + size_of(block.list) / 16;
    };
  });
  std::vector<entry_block<List>> blocks;
  for (auto& some : of_threads) std::ranges::move(some, std::back_inserter(blocks));
  std::ranges::sort(blocks, {}, &entry_block<List>::sequence);
  return blocks;
}

// The blocks behind the head, in the order of the file. parse(scanner, block) parses a line that has fields: of an
// entry it adds the place first, then what is in it. threads: 0: default_threads().
template <class List, class Parse>
std::vector<entry_block<List>> read_entries(scanner& in, const entry_promise& promise, int threads,
                                            const Parse& parse) {
  line_blocks source(in);
  std::atomic<index_t> begun = 0;
  first_refusal refusal;
  auto blocks = collect_blocks<List>(source, threads > 0 ? threads : default_threads(), refusal,
                                     [&](const line_blocks::block& text, entry_block<List>& block) {
                                       scanner lines(text.text, in.file(), in.reals(), text.lines_before);
                                       while (lines.next_filled_line()) parse(lines, block);
                                       // More than promised is refused below: no memory is taken for what follows.
                                       if (begun += block.places.count(); begun > promise.entries) source.stop();
                                     });
  index_t have = 0;
  for (const entry_block<List>& block : blocks) {
    if (block.sequence > refusal.sequence) break;
    if (block.places.count() > promise.entries - have)
      source.fail_at(block.places.line_of(promise.entries - have),
                     fmt::format("{} beyond the {} that {} promises", promise.one, promise.entries, promise.where));
    have += block.places.count();
  }
  if (refusal.what) std::rethrow_exception(refusal.what);
  if (have != promise.entries)
    source.fail_at(source.lines(), fmt::format("the file ends after {} of {} {}", have, promise.entries, promise.many));
  return blocks;
}

// Lists one after another, each emptied once it is there.
template <class T>
coo<T> join(const std::vector<coo<T>*>& lists, index_t rows, index_t cols, int threads) {
  coo<T> all;
  if (lists.size() == 1) all = std::move(*lists[0]);
  all.rows = rows;
  all.cols = cols;
  if (lists.size() <= 1) return all;
  if (threads <= 0) threads = default_threads();
  std::vector<index_t> start(lists.size() + 1, 0);
  for (std::size_t k = 0; k < lists.size(); ++k) start[k + 1] = start[k] + lists[k]->entries();
  resize_list(all, static_cast<std::size_t>(start.back()), threads);
  task_queue parts;
  run_tasks(threads, [&](const team_member&) {
    for (std::int64_t k; (k = parts.next()) < static_cast<std::int64_t>(lists.size());) {
      coo<T>& list = *lists[static_cast<std::size_t>(k)];
      const index_t at = start[static_cast<std::size_t>(k)];
      std::ranges::copy(list.row, all.row.begin() + at);
      std::ranges::copy(list.col, all.col.begin() + at);
      std::ranges::copy(list.value, all.value.begin() + at);
      list = {};
    }
  });
  return all;
}

}  // namespace kleene::io::detail
