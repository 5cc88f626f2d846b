// What a launcher says of the process that it has started: which of how many, here and on this machine.
//
//   const launched me = read_launch();                        // of this process's environment
//
//   launcher    rank                    size                      local rank
//   torchrun    RANK                    WORLD_SIZE                LOCAL_RANK
//   mpirun      OMPI_COMM_WORLD_RANK    OMPI_COMM_WORLD_SIZE      OMPI_COMM_WORLD_LOCAL_RANK      (Open MPI)
//               PMI_RANK                PMI_SIZE                  MPI_LOCALRANKID, PMI_LOCAL_RANK (MPICH, Intel MPI)
//   srun        SLURM_PROCID            SLURM_STEP_NUM_TASKS,     SLURM_LOCALID
//                                       or else SLURM_NTASKS
//
// Contract
//   order       The first of these whose rank and size are there. (torchrun and mpirun may run in an allocation of
//               Slurm's, and leave its variables to their processes; srun with PMI says the same twice.)
//   none        one process, rank 0
//   errors      argument_error with the variable where one is no number, is out of its range, or is missing beside the
//               others
//   sources     the manuals of Open MPI 4 and 5 (mpirun), Hydra, Slurm (srun, "output environment variables") and
//               torchrun
#pragma once

#include <cstdlib>
#include <functional>
#include <string>

namespace kleene {

enum class launcher : int { none, mpirun, srun, torchrun };
std::string to_string(launcher by);

struct launched {
  launcher by = launcher::none;
  int rank = 0, size = 1;
  int local_rank = 0;  // among the processes of this machine
  // host:port where rank 0 waits for the others if the program has no MPI; empty where nothing says so.
  // KLEENE_RENDEZVOUS, or else: torchrun MASTER_ADDR and the port after MASTER_PORT; srun the first host of
  // SLURM_STEP_NODELIST and a port made of SLURM_JOB_ID; Open MPI this machine, if all ranks are here, and a port made
  // of its job's number.
  std::string rendezvous;
  std::string job;  // the launcher's name for the run, the same for all ranks; may be empty
};

// The value of a variable, or null.
using environment = std::function<const char*(const char* name)>;

launched read_launch(const environment& variable = [](const char* name) { return std::getenv(name); });

}  // namespace kleene
