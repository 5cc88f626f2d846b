#include "kleene/grid/detail/checkpoint.hpp"

#include "data/counted.hpp"
#include "kleene/data/error.hpp"
#include "kleene/grid/detail/shared_file.hpp"
#include "kleene/io/input.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace kleene::detail {

namespace {

constexpr std::string_view title = "kleene checkpoint 1\n";

std::uint64_t hash_of_text(std::string_view text) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < text.size(); ++at) sum += hash_of(0, static_cast<index_t>(at), text[at]);
  return sum;
}

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw error(fault_code::bad_input, path + ": " + what);
}

// "key value" in the lines of a record, in their order.
class record_lines {
 public:
  record_lines(const std::string& path, std::string_view text) : path_(path), rest_(text) {}

  std::string next(std::string_view key) {
    const std::size_t end = rest_.find('\n');
    if (end == rest_.npos || !rest_.starts_with(key) || rest_.substr(key.size(), 1) != " ") refuse_changed(path_);
    std::string value(rest_.substr(key.size() + 1, end - key.size() - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }
  std::uint64_t number(std::string_view key) { return std::strtoull(next(key).c_str(), nullptr, 10); }

 private:
  const std::string& path_;
  std::string_view rest_;
};

}  // namespace

void refuse_changed(const std::string& path) {
  refuse(path, "this is not what a checkpoint wrote, some of it has changed: remove the checkpoint, and start again");
}

namespace {

// "values-12.npy", "predecessors-12.npy.partial"
bool is_saved_matrix(std::string_view name, std::string_view end) {
  for (const std::string_view start : {"values-", "predecessors-"}) {
    if (!name.starts_with(start) || !name.ends_with(end) || name.size() <= start.size() + end.size()) continue;
    const std::string_view number = name.substr(start.size(), name.size() - start.size() - end.size());
    if (number.find_first_not_of("0123456789") == number.npos) return true;
  }
  return false;
}

}  // namespace

bool is_checkpoint_name(std::string_view name) {
  return name == "checkpoint" || name == "checkpoint.partial" || is_saved_matrix(name, ".npy") ||
         is_saved_matrix(name, ".npy.partial");
}

// A record names its matrices before they have their names.
void refuse_matrices_of_others(const std::string& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder + "/checkpoint", ignored) ||
      std::filesystem::exists(folder + "/checkpoint.partial", ignored))
    return;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (const std::string name = entry.path().filename().string(); is_saved_matrix(name, ".npy"))
      refuse(folder + "/" + name,
             "a checkpoint would replace this file, which no checkpoint here names: move it, or choose another folder");
}

// Each as large as the matrix: files that were being written, and where there is a record, or one that was about to be,
// whole ones that the record does not name.
void remove_left_over(const std::string& folder) {
  const std::string record = folder + "/checkpoint", aside = record + ".partial";
  std::error_code ignored;
  const bool is_ours = std::filesystem::exists(record, ignored) || std::filesystem::exists(aside, ignored);
  std::optional<checkpoint_record> named;
  try {
    named = read_record(record);
  } catch (const error&) {
    return;  // whoever resumes is told
  }
  std::vector<std::filesystem::path> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const bool is_named = named && (name == named->values || name == named->from);
    if (is_saved_matrix(name, ".npy.partial") || (is_ours && !is_named && is_saved_matrix(name, ".npy")))
      left.push_back(entry.path());
  }
  for (const auto& path : left) std::filesystem::remove(path, ignored);
  std::filesystem::remove(aside, ignored);
}

void prepare_checkpoint_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST)
    refuse(path, std::string("cannot make this folder for checkpoints: ") + std::strerror(errno));
  struct stat is{};
  if (::stat(path.c_str(), &is) != 0 || !S_ISDIR(is.st_mode)) refuse(path, "is to hold checkpoints, and is no folder");
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    refuse(path, std::string("cannot write checkpoints here: ") + std::strerror(errno));
}

folder_lock::folder_lock(const std::string& folder, double seconds)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ < 0) refuse(folder, std::string("cannot lock this folder of checkpoints: ") + std::strerror(errno));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (::flock(folder_, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
    if (std::chrono::steady_clock::now() >= end) {
      ::close(folder_);
      refuse(folder, "another run saves its checkpoints here: wait until it has ended, or end it");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}
folder_lock::~folder_lock() { ::close(folder_); }

int workers_on_this_machine(const worker& w) {
  if (w.comm().is_one_process()) return w.size();
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  const std::uint64_t here = hash_of_text(name);
  int count = 0;
  for (int rank = 0; rank < w.size(); ++rank) {
    std::uint64_t there = here;
    w.comm().broadcast(scope::all, rank, &there, sizeof there);
    count += there == here;
  }
  return count;
}

void write_record_aside(const std::string& path, const checkpoint_record& r) {
  std::string text(title);
  const auto line = [&](const char* key, const std::string& value) { text += std::string(key) + " " + value + "\n"; };
  line("algebra", r.algebra);
  line("type", r.type);
  line("n", std::to_string(r.n));
  line("block", std::to_string(r.block));
  line("predecessors", std::to_string(int(r.with_predecessors)));
  line("input", std::to_string(r.input));
  line("done", std::to_string(r.done));
  line("values", r.values);
  line("values_hash", std::to_string(r.values_hash));
  line("from", r.from);
  line("from_hash", std::to_string(r.from_hash));
  line("record_hash", text_hash(text));
  const shared_file file(path + ".partial", shared_file::mode::create);
  file.write(0, text.data(), text.size());
  file.sync();
}
void keep_record(const std::string& path) { rename_synced(path + ".partial", path); }
void write_record(const std::string& path, const checkpoint_record& record) {
  write_record_aside(path, record);
  keep_record(path);
}

std::string text_hash(std::string_view text) { return std::to_string(hash_of_text(text)); }

std::optional<checkpoint_record> read_record(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return {};
  const std::string text = io::read_whole(path);
  const std::size_t last = text.rfind("record_hash ");
  if (!text.starts_with(title) || last == text.npos) refuse_changed(path);
  record_lines lines(path, std::string_view(text).substr(title.size()));
  checkpoint_record r;
  r.algebra = lines.next("algebra");
  r.type = lines.next("type");
  r.n = static_cast<index_t>(lines.number("n"));
  r.block = static_cast<index_t>(lines.number("block"));
  r.with_predecessors = lines.number("predecessors") != 0;
  r.input = lines.number("input");
  r.done = static_cast<index_t>(lines.number("done"));
  r.values = lines.next("values");
  r.values_hash = lines.number("values_hash");
  r.from = lines.next("from");
  r.from_hash = lines.number("from_hash");
  if (lines.next("record_hash") != text_hash(std::string_view(text).substr(0, last))) refuse_changed(path);
  return r;
}

void require_same_problem(const std::string& path, const checkpoint_record& found, const checkpoint_record& wanted) {
  const auto problem = [](const checkpoint_record& r) {
    return r.algebra + " " + r.type + ", " + detail::counted(r.n, "vertex", "vertices") + " in blocks of " +
           std::to_string(r.block) + (r.with_predecessors ? ", with predecessors" : "");
  };
  if (problem(found) != problem(wanted))
    refuse(path, "a checkpoint of another problem: " + problem(found) + "; asked for is " + problem(wanted));
  if (found.input != wanted.input)
    refuse(path, "a checkpoint of another matrix: the elements that it began with are not those of this one");
}

}  // namespace kleene::detail
