// NCCL, opened when it is first asked for: no program links it or is compiled against it.
//
//   library     KLEENE_NCCL_LIBRARY, or libnccl.so.2 where the loader finds it
//   version     2.18 and later (ncclCommSplit); error(device) says what is wrong with another
//   multicast   NCCL_NVLS_ENABLE=0 is set where it says nothing: NVLink multicast takes memory of every device that its
//               fabric may have none of, and gives broadcasts nothing
//   connections are made with a communicator (NCCL_RUNTIME_CONNECT=0, where it says nothing), not by its first
//               broadcast, which would wait for the other workers on the host
//   source      the functions and numbers of nccl.h, which are the same since 2.18 ("NCCL user guide", API reference)
#pragma once

#include "kleene/data/device.hpp"

#include <cstddef>
#include <string>

struct ncclComm;

namespace kleene::nccl {

using comm = ncclComm*;
struct unique_id {
  char bytes[128];
};

enum result : int { success = 0, in_progress = 7 };
enum data_type : int { int8 = 0 };

class library {
 public:
  explicit library(const std::string& path);
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  const std::string& path() const { return path_; }
  // "2.21.5"
  std::string version() const;
  // error(device) with what was being done and NCCL's words, where it was not done.
  void require(int came, const char* what, comm of = nullptr) const;

  int (*get_unique_id)(unique_id*);
  int (*comm_init_rank)(comm*, int ranks, unique_id, int rank);
  int (*comm_split)(comm, int color, int key, comm*, void* config);
  int (*comm_destroy)(comm);
  int (*comm_abort)(comm);
  int (*comm_get_async_error)(comm, int*);
  int (*broadcast)(const void* from, void* to, std::size_t count, int type, int root, comm, cuda_stream);

 private:
  std::string path_;
  int version_ = 0;
  int (*get_version_)(int*);
  const char* (*get_error_string_)(int);
  const char* (*get_last_error_)(comm);
};

// The process's. error(device) where there is none that serves.
const library& open();

}  // namespace kleene::nccl
