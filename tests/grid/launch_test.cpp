// The environments of launchers, imitated.
#include "kleene/grid/ranks/launch.hpp"

#include "kleene/data/error.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace kleene::test {
namespace {

using variables = std::map<std::string, std::string>;

launched read(const variables& set) {
  return read_launch([&](const char* name) -> const char* {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  });
}
std::string launch_refusal(const variables& set) {
  try {
    read(set);
  } catch (const argument_error& e) {
    return e.what();
  }
  return "";
}
void expect_launch(const variables& set, launcher by, int rank, int size, int local_rank,
                   const std::string& rendezvous) {
  const launched me = read(set);
  EXPECT_EQ(me.by, by) << to_string(me.by);
  EXPECT_EQ(me.rank, rank);
  EXPECT_EQ(me.size, size);
  EXPECT_EQ(me.local_rank, local_rank);
  EXPECT_EQ(me.rendezvous, rendezvous);
}

variables with(variables set, const variables& more) {
  for (const auto& [name, value] : more) set[name] = value;
  return set;
}

const variables open_mpi{{"OMPI_COMM_WORLD_RANK", "5"},
                         {"OMPI_COMM_WORLD_SIZE", "8"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                         {"OMPI_MCA_ess_base_jobid", "2718"}};
const variables slurm{{"SLURM_PROCID", "6"},         {"SLURM_NTASKS", "16"},  {"SLURM_LOCALID", "2"},
                      {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_JOB_ID", "314"}, {"SLURM_STEP_NODELIST", "gpu[007-008]"}};
const variables torch{{"RANK", "3"},           {"WORLD_SIZE", "4"},      {"LOCAL_RANK", "1"},
                      {"MASTER_ADDR", "head"}, {"MASTER_PORT", "29500"}, {"TORCHELASTIC_RUN_ID", "run-7"}};

TEST(launch, nobody_is_one_process) {
  expect_launch({}, launcher::none, 0, 1, 0, "");
  expect_launch({{"PATH", "/bin"}, {"RANK", "3"}}, launcher::none, 0, 1, 0, "");  // a rank of what?
  expect_launch({{"RANK", ""}, {"WORLD_SIZE", ""}}, launcher::none, 0, 1, 0, "");
}

TEST(launch, mpirun) {
  expect_launch(open_mpi, launcher::mpirun, 5, 8, 1, "");
  expect_launch({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "0"}}, launcher::mpirun, 0, 2, 0, "");
  expect_launch({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"PMI_LOCAL_RANK", "1"}}, launcher::mpirun, 1, 2, 1, "");
}

// Ranks of one machine find each other there, and those of another run do not.
TEST(launch, ranks_of_one_machine_meet_on_it) {
  const variables here = with(open_mpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "5"}});
  const std::string at = read(here).rendezvous;
  EXPECT_TRUE(at.starts_with("127.0.0.1:6")) << at;
  EXPECT_EQ(read(with(here, {{"OMPI_COMM_WORLD_RANK", "0"}})).rendezvous, at);
  EXPECT_NE(read(with(here, {{"OMPI_MCA_ess_base_jobid", "2719"}})).rendezvous, at);
}

TEST(launch, srun) {
  const launched me = read(slurm);
  EXPECT_EQ(me.by, launcher::srun);
  EXPECT_EQ(me.rank, 6);
  EXPECT_EQ(me.size, 8);  // the step's, not the job's
  EXPECT_EQ(me.local_rank, 2);
  EXPECT_EQ(me.job, "314");
  EXPECT_TRUE(me.rendezvous.starts_with("gpu007:6")) << me.rendezvous;
  expect_launch({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}, {"SLURM_LOCALID", "1"}}, launcher::srun, 1, 2, 1, "");
  // with --mpi=pmi2
  EXPECT_EQ(read(with(slurm, {{"PMI_RANK", "6"}, {"PMI_SIZE", "8"}})).by, launcher::srun);
  // MPICH's own mpirun in a job: Slurm's variables are those of the script
  expect_launch(with(slurm, {{"SLURM_PROCID", "0"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "0"}}),
                launcher::mpirun, 0, 4, 0, "");
}

TEST(launch, the_first_host_of_slurms_list) {
  const auto host = [](const std::string& list) {
    const std::string rendezvous = read(with(slurm, {{"SLURM_STEP_NODELIST", list}})).rendezvous;
    return rendezvous.substr(0, rendezvous.find(':'));
  };
  EXPECT_EQ(host("solo"), "solo");
  EXPECT_EQ(host("a,b"), "a");
  EXPECT_EQ(host("n[3,5-9]"), "n3");
  EXPECT_EQ(host("n[03-09],m1"), "n03");
  EXPECT_EQ(host("rack1-n[10]-ib,x"), "rack1-n10-ib");
}

TEST(launch, torchrun) {
  expect_launch(torch, launcher::torchrun, 3, 4, 1, "head:29501");
  // started by srun or in an allocation of mpirun's
  expect_launch(with(with(slurm, torch), open_mpi), launcher::torchrun, 3, 4, 1, "head:29501");
  expect_launch({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"LOCAL_RANK", "0"}}, launcher::torchrun, 0, 1, 0, "");
}

TEST(launch, the_rendezvous_can_be_named) {
  const variables named{{"KLEENE_RENDEZVOUS", "10.0.0.9:7000"}};
  for (const variables& set : {open_mpi, slurm, torch}) EXPECT_EQ(read(with(set, named)).rendezvous, "10.0.0.9:7000");
}

TEST(launch, what_is_malformed_is_refused) {
  EXPECT_EQ(launch_refusal(with(torch, {{"RANK", "4"}})), "RANK is '4', and should be a whole number from 0 to 3");
  EXPECT_EQ(launch_refusal(with(torch, {{"WORLD_SIZE", "four"}})),
            "WORLD_SIZE is 'four', and should be a whole number from 1 to 16777216");
  EXPECT_EQ(launch_refusal(with(torch, {{"LOCAL_RANK", "-1"}})),
            "LOCAL_RANK is '-1', and should be a whole number from 0 to 3");
  EXPECT_EQ(launch_refusal(with(torch, {{"MASTER_PORT", "65535"}})),
            "MASTER_PORT is '65535', and should be a whole number from 1 to 65534");
  EXPECT_EQ(
      launch_refusal({{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}}),
      "SLURM_PROCID and SLURM_NTASKS are set, and SLURM_LOCALID is not: which of this machine's processes is this "
      "one?");
  EXPECT_EQ(launch_refusal(with(open_mpi, {{"OMPI_COMM_WORLD_SIZE", "8 "}})),
            "OMPI_COMM_WORLD_SIZE is '8 ', and should be a whole number from 1 to 16777216");
  EXPECT_EQ(launch_refusal(with(slurm, {{"SLURM_STEP_NUM_TASKS", "0"}})),
            "SLURM_STEP_NUM_TASKS is '0', and should be a whole number from 1 to 16777216");
  EXPECT_EQ(launch_refusal(with(slurm, {{"SLURM_LOCALID", "99999999999999999999"}})),
            "SLURM_LOCALID is '99999999999999999999', and should be a whole number from 0 to 7");
}

}  // namespace
}  // namespace kleene::test
