// The command line's flags: an argv from the input, a line each, through the parser of apps/cli/main.cpp (whose main is
// compiled as kleene_main). The subcommands behind it only look at what arrives. Messages go to stderr:
// -close_fd_mask=2.
#include "commands.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "processes.hpp"
#include "saved_words.hpp"

#include "fuzz/finding.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

int kleene_main(int argc, char** argv);

namespace kleene::cli {

namespace {

using fuzz::require;

void check(const shared_flags& f) {
  require(f.threads >= 0 && f.threads <= 1024, "--threads out of its range");
  require(!f.algebra_name().empty(), "no algebra");
  const std::string types = " f32 f64 i32 i64 bool bf16 f16 i8 u8 ";
  require(f.dtype.empty() || types.find(" " + f.dtype + " ") != types.npos, "an element type that is none");
  require(!(f.json && f.prints_text()), "text beside JSON");
}
void check(const picture_flags& f) { require(f.from.empty() == f.to.empty(), "half a route"); }
void check(const input_flags& f) {
  require(!f.file.empty(), "no input");
  for (const std::string& column : f.lists.columns) require(!column.empty(), "a column without a name");
}

}  // namespace

void run_info(const shared_flags& shared, const info_flags&) { check(shared); }
void run_file_info(const shared_flags& shared, const info_flags&) { check(shared); }
void run_apsp(const shared_flags& shared, const apsp_flags& f) {
  check(shared);
  check(f.input);
  check(f.picture);
  require(f.saving.checkpoint.empty() || f.saving.resume.empty(), "--checkpoint beside --resume");
  require(f.saving.every >= 0 && f.progress >= 0, "a negative time");
  (void)apsp_method_from(f.method);
}
void run_apsp_list(const shared_flags& shared, const apsp_flags& f) {
  run_apsp(shared, f);
  require(!f.others.empty(), "a list of one");
}
int run_path(const shared_flags& shared, const path_flags& f) {
  check(shared);
  check(f.input);
  (void)apsp_method_from(f.method);
  return 0;
}
void run_pairs(const shared_flags& shared, const path_flags& f) {
  check(shared);
  require(!f.pairs.empty(), "pairs without their file");
}
void run_closure(const shared_flags& shared, const closure_flags& f) {
  check(shared);
  check(f.input);
}
void run_gemm(const shared_flags& shared, const gemm_flags& f) {
  check(shared);
  require(f.files.empty() || f.files.size() == 2, "one operand, or three");
  require(f.size >= -1 && (f.size < 0 || f.shape.empty()), "--size beside --shape");
}
std::vector<std::string> words_of_call(const CLI::App&) { return {}; }
std::vector<std::string> with_saved_words(std::vector<std::string> words) { return words; }
bool another_says_it() { return false; }
void add_bench(CLI::App&, const shared_flags&) {}
void add_tune(CLI::App&, const shared_flags&) {}
void add_gen(CLI::App&, const shared_flags&) {}
void add_verify(CLI::App&, const shared_flags&, int&) {}
void add_solve(CLI::App&, const shared_flags&, int&) {}
void add_model(CLI::App&, const shared_flags&) {}
void add_convert(CLI::App&, const shared_flags&) {}
void add_completion(CLI::App&) {}
void add_manual(CLI::App&) {}

}  // namespace kleene::cli

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  // What --help prints goes nowhere.
  static const bool quiet = ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO) >= 0;
  kleene::fuzz::require(quiet, "no /dev/null");
  std::vector<std::string> words{"kleene", ""};
  for (std::size_t at = 0; at < size; ++at)
    if (data[at] == '\n') words.emplace_back();
    else if (data[at] != 0) words.back() += static_cast<char>(data[at]);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int code = kleene_main(static_cast<int>(words.size()), argv.data());
  kleene::fuzz::require(code == 0 || code == 2, "exit code " + std::to_string(code));
  return 0;
}
