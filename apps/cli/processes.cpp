#include "processes.hpp"

#include "devices.hpp"
#include "kleene/data/error.hpp"
#include "kleene/grid/ranks/launch.hpp"
#include "text.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <string>
#include <string_view>

namespace kleene::cli {

namespace {

bool are_together = false;

// Of Slurm's variables those of a step: the script of a job has some of the others, and is alone.
launched this_launch() {
  return read_launch([](const char* name) -> const char* {
    if (std::string_view(name).starts_with("SLURM_") && !std::getenv("SLURM_STEP_NUM_TASKS")) return nullptr;
    return std::getenv(name);
  });
}

std::string folder_of_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  const std::string program(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return program.substr(0, program.rfind('/'));
}

// Those that the module has (mpi/processes_by_mpi.cpp).
using open_call = kleene::grid* (*)(int size, const rank_options& options, bool on_cpus);
using close_call = void (*)(kleene::grid*);

std::shared_ptr<kleene::grid> open_by_mpi(const std::string& module, const launched& me, const rank_options& options,
                                          bool on_cpus) {
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) throw error(fault_code::device, fmt::format("MPI cannot be opened: {}", dlerror()));
  const auto open = reinterpret_cast<open_call>(dlsym(library, "kleene_open_mpi"));
  const auto close = reinterpret_cast<close_call>(dlsym(library, "kleene_close_mpi"));
  if (!open || !close) throw error(fault_code::device, module + " is of another version of kleene");
  std::shared_ptr<kleene::grid> made(open(me.size, options, on_cpus), close);
  if (!made)
    throw error(fault_code::usage,
                fmt::format("{} has started {} processes, and MPI does not know of them: start them by the mpirun of "
                            "this MPI, or by srun --mpi=pmix",
                            to_string(me.by), me.size));
  return made;
}

}  // namespace

bool is_one_of_several() { return this_launch().size > 1; }
void require_one_process(const char* command) {
  if (const launched me = this_launch(); me.size > 1)
    throw error(fault_code::usage, fmt::format("{} has started {} processes: kleene apsp works with several, kleene {} "
                                               "with one",
                                               to_string(me.by), me.size, command));
}
bool another_says_it() { return are_together && this_launch().rank != 0; }

std::string mpi_module() {
  for (const char* place : {"/kleene_mpi.so", "/" KLEENE_MPI_MODULE})
    if (const std::string path = folder_of_program() + place; access(path.c_str(), R_OK) == 0) return path;
  return {};
}

processes::processes(const shared_flags& shared) {
  const launched me = this_launch();
  is_first_ = me.rank == 0;
  if (devices_of(shared.device).size() > 1)
    throw error(fault_code::usage, fmt::format("--device {} names several devices, and {} has started {} processes: "
                                               "each takes one (--device auto)",
                                               shared.device, to_string(me.by), me.size));
  if (shared.device.starts_with("cuda") && cuda_devices().empty()) (void)context::cuda();  // which says why
  const rank_options options{.each = {.threads = shared.threads, .isa = {}}};
  const std::string module = mpi_module();
  if (!module.empty() && me.by != launcher::torchrun) grid_ = open_by_mpi(module, me, options, shared.device == "cpu");
  else if (shared.device == "cpu" || cuda_devices().empty())
    throw error(fault_code::usage,
                fmt::format("{} has started {} processes without GPUs: they talk by MPI, {}", to_string(me.by), me.size,
                            module.empty() ? "which this build has not" : "and are started by mpirun"));
  else grid_ = std::make_shared<kleene::grid>(kleene::grid::from_environment(options));
  are_together = true;
}

processes::~processes() = default;

void processes::together(const std::function<void()>& work) const {
  grid_->run([&](worker& w) { w.together(work); });
}

}  // namespace kleene::cli
