// A call whose work is saved (kleene apsp FILE --checkpoint FOLDER) leaves its words in the folder: --resume FOLDER
// says them again.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kleene::cli {

// What was given to a subcommand, a word for each: what comes without a flag, and --flag=value. Without the flags that
// say where work is saved and how the answer is printed.
std::vector<std::string> words_of_call(const CLI::App& sub);

// error(usage): the flag's file is one of those that the folder is for, which come and go.
void refuse_saved_name(const std::string& folder, const char* flag, const std::string& path);

// The folder of a call that is about to begin. Made at once, so that what is wrong with it is said before the input is
// read; a call that is refused leaves it as it was.
class saved_call {
 public:
  // Makes the folder. error(bad_input) where it has a checkpoint already, or files of others that would be lost, cannot
  // be written, or is another run's.
  explicit saved_call(const std::string& folder);
  saved_call(const saved_call&) = delete;
  saved_call& operator=(const saved_call&) = delete;
  // Removes a folder that was made here, and has nothing in it.
  ~saved_call();

  // The call begins: leaves its words for --resume.
  void begin(const std::vector<std::string>& words);

 private:
  std::string folder_;
  bool is_new_;
};
// error(bad_input) where none are saved, or they are of a call in another folder.
std::vector<std::string> read_words(const std::string& folder);
// When the work is done: removes them, and the checkpoint, unless another run has the folder by now.
void remove_saved(const std::string& folder);

// The words of a call, with those of the folder in --resume=FOLDER, if it says so, behind the subcommand. A flag that
// both have is as it is given now.
std::vector<std::string> with_saved_words(std::vector<std::string> words);

}  // namespace kleene::cli
