#include "saved_words.hpp"

#include "kleene/data/error.hpp"
#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/io/atomic_file.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/text.hpp"
#include "text.hpp"

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

namespace kleene::cli {

namespace {

constexpr std::string_view title = "kleene command 2";
constexpr std::string_view words_name = "command";

std::string words_in(const std::string& folder) { return fmt::format("{}/{}", folder, words_name); }
std::string record_in(const std::string& folder) { return folder + "/checkpoint"; }

std::string working_folder() {
  std::array<char, PATH_MAX> path{};
  return getcwd(path.data(), path.size()) ? path.data() : "";
}

// "--device" of "--device=cuda"; empty: no flag.
std::string_view flag_of(std::string_view word) {
  return word.starts_with("--") && word.size() > 2 ? word.substr(0, word.find('=')) : std::string_view();
}

}  // namespace

std::vector<std::string> words_of_call(const CLI::App& sub) {
  constexpr std::array<std::string_view, 5> left_out{"--checkpoint", "--resume", "--json", "--quiet", "--explain"};
  std::vector<std::string> words;
  for (const CLI::Option* option : sub.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::ranges::find(left_out, name) != left_out.end()) continue;
    for (const std::string& value : option->results())
      words.push_back(option->get_positional()                ? value
                      : option->get_items_expected_max() == 0 ? name
                                                              : name + "=" + value);
  }
  return words;
}

namespace {

// Whether they are a call's.
bool are_words(const std::string& text) { return text.starts_with(fmt::format("{}\n", title)); }
// Those of another version are not overwritten, and not read.
void refuse_other_version(const std::string& path, const std::string& text) {
  if (!are_words(text) && text.starts_with("kleene command "))
    throw error(fault_code::bad_input, path + ": another version of kleene saved this run, and can go on with it");
}

void require_no_record(const std::string& folder) {
  if (access(record_in(folder).c_str(), F_OK) == 0)
    throw error(fault_code::bad_input,
                fmt::format("{0}: holds a checkpoint: --resume {0} goes on from it, and to begin "
                            "again it must be removed first",
                            folder));
  detail::refuse_matrices_of_others(folder);
  const std::string words = words_in(folder);
  if (access(words.c_str(), F_OK) != 0) return;
  const std::string text = io::read_whole(words);
  refuse_other_version(words, text);
  if (!are_words(text))
    throw error(fault_code::bad_input, words + ": is not what --checkpoint writes under that name, and would be lost");
}

}  // namespace

void refuse_saved_name(const std::string& folder, const char* flag, const std::string& path) {
  if (path.empty()) return;
  std::error_code ignored;
  const auto whole = [&](const std::string& p) {  // of a name alone weakly_canonical makes no path
    return std::filesystem::weakly_canonical(std::filesystem::absolute(p, ignored), ignored);
  };
  const std::filesystem::path file = whole(path);
  const std::string name = file.filename().string();
  if (file.parent_path() == whole(folder) && (name == words_name || detail::is_checkpoint_name(name)))
    throw error(fault_code::usage,
                fmt::format("{}: {} is a name of the checkpoint's own in {}: give another", flag, path, folder));
}

saved_call::saved_call(const std::string& folder) : folder_(folder), is_new_(access(folder.c_str(), F_OK) != 0) {
  detail::prepare_checkpoint_folder(folder_);
  const detail::folder_lock lock(folder_);
  require_no_record(folder_);
}
saved_call::~saved_call() {
  if (is_new_) rmdir(folder_.c_str());  // which leaves one that has something in it
}

void saved_call::begin(const std::vector<std::string>& words) {
  const detail::folder_lock lock(folder_);
  require_no_record(folder_);  // of a run that has begun meanwhile
  const std::string here = working_folder();
  if (here.find('\n') != here.npos)
    throw error(fault_code::usage, "the name of this folder has two lines: --resume could not come back to it");
  std::string text = fmt::format("{}\n{}\n", title, here);
  for (const std::string& word : words) {
    if (word.find('\n') != word.npos)
      throw error(fault_code::usage,
                  fmt::format("{} has two lines, and cannot be saved for --resume", io::shown(word)));
    text += word + "\n";
  }
  text += detail::text_hash(text) + "\n";
  io::atomic_file file(words_in(folder_));
  file.write(text);
  file.commit();
  is_new_ = false;  // but the run's
}

std::vector<std::string> read_words(const std::string& folder) {
  const std::string path = words_in(folder);
  if (access(path.c_str(), F_OK) != 0)
    throw error(fault_code::bad_input,
                folder + ": no run is saved here: --checkpoint FOLDER saves one, until it has ended");
  std::vector<std::string> lines;
  const std::string text = io::read_whole(path);
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != text.npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  refuse_other_version(path, text);
  if (lines.size() < 3 || !are_words(text))
    throw error(fault_code::bad_input, path + ": this is not what --checkpoint wrote");
  const std::string hash = lines.back() + "\n";
  lines.pop_back();
  if (!text.ends_with(hash) || detail::text_hash(text.substr(0, text.size() - hash.size())) + "\n" != hash)
    throw error(fault_code::bad_input, path + ": it has changed since --checkpoint wrote it");
  if (lines[1] != working_folder())
    throw error(fault_code::bad_input,
                fmt::format("{}: the run was begun in {}, and goes on there: its files are named from that folder",
                            folder, lines[1]));
  lines.erase(lines.begin(), lines.begin() + 2);
  return lines;
}

void remove_saved(const std::string& folder) {
  std::optional<detail::folder_lock> lock;
  try {
    lock.emplace(folder);
  } catch (const error&) {
    return;  // a run that was started meanwhile goes on with it
  }
  detail::remove_left_over(folder);
  if (const auto record = detail::read_record(record_in(folder))) {
    const std::string aside = record_in(folder) + ".partial";  // names the others no longer, but says whose they are
    std::rename(record_in(folder).c_str(), aside.c_str());
    for (const std::string& name : {record->values, record->from})
      if (!name.empty()) std::remove((folder + "/" + name).c_str());
    std::remove(aside.c_str());
  }
  std::remove(words_in(folder).c_str());
}

std::vector<std::string> with_saved_words(std::vector<std::string> words) {
  std::optional<std::string> folder;
  for (std::size_t at = 2; at < words.size() && !folder; ++at) {
    if (flag_of(words[at]) != "--resume") continue;
    if (words[at].size() > std::string_view("--resume").size()) folder = words[at].substr(words[at].find('=') + 1);
    else if (at + 1 < words.size()) folder = words[at + 1];
  }
  const bool begins =
      std::ranges::any_of(words, [](const std::string& word) { return flag_of(word) == "--checkpoint"; });
  if (!folder || folder->empty() || begins || words[1] != "apsp") return words;
  std::vector<std::string> saved = read_words(*folder);
  std::erase_if(saved, [&](const std::string& old) {
    const std::string_view flag = flag_of(old);
    return !flag.empty() && std::ranges::any_of(words, [&](const std::string& now) { return flag_of(now) == flag; });
  });
  words.insert(words.begin() + 2, saved.begin(), saved.end());
  return words;
}

}  // namespace kleene::cli
