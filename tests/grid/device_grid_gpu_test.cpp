// Grids of devices: shapes, what is refused, what travels, and how they end.
#include "grid/device_grids.hpp"
#include "support/device.hpp"

#include <numeric>
#include <stdexcept>

namespace kleene::test {
namespace {

template <class Call>
std::string device_grid_refusal(const Call& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEST(device_grid, is_as_square_as_can_be) {
  KLEENE_NEEDS_GPU();
  const auto shape = [](int workers) {
    const grid g = grid::cuda(std::vector<int>(static_cast<std::size_t>(workers), 0));
    return std::pair(g.rows(), g.cols());
  };
  EXPECT_EQ(shape(1), std::pair(1, 1));
  EXPECT_EQ(shape(2), std::pair(1, 2));
  EXPECT_EQ(shape(3), std::pair(1, 3));
  EXPECT_EQ(shape(4), std::pair(2, 2));
  EXPECT_EQ(shape(6), std::pair(2, 3));
  EXPECT_EQ(grid::cuda({0, 0, 0, 0}, 4).cols(), 1);
}

TEST(device_grid, what_is_not_there_is_refused) {
  KLEENE_NEEDS_GPU();
  EXPECT_THROW(grid::cuda({}), argument_error);
  EXPECT_THROW(grid::cuda({0, 0}, -1, -2), argument_error);
  EXPECT_EQ(device_grid_refusal([] { grid::cuda({0, 0, 0}, 2, 2); }), "a grid of 2 x 2 workers on 3 CUDA devices");
  EXPECT_EQ(device_grid_refusal([] { grid::cuda({0, 77}); }), "no CUDA device 77");
  if (has_nccl()) {
    EXPECT_EQ(device_grid_refusal([] { grid::cuda({0, 0}, 1, 2, transport::nccl); }),
              "NCCL needs a device for each worker, and device 0 is named several times");
  }
  const grid g = grid::threads(1, 2);
  EXPECT_THROW(g.run([](worker& w) {
    int nothing = 0;
    w.comm().broadcast_on(nullptr, scope::all, 0, &nothing, sizeof nothing);
  }),
               error);
}

TEST(device_grid, a_failure_says_on_which_device) {
  KLEENE_NEEDS_GPU();
  const std::string said = device_grid_refusal([] {
    grid::cuda({0, 0}).run([](worker& w) {
      if (w.rank() == 1) throw error(fault_code::device, "it has melted");
      w.comm().barrier();
    });
  });
  EXPECT_EQ(said, "worker (0, 1) of the grid, on cuda (0: " + cuda_devices()[0].name + "): it has melted");
}

// From each root in each scope, in the order of a stream whose earlier work makes what travels.
TEST(device_grid, what_travels_comes_from_the_root) {
  KLEENE_NEEDS_GPU();
  on_every_device_grid([](worker& w) {
    const context& ctx = w.context();
    const index_t size = 100'003;
    device_matrix<std::int32_t> data(ctx, 1, size), kept(ctx, 1, size);
    for (const scope within : {scope::row, scope::column, scope::all}) {
      const int members = within == scope::row ? w.cols() : within == scope::column ? w.rows() : w.size();
      const int me = within == scope::row ? w.col() : within == scope::column ? w.row() : w.rank();
      for (int round = 0; round < 3; ++round)
        for (int root = 0; root < members; ++root) {
          matrix<std::int32_t> mine(1, size, 1000 * round + w.rank());
          copy(ctx, mine, data);
          w.comm().broadcast_on(ctx.stream(), within, root, data.data(), static_cast<std::size_t>(size) * 4);
          copy(ctx, data, kept);  // what others wrote over too early would show
          const auto got = to_host(ctx, kept);
          const int from = w.rank() + (root - me) * (within == scope::column ? w.cols() : 1);
          ASSERT_EQ(got(0, 0), 1000 * round + from);
          ASSERT_EQ(got(0, size - 1), 1000 * round + from);
        }
    }
  });
}

TEST(device_grid, shares_go_to_devices_and_back) {
  KLEENE_NEEDS_GPU();
  on_every_device_grid([](worker& w) {
    matrix<double> whole(50, 33);
    std::iota(whole.data(), whole.data() + whole.size(), 0.5);
    const auto a = spread(w, {50, 33, 7, 5, w.rows() - 1, 0}, whole);
    EXPECT_EQ(a.local().rows(), a.row_axis().numroc(w.row()));
    const matrix<double> back = to_host(a).gather();
    if (w.rank() == 0) {
      EXPECT_TRUE(same_bits(back, whole));
    }
  });
}

// The others' waits end, those for what is on a stream too, and the grid can be used again.
TEST(device_grid, a_worker_that_throws_ends_all) {
  KLEENE_NEEDS_GPU();
  for (const auto& [name, g] : every_device_grid()) {
    SCOPED_TRACE(name);
    if (g.size() > 1 && name.ends_with("NCCL")) continue;  // ends the process: device_grids_of_processes.cpp
    for (int who = 0; who < g.size(); ++who)
      EXPECT_THROW(g.run([&](worker& w) {
        device_matrix<float> data(w.context(), 100, 100);
        for (int round = 0; round < 5; ++round) {
          if (w.rank() == who && round == 2) throw std::runtime_error("enough");
          w.comm().broadcast_on(w.context().stream(), scope::row, round % w.cols(), data.data(), 40'000);
          w.comm().broadcast_on(w.context().stream(), scope::column, round % w.rows(), data.data(), 40'000);
          if (round > 2) w.context().synchronise();
        }
        w.comm().barrier();
      }),
                   std::runtime_error);
    g.run([](worker& w) { EXPECT_EQ(w.comm().minimum(w.rank()), 0); });
  }
}

}  // namespace
}  // namespace kleene::test
