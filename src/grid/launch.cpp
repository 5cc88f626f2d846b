#include "kleene/grid/ranks/launch.hpp"

#include "kleene/data/error.hpp"

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace kleene {

namespace {

// Where processes meet that nothing tells of a port: the upper end of those that no service is registered for.
constexpr int first_port = 61'440, ports = 4'096;

class reader {
 public:
  explicit reader(const environment& variable) : variable_(variable) {}

  // Empty where it is not set, or to nothing.
  std::string text(const char* name) const {
    const char* const value = variable_(name);
    return value ? value : "";
  }
  bool has(const char* name) const { return !text(name).empty(); }
  // The first that is there.
  const char* first_of(std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (has(name)) return name;
    return nullptr;
  }
  int number(const char* name, int least, int most) const {
    const std::string value = text(name);
    int found = 0;
    const auto [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), found);
    if (wrong != std::errc() || end != value.data() + value.size() || found < least || found > most)
      throw argument_error(std::string(name) + " is '" + value + "', and should be a whole number from " +
                           std::to_string(least) + " to " + std::to_string(most));
    return found;
  }

 private:
  const environment& variable_;
};

struct names {
  launcher by;
  const char *rank, *size;
  std::initializer_list<const char*> local_rank;
};

launched read(const reader& from, const names& of) {
  launched me{.by = of.by, .rendezvous = {}, .job = {}};
  constexpr int most = 1 << 24;
  me.size = from.number(of.size, 1, most);
  me.rank = from.number(of.rank, 0, me.size - 1);
  const char* const local = from.first_of(of.local_rank);
  if (!local)
    throw argument_error(std::string(of.rank) + " and " + of.size + " are set, and " + *of.local_rank.begin() +
                         " is not: which of this machine's processes is this one?");
  me.local_rank = from.number(local, 0, me.size - 1);
  return me;
}

int port_of(std::string_view job) {
  std::uint32_t hash = 2'166'136'261u;  // FNV-1a
  for (const char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619u;
  return first_port + static_cast<int>(hash % ports);
}

// node07 of node[07-09,12], and of node07,other3.
std::string first_host(const std::string& list) {
  const std::size_t open = list.find_first_of("[,");
  if (open == std::string::npos || list[open] == ',') return list.substr(0, open);
  const std::size_t close = list.find(']', open), end = list.find_first_of("-,]", open);
  if (close == std::string::npos) return list.substr(0, open);
  const std::size_t next = list.find(',', close);
  return list.substr(0, open) + list.substr(open + 1, end - open - 1) +
         list.substr(close + 1, next == std::string::npos ? next : next - close - 1);
}

void find_rendezvous(const reader& from, launched& me) {
  const auto meet = [&](const std::string& host) {
    if (!host.empty() && !me.job.empty()) me.rendezvous = host + ":" + std::to_string(port_of(me.job));
  };
  if (me.by == launcher::torchrun) {
    me.job = from.text("TORCHELASTIC_RUN_ID");
    if (from.has("MASTER_ADDR") && from.has("MASTER_PORT"))
      me.rendezvous = from.text("MASTER_ADDR") + ":" + std::to_string(from.number("MASTER_PORT", 1, 65'534) + 1);
  } else if (me.by == launcher::srun) {
    me.job = from.text("SLURM_JOB_ID");
    if (from.has("SLURM_STEP_ID")) me.job += "." + from.text("SLURM_STEP_ID");
    if (const char* list = from.first_of({"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}))
      meet(first_host(from.text(list)));
  } else if (me.by == launcher::mpirun) {
    if (const char* job = from.first_of({"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID"}))
      me.job = from.text(job);
    if (from.text("OMPI_COMM_WORLD_LOCAL_SIZE") == std::to_string(me.size)) meet("127.0.0.1");
  }
  if (from.has("KLEENE_RENDEZVOUS")) me.rendezvous = from.text("KLEENE_RENDEZVOUS");
}

}  // namespace

std::string to_string(launcher by) {
  switch (by) {
    case launcher::mpirun:
      return "mpirun";
    case launcher::srun:
      return "srun";
    case launcher::torchrun:
      return "torchrun";
    default:
      return "no launcher";
  }
}

launched read_launch(const environment& variable) {
  const reader from(variable);
  const char* const slurm_size = from.has("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  const names all[] = {
      {launcher::torchrun, "RANK", "WORLD_SIZE", {"LOCAL_RANK"}},
      {launcher::mpirun, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"OMPI_COMM_WORLD_LOCAL_RANK"}},
      {launcher::mpirun, "PMI_RANK", "PMI_SIZE", {"MPI_LOCALRANKID", "PMI_LOCAL_RANK"}},
      {launcher::srun, "SLURM_PROCID", slurm_size, {"SLURM_LOCALID"}},
  };
  const bool is_srun_with_pmi = from.has("PMI_RANK") && from.text("PMI_RANK") == from.text("SLURM_PROCID") &&
                                !from.first_of({"MPI_LOCALRANKID", "PMI_LOCAL_RANK"});
  for (const names& of : all) {
    if (!from.has(of.rank) || !from.has(of.size)) continue;
    if (is_srun_with_pmi && std::string_view(of.rank) == "PMI_RANK") continue;
    launched me = read(from, of);
    find_rendezvous(from, me);
    return me;
  }
  return {};
}

}  // namespace kleene
