// A library with NCCL's functions, over the memory of the threads of one process, for tests of who calls what.
//
//   FAKE_NCCL_VERSION    what ncclGetVersion says; below 2.18 there is no ncclCommSplit
//   broadcasts           copy at once, and wait for all members of the communicator (streams are not looked at)
//   of 666 bytes         fail with ncclRemoteError
//   of 667 bytes         succeed, and leave that for ncclCommGetAsyncError
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr int success = 0, internal_error = 3, invalid_usage = 5, remote_error = 6;

std::mutex mutex;
std::condition_variable changed;

// What the members of a communicator share.
struct meeting {
  explicit meeting(int n) : members(n) {}
  int members, arrived = 0, left = 0;
  long round = 0;
  const void* from = nullptr;
  std::map<int, int> colors, keys;  // of a split, by rank
  std::map<std::pair<long, int>, std::shared_ptr<meeting>> made;
};

std::map<std::string, std::shared_ptr<meeting>> meetings;
int next_id = 0;

}  // namespace

struct ncclComm {
  std::shared_ptr<meeting> all;
  int rank = 0;
  bool is_aborted = false;
  int async = success;
};
struct unique_id {
  char bytes[128];
};

namespace {

// Waits until all members are here; one more of them, the last, ends the round. Whether they came.
template <class Last>
bool gather(std::unique_lock<std::mutex>& lock, ncclComm& comm, const Last& last) {
  meeting& at = *comm.all;
  const long round = at.round;
  if (++at.arrived == at.members) {
    last();
    at.arrived = 0, ++at.round;
    changed.notify_all();
    return true;
  }
  changed.wait(lock, [&] { return comm.is_aborted || at.round != round; });
  return at.round != round;
}

}  // namespace

extern "C" {

int ncclGetVersion(int* version) {
  *version = FAKE_NCCL_VERSION;
  return success;
}
const char* ncclGetErrorString(int result) { return result == remote_error ? "remote process exited" : "no such luck"; }
const char* ncclGetLastError(ncclComm*) { return "connection reset"; }
int ncclGetUniqueId(unique_id* id) {
  const std::lock_guard lock(mutex);
  std::memset(id->bytes, 0, sizeof id->bytes);
  const std::string name = "fake-" + std::to_string(++next_id);
  std::copy(name.begin(), name.end(), id->bytes);
  return success;
}
int ncclCommInitRank(ncclComm** comm, int ranks, unique_id id, int rank) {
  std::unique_lock lock(mutex);
  auto& all = meetings[id.bytes];
  if (!all) all = std::make_shared<meeting>(ranks);
  if (all->members != ranks || rank < 0 || rank >= ranks) return invalid_usage;
  *comm = new ncclComm{all, rank};
  return gather(lock, **comm, [] {}) ? success : internal_error;
}
#if FAKE_NCCL_VERSION >= 21800
int ncclCommSplit(ncclComm* comm, int color, int key, ncclComm** made, void*) {
  std::unique_lock lock(mutex);
  meeting& at = *comm->all;
  at.colors[comm->rank] = color, at.keys[comm->rank] = key;
  const long round = at.round;
  const bool came = gather(lock, *comm, [&] {
    std::map<int, int> sizes;
    for (const auto& [rank, its] : at.colors) ++sizes[its];
    for (const auto& [its, size] : sizes) at.made[{round, its}] = std::make_shared<meeting>(size);
  });
  if (!came) return internal_error;
  *made = new ncclComm{at.made.at({round, color}), key};
  return success;
}
#endif
int ncclCommDestroy(ncclComm* comm) {
  delete comm;
  return success;
}
// What is aborted is not freed: a thread may be in a broadcast of it, and finds out.
int ncclCommAbort(ncclComm* comm) {
  const std::lock_guard lock(mutex);
  comm->is_aborted = true;
  changed.notify_all();
  return success;
}
int ncclCommGetAsyncError(ncclComm* comm, int* found) {
  const std::lock_guard lock(mutex);
  *found = comm->async;
  return success;
}
int ncclBroadcast(const void* from, void* to, std::size_t count, int, int root, ncclComm* comm, void*) {
  std::unique_lock lock(mutex);
  if (count == 666) return remote_error;
  if (count == 667) comm->async = remote_error;
  if (comm->rank == root) comm->all->from = from;
  if (!gather(lock, *comm, [] {})) return internal_error;
  if (comm->rank != root) std::memcpy(to, comm->all->from, count);
  return gather(lock, *comm, [] {}) ? success : internal_error;  // the root's memory may be written again
}

}  // extern "C"
