#include "gpu/nvrtc.hpp"

#include "kleene/data/error.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace kleene::nvrtc {

namespace {

constexpr int success = 0;
constexpr const char* needed = "12.3 or newer is needed";

template <class Function>
void find(void* handle, const std::string& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  if (!function) throw error(fault_code::usage, "NVRTC: " + path + " has no " + name + ": " + needed);
}

std::vector<std::string> candidates(const std::string& path) {
  if (!path.empty()) return {path};
  if (const char* const named = std::getenv("KLEENE_NVRTC_LIBRARY"); named && *named) return {named};
  std::vector<std::string> found;
  for (const char* const version : {"13", "12"}) found.push_back(std::string("libnvrtc.so.") + version);
  const std::initializer_list<const char*> toolkits{std::getenv("CUDA_HOME"), std::getenv("CUDA_PATH"),
                                                    "/usr/local/cuda"};
  for (const char* const toolkit : toolkits)
    if (toolkit && *toolkit) found.push_back(std::string(toolkit) + "/lib64/libnvrtc.so");
  return found;
}

// One of NVRTC's texts: its size is asked first, and counts the end.
template <class Size, class Get, class Program>
std::string text_of(const Size& size_of, const Get& get, Program program) {
  std::size_t size = 0;
  if (size_of(program, &size) != success || size == 0) return {};
  std::string text(size, '\0');
  get(program, text.data());
  return text;
}

}  // namespace

library::library(const std::string& path) : path_(path) {
  void* const handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    const char* const why = ::dlerror();
    throw error(fault_code::usage, why ? why : path);
  }
  const auto find_here = [&](const char* name, auto& function) { find(handle, path, name, function); };
  find_here("nvrtcVersion", get_version_);
  find_here("nvrtcGetErrorString", get_error_string_);
  require(get_version_(&major_, &minor_), "asking for the version");
  if (major_ < 12 || (major_ == 12 && minor_ < 3))
    throw error(fault_code::usage, "NVRTC: " + path + " is version " + version() + "; " + needed);
  find_here("nvrtcGetNumSupportedArchs", get_num_supported_archs_);
  find_here("nvrtcGetSupportedArchs", get_supported_archs_);
  find_here("nvrtcCreateProgram", create_program_);
  find_here("nvrtcDestroyProgram", destroy_program_);
  find_here("nvrtcAddNameExpression", add_name_expression_);
  find_here("nvrtcCompileProgram", compile_program_);
  find_here("nvrtcGetLoweredName", get_lowered_name_);
  find_here("nvrtcGetProgramLogSize", get_log_size_);
  find_here("nvrtcGetProgramLog", get_log_);
  find_here("nvrtcGetCUBINSize", get_cubin_size_);
  find_here("nvrtcGetCUBIN", get_cubin_);
  find_here("nvrtcGetPTXSize", get_ptx_size_);
  find_here("nvrtcGetPTX", get_ptx_);
}

std::string library::version() const { return std::to_string(major_) + "." + std::to_string(minor_); }

void library::require(int came, const char* what) const {
  if (came != success)
    throw error(fault_code::internal, std::string("NVRTC: ") + what + ": " + get_error_string_(came));
}

// Machine code of the device's own kind, or PTX of the latest kind before it, which its driver compiles.
std::string library::architecture_for(int capability) const {
  int count = 0;
  require(get_num_supported_archs_(&count), "asking for architectures");
  std::vector<int> known(static_cast<std::size_t>(count));
  require(get_supported_archs_(known.data()), "asking for architectures");
  int latest = 0;
  for (const int one : known)
    if (one <= capability) latest = std::max(latest, one);
  if (latest == 0)
    throw error(fault_code::usage, "NVRTC " + version() + " compiles nothing for compute capability " +
                                       std::to_string(capability / 10) + "." + std::to_string(capability % 10));
  return (latest == capability ? "sm_" : "compute_") + std::to_string(latest);
}

std::string library::first_complaint(program of) const {
  const std::string log = text_of(get_log_size_, get_log_, of);
  const std::size_t at = log.find("error");
  const std::size_t start = at == std::string::npos ? 0 : log.rfind('\n', at) + 1;
  return log.substr(start, log.find('\n', start) - start);
}

compiled library::compile(const unit& of) const {
  std::vector<const char*> texts, names;
  for (const header& h : headers()) texts.push_back(h.text), names.push_back(h.name);
  program made{};
  require(
      create_program_(&made, of.text.c_str(), "ring.cu", static_cast<int>(names.size()), texts.data(), names.data()),
      "making a program");
  const auto destroy = [&](program* p) { destroy_program_(p); };
  const std::unique_ptr<program, decltype(destroy)> kept(&made, destroy);
  for (const std::string& kernel : of.kernels) require(add_name_expression_(made, kernel.c_str()), "naming a kernel");

  const std::string architecture = architecture_for(of.capability);
  // Functions without a mark are the device's: there is no other side.
  std::vector<std::string> options{"--std=c++20", "--device-as-default-execution-space", "--disable-warnings",
                                   "--define-macro=NDEBUG", "--gpu-architecture=" + architecture};
  for (const std::string& folder : of.folders) options.push_back("--include-path=" + folder);
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  if (compile_program_(made, static_cast<int>(words.size()), words.data()) != success)
    throw error(fault_code::usage, "NVRTC " + version() + " does not compile the ring: " + first_complaint(made));

  compiled result;
  const bool is_binary = architecture.starts_with("sm_");
  result.code = is_binary ? text_of(get_cubin_size_, get_cubin_, made) : text_of(get_ptx_size_, get_ptx_, made);
  for (const std::string& kernel : of.kernels) {
    const char* name = nullptr;
    require(get_lowered_name_(made, kernel.c_str(), &name), "asking for a kernel's name");
    result.names.emplace_back(name);
  }
  return result;
}

const library& open(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<library>> opened;
  const std::lock_guard lock(mutex);
  auto& one = opened[path];
  if (one) return *one;
  std::string why;
  for (const std::string& candidate : candidates(path)) {
    try {
      one = std::make_unique<library>(candidate);
      return *one;
    } catch (const error& e) {
      if (why.empty()) why = e.what();
    }
  }
  throw error(fault_code::usage,
              "a ring at run time on a GPU needs NVRTC, of the CUDA toolkit or the wheel "
              "nvidia-cuda-nvrtc (KLEENE_NVRTC_LIBRARY names its library): " +
                  why);
}

}  // namespace kleene::nvrtc
