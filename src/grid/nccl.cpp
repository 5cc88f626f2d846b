#include "grid/nccl.hpp"

#include "kleene/data/error.hpp"
#include "kleene/grid/ranks/panels.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace kleene {

namespace nccl {

namespace {

constexpr int oldest = 21'800;

std::string version_text(int version) {
  return std::to_string(version / 10'000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

std::string default_path() {
  const char* const named = std::getenv("KLEENE_NCCL_LIBRARY");
  return named && *named ? named : "libnccl.so.2";
}

template <class Function>
void find(void* handle, const std::string& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (!function)
    throw error(fault_code::device, "NCCL: " + path + " has no " + name + ": NCCL 2.18 or newer is needed");
}

}  // namespace

// The library stays open: it has threads of its own.
library::library(const std::string& path) : path_(path) {
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  setenv("NCCL_RUNTIME_CONNECT", "0", 0);
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* const why = dlerror();
    throw error(fault_code::device,
                "NCCL cannot be opened (KLEENE_NCCL_LIBRARY names another file): " + std::string(why ? why : path));
  }
  const auto find_here = [&](const char* name, auto& function) { find(handle, path, name, function); };
  find_here("ncclGetVersion", get_version_);
  get_version_(&version_);
  if (version_ < oldest)
    throw error(fault_code::device, "NCCL: " + path + " is version " + version() + "; 2.18 or newer is needed");
  find_here("ncclGetErrorString", get_error_string_);
  find_here("ncclGetLastError", get_last_error_);
  find_here("ncclGetUniqueId", get_unique_id);
  find_here("ncclCommInitRank", comm_init_rank);
  find_here("ncclCommSplit", comm_split);
  find_here("ncclCommDestroy", comm_destroy);
  find_here("ncclCommAbort", comm_abort);
  find_here("ncclCommGetAsyncError", comm_get_async_error);
  find_here("ncclBroadcast", broadcast);
}

std::string library::version() const { return version_text(version_); }

void library::require(int came, const char* what, comm of) const {
  if (came == success || came == in_progress) return;
  const char* const last = get_last_error_(of);
  throw error(fault_code::device, std::string("NCCL: ") + what + ": " + get_error_string_(came) +
                                      (last && *last ? std::string(" (") + last + ")" : ""));
}

const library& open() {
  static const library opened(default_path());
  return opened;
}

}  // namespace nccl

std::string describe_nccl() {
  try {
    const nccl::library& found = nccl::open();
    return found.version() + " (" + found.path() + ")";
  } catch (const error& e) {
    return e.what();
  }
}

bool has_nccl() {
  try {
    nccl::open();
    return true;
  } catch (const error&) {
    return false;
  }
}

}  // namespace kleene
