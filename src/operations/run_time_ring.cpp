// Rings at run time: their units of C++, the compiler that makes libraries of them, and those kept on disk.
//
// A kept file's name is a hash of all that it was made of. It is written beside its place and then renamed, so that
// processes do not see each other's halves.
#include "kleene/operations/own/run_time_ring.hpp"

#include "kleene/data/error.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>

extern char** environ;

namespace kleene {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Two FNV-1a hashes of 64 bits, from different beginnings, in hexadecimal.
std::string digest(const std::string& text) {
  char shown[33];
  std::uint64_t h[2] = {0xcbf29ce484222325, 0x9ae16a3b2f90404f};
  for (std::uint64_t& x : h)
    for (const unsigned char c : text) x = (x ^ c) * 0x100000001b3;
  std::snprintf(shown, sizeof shown, "%016llx%016llx", (unsigned long long)h[0], (unsigned long long)h[1]);
  return shown;
}

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream in(command);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Where a program is, by PATH; empty: nowhere.
fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? fs::path(name) : fs::path();
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path path = fs::path(folder) / name; ::access(path.c_str(), X_OK) == 0) return path;
  return {};
}

std::vector<std::string> compiler_of(const compile_options& options) {
  for (const std::string& command : {options.compiler, variable("CXX"), std::string("g++"), std::string("clang++")}) {
    auto words = words_of(command);
    if (words.empty()) continue;
    if (const fs::path found = find_program(words[0]); !found.empty()) {
      words[0] = found;
      return words;
    }
    if (command == options.compiler) break;  // another one was not asked for
  }
  throw error(fault_code::usage, "a ring at run time needs a C++ compiler (CXX, g++, clang++), and there is none");
}

fs::path cache_folder(const compile_options& options) {
  if (!options.cache.empty()) return options.cache;
  if (const auto named = variable("KLEENE_CACHE"); !named.empty()) return named;
  if (const auto named = variable("XDG_CACHE_HOME"); !named.empty()) return fs::path(named) / "kleene";
  if (const auto home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "kleene";
  throw error(fault_code::usage, "a ring at run time is kept in a folder, and nothing names one: KLEENE_CACHE or HOME");
}

// The first archive that is there, and the folders of headers that go with it. KLEENE_BUILT_WITH and
// KLEENE_INSTALLED_WITH: an archive, then folders, apart by colons.
compile_options with_library(compile_options options) {
  for (const char* const known : {KLEENE_BUILT_WITH, KLEENE_INSTALLED_WITH}) {
    std::istringstream paths(known);
    std::string archive;
    std::getline(paths, archive, ':');
    if (!fs::exists(options.library.empty() ? archive : options.library)) continue;
    if (options.library.empty()) options.library = archive;
    if (options.headers.empty())
      for (std::string folder; std::getline(paths, folder, ':');) options.headers.push_back(folder);
    return options;
  }
  throw error(fault_code::usage, "a ring at run time needs the library's archive, and there is none at " +
                                     (options.library.empty() ? std::string(KLEENE_INSTALLED_WITH) : options.library));
}

// Runs a command; what it prints goes to a file. Its exit status.
int run_command(const std::vector<std::string>& words, const fs::path& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed) return failed;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// The first line of a compiler's output that speaks of an error.
std::string first_error(const fs::path& output) {
  std::ifstream in(output);
  std::string first;
  for (std::string line; std::getline(in, line);) {
    if (line.find("error") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first;
}

// Has the disk hold the file: what is renamed before may be found cut off after a crash. Why not, or nothing.
std::string write_out(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::fsync(file) == 0;
  const std::string why = done ? "" : path.string() + ": " + std::strerror(errno);
  if (file >= 0) ::close(file);
  return why;
}

void compile(std::vector<std::string> command, const std::string& text, const std::string& library,
             const fs::path& made) {
  fs::create_directories(made.parent_path());
  std::string folder = made.parent_path() / "making-XXXXXX";
  if (!::mkdtemp(folder.data()))
    throw error(fault_code::bad_input, folder + ": a folder that cannot be made there (KLEENE_CACHE names another)");
  const fs::path at = folder;
  std::ofstream(at / "ring.cpp") << text;
  for (const fs::path& word :
       {at / "ring.cpp", fs::path("-o"), at / "ring.so", fs::path(library), fs::path("-lpthread")})
    command.push_back(word);
  const int status = run_command(command, at / "said");
  const std::string said = status ? first_error(at / "said") : "";
  const std::string unwritten = status ? "" : write_out(at / "ring.so");
  std::error_code ignored;
  if (!status && unwritten.empty()) fs::rename(at / "ring.so", made);
  fs::remove_all(at, ignored);
  if (status) throw error(fault_code::usage, command[0] + " does not compile the ring: " + said);
  if (!unwritten.empty()) throw error(fault_code::bad_input, unwritten);
}

std::string stamp(const fs::path& path) {
  std::error_code none;
  return path.string() + ' ' + std::to_string(fs::file_size(path, none)) + ' ' +
         std::to_string(fs::last_write_time(path, none).time_since_epoch().count()) + '\n';
}

std::string unit_of(const ring_text& r, const std::string& type, const std::string& part, const std::string& request) {
  const auto fact = [](const char* name, bool holds) {
    return std::string("  static constexpr bool is_") + name + (holds ? " = true;\n" : " = false;\n");
  };
  const auto function = [](const std::string& head, const std::string& gives) {
    return "  static constexpr " + head + " { return " + gives + "; }\n";
  };
  std::string text = "#include <cmath>\n#include <cstdint>\nstruct ring {\n  using value_type = " + type + ";\n" +
                     "  static constexpr const char* name = \"" + r.name + "\";\n" +
                     fact("idempotent", r.is_idempotent || r.is_selective) + fact("selective", r.is_selective) +
                     fact("commutative", r.is_commutative) + fact("distributive", r.is_distributive) +
                     function("value_type zero()", r.zero) +
                     function("value_type add(value_type a, value_type b)", r.add) +
                     function("value_type mul(value_type a, value_type b)", r.mul);
  if (!r.one.empty()) text += function("value_type one()", r.one);
  if (!r.in_domain.empty()) text += function("bool in_domain(value_type v)", r.in_domain);
  return text + "};\n#include \"kleene/operations/own/plain/" + part + ".hpp\"\nextern \"C\" int ring_" + part +
         "(const kleene::plain::" + request +
         "* asked, kleene::plain::message* said) {\n  return kleene::plain::run<ring>(*asked, said);\n}\n";
}

[[noreturn]] void refuse(int answer, const plain::message& said) {
  if (answer == plain::no_memory) throw error(fault_code::memory, said.text);
  if (answer == plain::wrong_value) throw argument_error(said.text);
  throw error(fault_code::internal, said.text);
}

int threads_of(const context& ctx) {
  if (ctx.kind() == device_kind::cuda)
    throw argument_error("a ring at run time works on CPU contexts, and not on " + ctx.describe());
  return ctx.threads();
}

}  // namespace

// The library of one operation, made and loaded when it is first called.
struct detail::compiled_ring::part {
  std::string unit, symbol;
  std::once_flag once;
  void* function = nullptr;

  void* of(const compile_options& asked) {
    std::call_once(once, [&] {
      const compile_options options = with_library(asked);
      auto command = compiler_of(options);
      for (const char* flag : {"-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-fwrapv", "-w", "-Wl,-Bsymbolic",
                               "-Wl,--exclude-libs,ALL"})
        command.push_back(flag);
      // For this machine's instruction set alone: all of them would take the compiler twice the time.
      command.push_back(std::string("-DKLEENE_INSTRUCTION_SET=") + to_string(context::cpu().isa()));
      for (const std::string& folder : options.headers) command.push_back("-I" + folder);
      std::string made_of = unit + stamp(fs::canonical(command[0])) + stamp(options.library);
      for (const std::string& word : command) made_of += word + '\n';
      const fs::path path = cache_folder(options) / (digest(made_of) + ".so");
      if (!fs::exists(path)) compile(command, unit, options.library, path);
      void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      function = library ? ::dlsym(library, symbol.c_str()) : nullptr;
      if (!function) throw error(fault_code::internal, ::dlerror());
    });
    return function;
  }
};

detail::compiled_ring::compiled_ring(const ring_text& text, const char* type, const compile_options& options)
    : text_(text),
      type_(type),
      options_(options),
      gemm_(new part{unit_of(text, type, "gemm", "product"), "ring_gemm", {}}),
      closure_(new part{unit_of(text, type, "closure", "closures"), "ring_closure", {}}) {
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (text.name.empty() || !std::all_of(text.name.begin(), text.name.end(), is_letter))
    throw argument_error("'" + text.name + "' is no name for a ring: letters, digits and _");
  if (text.add.empty() || text.mul.empty() || text.zero.empty())
    throw argument_error(text.name + ": a ring has add, mul and zero");
}

detail::compiled_ring::~compiled_ring() = default;

void detail::compiled_ring::run(const context& ctx, plain::product request) {
  if (request.witness.data && !text_.is_selective)
    throw argument_error(text_.name + " has no witness: no single term gives an element");
  request.threads = threads_of(ctx);
  plain::message said{};
  const auto function = reinterpret_cast<int (*)(const plain::product*, plain::message*)>(gemm_->of(options_));
  if (const int answer = function(&request, &said)) refuse(answer, said);
}

closure_info detail::compiled_ring::run(const context& ctx, plain::closures request, const closure_options& options) {
  if (text_.one.empty()) throw argument_error(text_.name + " has no closure: there is no one");
  if (request.predecessors.data && !text_.is_selective)
    throw argument_error(text_.name + " has no predecessors: no single path gives a result");
  std::int32_t diverging = -1;
  request.diverging = &diverging, request.threads = threads_of(ctx);
  request.block = options.block, request.check_domain = options.check_domain;
  plain::message said{};
  const auto function = reinterpret_cast<int (*)(const plain::closures*, plain::message*)>(closure_->of(options_));
  if (const int answer = function(&request, &said)) refuse(answer, said);
  const double n = static_cast<double>(request.a.extents[1]);
  return {.exists = diverging < 0, .diverging = diverging, .block = options.block, .operations = 2 * n * n * n};
}

}  // namespace kleene
