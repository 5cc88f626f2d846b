// What a checkpoint says of itself: a small text file beside the matrices that it names. It is whole or not there
// (written aside, synced, renamed), as they are, and it is written after them; a byte that changed shows.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/data/view.hpp"
#include "kleene/grid/grid.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace kleene::detail {

struct checkpoint_record {
  std::string algebra, type;
  index_t n = 0, block = 0;
  bool with_predecessors = false;
  std::uint64_t input = 0;   // the hash of the matrix that is being closed
  index_t done = 0;          // blocks that have been eliminated
  std::string values, from;  // files in the folder of the record; `from` without predecessors is empty
  std::uint64_t values_hash = 0, from_hash = 0;
};

// error(bad_input) with the path, here and below.
// Makes the folder where it is missing, and refuses one that cannot be written in.
void prepare_checkpoint_folder(const std::string& path);

// Whether files of checkpoints are called so: what has such a name in their folder is written over, and removed.
bool is_checkpoint_name(std::string_view name);
// Refuses a folder without a record where files are called as its matrices: they are somebody else's.
void refuse_matrices_of_others(const std::string& folder);

// While it is there, a folder of checkpoints is of one run: one that was killed may live on for a moment in some of its
// processes, and another may have been started beside it. The system lets go of it with the process. Where the file
// system has no such locks (some network ones, for folders) there is none.
class folder_lock {
 public:
  // Refused where another run does not let go of it within some seconds.
  explicit folder_lock(const std::string& folder, double seconds = 5);
  ~folder_lock();
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;

 private:
  int folder_;
};

// With the folder locked: what a run that was killed left in it goes, but for what its record names.
void remove_left_over(const std::string& folder);

void write_record(const std::string& path, const checkpoint_record& record);
// The same in two steps: until the second the old record holds.
void write_record_aside(const std::string& path, const checkpoint_record& record);
void keep_record(const std::string& path);
// Nothing where there is no such file. What is no record, or not whole, is refused.
std::optional<checkpoint_record> read_record(const std::string& path);
// Collective. With the caller.
int workers_on_this_machine(const worker& w);
// Refuses a checkpoint of another problem, with what differs.
void require_same_problem(const std::string& path, const checkpoint_record& found, const checkpoint_record& wanted);
// A hash of a text, as text.
std::string text_hash(std::string_view text);
// Of a matrix that a checkpoint names.
[[noreturn]] void refuse_changed(const std::string& path);

// A number of an element and its place: their sum, in any order, is that of a matrix.
template <class T>
KLEENE_FUNCTION std::uint64_t hash_of(index_t i, index_t j, const T& value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  const auto place = static_cast<std::uint64_t>(i) * 0xd1342543de82ef95u + static_cast<std::uint64_t>(j);
  return splitmix64_output(bits ^ splitmix64_output(place + splitmix64_step));
}

}  // namespace kleene::detail
