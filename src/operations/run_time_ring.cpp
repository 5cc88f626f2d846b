// Rings at run time: their units of C++, and the compiler that makes libraries of them.
#include "kleene/operations/own/run_time_ring.hpp"

#include "kleene/data/error.hpp"
#include "operations/kept_files.hpp"
#include "operations/run_time_ring_on_device.hpp"

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
    if (command == options.compiler)  // another one was not asked for
      throw error(fault_code::usage, "a ring at run time needs a C++ compiler, and there is no " + words[0]);
  }
  throw error(fault_code::usage, "a ring at run time needs a C++ compiler (CXX, g++, clang++), and there is none");
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

void compile(std::vector<std::string> command, const std::string& text, const std::string& library,
             const fs::path& made) {
  const kept::workshop in(made);
  std::ofstream(in.at() / "ring.cpp") << text;
  for (const fs::path& word :
       {in.at() / "ring.cpp", fs::path("-o"), in.at() / "ring.so", fs::path(library), fs::path("-lpthread")})
    command.push_back(word);
  if (run_command(command, in.at() / "said") != 0)
    throw error(fault_code::usage, command[0] + " does not compile the ring: " + first_error(in.at() / "said"));
  in.keep("ring.so");  // loaders look at nothing behind a library's sections
}

std::string unit_of(const std::string& ring, const std::string& part, const std::string& request) {
  return ring + "#include \"kleene/operations/own/plain/" + part + ".hpp\"\nextern \"C\" int ring_" + part +
         "(const kleene::plain::" + request +
         "* asked, kleene::plain::message* said) {\n  return kleene::plain::run<ring>(*asked, said);\n}\n";
}

[[noreturn]] void refuse(int answer, const plain::message& said) {
  if (answer == plain::no_memory) throw error(fault_code::memory, said.text);
  if (answer == plain::wrong_value) throw argument_error(said.text);
  throw error(fault_code::internal, said.text);
}

}  // namespace

std::string ring_struct(const ring_text& r, const std::string& type) {
  const auto fact = [](const char* name, bool holds) {
    return std::string("  static constexpr bool is_") + name + (holds ? " = true;\n" : " = false;\n");
  };
  const auto function = [](const std::string& head, const std::string& gives) {
    return "  static constexpr " + head + " { return " + gives + "; }\n";
  };
  std::string text =
      "#include \"kleene/algebra/semirings.hpp\"\n#include <cmath>\n#include <cstdint>\n" +
      ("struct ring {\n  using value_type = " + type) + ";\n" + "  static constexpr const char* name = \"" + r.name +
      "\";\n" + fact("idempotent", r.is_idempotent || r.is_selective) + fact("selective", r.is_selective) +
      fact("commutative", r.is_commutative) + fact("distributive", r.is_distributive) +
      function("value_type zero()", r.zero) + function("value_type add(value_type a, value_type b)", r.add) +
      function("value_type mul(value_type a, value_type b)", r.mul);
  if (!r.one.empty()) text += function("value_type one()", r.one);
  if (!r.in_domain.empty()) text += function("bool in_domain(value_type v)", r.in_domain);
  if (!r.computes_as.empty()) text += "  using computes_as = kleene::" + r.computes_as + "<value_type>;\n";
  return text + "};\n";
}

std::vector<std::string> header_folders(const compile_options& options) {
  if (!options.headers.empty()) return options.headers;
  for (const char* const known : {KLEENE_BUILT_WITH, KLEENE_INSTALLED_WITH}) {
    std::vector<std::string> folders;
    std::istringstream paths(known);
    std::string folder;
    std::getline(paths, folder, ':');  // the archive
    while (std::getline(paths, folder, ':')) folders.push_back(folder);
    for (const std::string& one : folders)
      if (fs::exists(fs::path(one) / "kleene" / "algebra")) return folders;
  }
  throw error(fault_code::usage, std::string("a ring at run time needs the library's headers, and there are none in ") +
                                     KLEENE_INSTALLED_WITH);
}

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
      std::string made_of = unit + kept::stamp(fs::canonical(command[0])) + kept::stamp(options.library);
      for (const std::string& word : command) made_of += word + '\n';
      const fs::path path = kept::folder(options.cache) / (kept::digest(made_of) + ".so");
      if (!kept::read(path)) compile(command, unit, options.library, path);
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
      gemm_(new part{unit_of(ring_struct(text, type), "gemm", "product"), "ring_gemm", {}}),
      closure_(new part{unit_of(ring_struct(text, type), "closure", "closures"), "ring_closure", {}}),
      device_(new ring_on_device(text, type, options)) {
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (text.name.empty() || !std::all_of(text.name.begin(), text.name.end(), is_letter))
    throw argument_error("'" + text.name + "' is no name for a ring: letters, digits and _");
  if (text.add.empty() || text.mul.empty() || text.zero.empty())
    throw argument_error(text.name + ": a ring has add, mul and zero");
  if (!text.computes_as.empty() && !kernels::cuda::signs_of(text.computes_as).non_negative)
    throw argument_error(text.name + " computes as '" + text.computes_as +
                         "': that is min_plus, max_plus, min_times, max_times, min_max or max_min");
}

detail::compiled_ring::~compiled_ring() = default;

void detail::compiled_ring::run(const context& ctx, plain::product request) {
  if (request.witness.data && !text_.is_selective)
    throw argument_error(text_.name + " has no witness: no single term gives an element");
  if (ctx.kind() == device_kind::cuda) return device_->run(ctx, request);
  request.threads = ctx.threads();
  plain::message said{};
  const auto function = reinterpret_cast<int (*)(const plain::product*, plain::message*)>(gemm_->of(options_));
  if (const int answer = function(&request, &said)) refuse(answer, said);
}

void detail::compiled_ring::compile_for_cuda(int capability) { device_->compile_for(capability); }

closure_info detail::compiled_ring::run(const context& ctx, plain::closures request, const closure_options& options) {
  if (text_.one.empty()) throw argument_error(text_.name + " has no closure: there is no one");
  if (request.predecessors.data && !text_.is_selective)
    throw argument_error(text_.name + " has no predecessors: no single path gives a result");
  request.block = options.block, request.check_domain = options.check_domain;
  if (ctx.kind() == device_kind::cuda) return device_->run(ctx, request, options);
  std::int32_t diverging = -1;
  request.diverging = &diverging, request.threads = ctx.threads();
  plain::message said{};
  const auto function = reinterpret_cast<int (*)(const plain::closures*, plain::message*)>(closure_->of(options_));
  if (const int answer = function(&request, &said)) refuse(answer, said);
  const double n = static_cast<double>(request.a.extents[1]);
  return {.exists = diverging < 0, .diverging = diverging, .block = options.block, .operations = 2 * n * n * n};
}

}  // namespace kleene
