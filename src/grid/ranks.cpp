// Grids of processes that a launcher has started.
#include "data/counted.hpp"
#include "grid/nccl_carrier.hpp"
#include "grid/relay.hpp"
#include "kleene/grid/detail/device_stream.hpp"
#include "kleene/grid/ranks/launch.hpp"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

namespace kleene {

namespace {

// Between processes, by way of rank 0's relay.
class relay_communicator final : public communicator {
 public:
  relay_communicator(const relay_place& at, const grid_place& place)
      : place_(place), relay_(at, [](const std::string& words, int code) {
          if (!words.empty()) std::fprintf(stderr, "kleene: %s\n", words.c_str());
          std::fflush(stderr);
          std::_Exit(code);
        }) {}

  pending begin_broadcast(scope within, int root, void* data, std::size_t bytes) override {
    if (place_.number_in(within) != root)
      return std::make_unique<expected>(relay_, place_.rank_of(within, root), static_cast<int>(within), data, bytes);
    for (int member = 0; member < place_.members_of(within); ++member)
      if (member != root) relay_.send(place_.rank_of(within, member), static_cast<int>(within), data, bytes);
    return std::make_unique<sent>();
  }
  pending begin_send(int to, const void* data, std::size_t bytes) override {
    relay_.send(to, messages, data, bytes);
    return std::make_unique<sent>();
  }
  pending begin_receive(int from, void* data, std::size_t bytes) override {
    return std::make_unique<expected>(relay_, from, messages, data, bytes);
  }
  std::int64_t minimum(std::int64_t mine) override {
    if (place_.rank() != 0) {
      relay_.send(0, numbers, &mine, sizeof mine);
      relay_.receive(0, numbers, &mine, sizeof mine);
      return mine;
    }
    for (int rank = 1; rank < place_.size(); ++rank) {
      std::int64_t other = 0;
      relay_.receive(rank, numbers, &other, sizeof other);
      mine = std::min(mine, other);
    }
    for (int rank = 1; rank < place_.size(); ++rank) relay_.send(rank, numbers, &mine, sizeof mine);
    return mine;
  }

  // Says what this rank threw, and ends all.
  [[noreturn]] void abort() {
    const int code = detail::say_failure(place_);
    relay_.fail(code);
    std::_Exit(code);
  }

 private:
  enum channel : int { messages = 3, numbers };  // beside one for each scope

  struct sent : request {
    void wait() override {}
  };
  class expected : public request {
   public:
    expected(relay& by, int from, int channel, void* to, std::size_t bytes)
        : relay_(by), from_(from), channel_(channel), to_(to), bytes_(bytes) {}
    void wait() override { relay_.receive(from_, channel_, to_, bytes_); }

   private:
    relay& relay_;
    int from_, channel_;
    void* to_;
    std::size_t bytes_;
  };

  grid_place place_;
  relay relay_;
};

struct ranks {
  std::optional<int> device;
  cpu_options each;
  grid_place place;
  std::unique_ptr<relay_communicator> comm;
  std::shared_ptr<void> lanes = detail::keep_lanes();

  kleene::context context() const { return device ? kleene::context::cuda(*device) : kleene::context::cpu(each); }
  void run(const std::function<void(worker&)>& program) const {
    std::optional<detail::device_scope> here;
    if (device) here.emplace(*device);
    worker self(place, context(), *comm);
    try {
      program(self);
    } catch (...) {
      if (self.agreed() && std::current_exception() == self.agreed()) throw;  // all ranks throw it
      comm->abort();
    }
  }
};

void require_way(const launched& me, const rank_options& options) {
  const std::string those = detail::counted(me.size, "rank", "ranks") + " of " + to_string(me.by);
  if (cuda_devices().empty() && !options.cpus_without_mpi)
    throw argument_error(those +
                         " without a CUDA device: ranks on CPUs talk by MPI; include kleene/grid/mpi.hpp and "
                         "call grid::from_environment(MPI_COMM_WORLD)");
  if (options.panels == transport::peer_copies)
    throw argument_error(those + " are processes, and peer copies are for the threads of one");
  if (me.rendezvous.empty())
    throw argument_error(those +
                         ", and nothing says where they meet: KLEENE_RENDEZVOUS=host:port does, of a port that is "
                         "free where rank 0 runs; programs with MPI give grid::from_environment() its "
                         "communicator");
}

}  // namespace

namespace detail {
int device_of_rank(int local_rank) {
  const std::vector<cuda_device>& devices = cuda_devices();
  if (devices.empty()) throw error(fault_code::device, "no CUDA device for a rank of the grid");
  return devices[static_cast<std::size_t>(local_rank) % devices.size()].ordinal;
}
}  // namespace detail

grid grid::from_environment(const rank_options& options) {
  const launched me = read_launch();
  if (me.by == launcher::none || me.size == 1) {
    detail::grid_shape(1, options.rows, options.cols, {"process", "processes"});
    if (cuda_devices().empty()) return threads(1, 1, options.each);
    return cuda({cuda_devices().front().ordinal});
  }
  require_way(me, options);
  const auto made = std::make_shared<ranks>();
  made->place = detail::grid_shape(me.size, options.rows, options.cols, {"rank", "ranks"});
  made->place.row = me.rank / made->place.cols, made->place.col = me.rank % made->place.cols;
  made->each = options.each;
  made->comm = std::make_unique<relay_communicator>(
      relay_place{me.rank, me.size, me.rendezvous, me.job, options.patience}, made->place);
  worker w(made->place, kleene::context::cpu({.threads = 1}), *made->comm);
  if (!options.cpus_without_mpi) {
    std::optional<detail::device_scope> here;
    w.together([&] { here.emplace(made->device.emplace(detail::device_of_rank(me.local_rank))); });
    if (options.panels == transport::host)
      made->comm->carry_panels_by(detail::make_host_carrier(*made->comm, made->place));
    else made->comm->carry_panels_by(detail::make_nccl_carrier(w));
  }
  return grid(made->place.rows, made->place.cols,
              [made](const std::function<void(worker&)>& program) { made->run(program); });
}

}  // namespace kleene
