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

// Makes the folder, and writes them there. error(bad_input) where it has a checkpoint already, cannot be written, or is
// another run's.
void save_words(const std::string& folder, const std::vector<std::string>& words);
// error(bad_input) where none are saved, or they are of a call in another folder.
std::vector<std::string> read_words(const std::string& folder);
// When the work is done: removes them, and the checkpoint, unless another run has the folder by now.
void remove_saved(const std::string& folder);

// The words of a call, with those of the folder in --resume=FOLDER, if it says so, behind the subcommand. A flag that
// both have is as it is given now.
std::vector<std::string> with_saved_words(std::vector<std::string> words);

}  // namespace kleene::cli
