// What workers say to each other, and how errors and failures end a program.
#include "kleene/grid/grid.hpp"

#include "grid/grids.hpp"

#include <atomic>
#include <limits>
#include <new>

namespace kleene::test {
namespace {

TEST(grid, workers_know_their_places) {
  on_every_grid([](worker& w) {
    EXPECT_EQ(w.rank(), w.row() * w.cols() + w.col());
    EXPECT_EQ(w.size(), w.rows() * w.cols());
    EXPECT_LT(w.rank(), w.size());
    EXPECT_EQ(w.context().kind(), device_kind::cpu);
    EXPECT_EQ(w.comm().minimum(10 - w.rank()), 11 - w.size());
    EXPECT_EQ(w.comm().minimum(w.rank() == 0 ? std::numeric_limits<std::int64_t>::min() : 5),
              std::numeric_limits<std::int64_t>::min());
  });
}

TEST(grid, broadcasts_reach_their_scope_alone) {
  on_every_grid([](worker& w) {
    for (int root = 0; root < w.cols(); ++root) {
      int value = 100 * w.row() + w.col();
      w.comm().broadcast(scope::row, root, &value, sizeof value);
      EXPECT_EQ(value, 100 * w.row() + root);
    }
    for (int root = 0; root < w.rows(); ++root) {
      int value = 100 * w.row() + w.col();
      w.comm().broadcast(scope::column, root, &value, sizeof value);
      EXPECT_EQ(value, 100 * root + w.col());
    }
    for (int root = 0; root < w.size(); ++root) {
      int value = w.rank();
      w.comm().broadcast(scope::all, root, &value, sizeof value);
      EXPECT_EQ(value, root);
    }
  });
}

TEST(grid, messages_arrive_in_order_and_nothing_is_a_message) {
  on_every_grid([](worker& w) {
    const int to = (w.rank() + 1) % w.size(), from = (w.rank() + w.size() - 1) % w.size();
    const int first = 2 * w.rank(), second = 2 * w.rank() + 1;
    int got[2] = {-1, -1};
    pending begun[] = {w.comm().begin_send(to, &first, sizeof first),
                       w.comm().begin_send(to, &second, sizeof second),
                       w.comm().begin_send(to, nullptr, 0),
                       w.comm().begin_receive(from, &got[0], sizeof(int)),
                       w.comm().begin_receive(from, &got[1], sizeof(int)),
                       w.comm().begin_receive(from, nullptr, 0)};
    for (const int at : {3, 4, 5, 0, 1, 2}) begun[at]->wait();
    EXPECT_EQ(got[0], 2 * from);
    EXPECT_EQ(got[1], 2 * from + 1);
  });
}

TEST(grid, several_broadcasts_are_under_way_at_once) {
  on_every_grid([](worker& w) {
    std::vector<int> values(1000, w.col()), others(1000, w.row());
    for (int round = 0; round < 50; ++round) {
      const int col = round % w.cols(), row = round % w.rows();
      if (w.col() == col) values.assign(1000, 1000 + round);
      if (w.row() == row) others.assign(1000, 2000 + round);
      const pending a = w.comm().begin_broadcast(scope::row, col, values.data(), 4000);
      const pending b = w.comm().begin_broadcast(scope::column, row, others.data(), 4000);
      a->wait();
      b->wait();
      ASSERT_EQ(values, std::vector<int>(1000, 1000 + round));
      ASSERT_EQ(others, std::vector<int>(1000, 2000 + round));
    }
  });
}

// The error of the lowest rank arrives everywhere with its kind, its code and its words, and the grid goes on.
template <class Error>
void expect_of_all(const Error& thrown, const std::string& words) {
  on_every_grid([&](worker& w) {
    try {
      w.together([&] {
        if (w.rank() == w.size() - 1) throw thrown;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& e) {
      EXPECT_EQ(typeid(e), typeid(Error));
      EXPECT_EQ(e.what(), words);
      EXPECT_EQ(e.code(), thrown.code());
    }
    w.together([] {});
    EXPECT_EQ(w.comm().minimum(7), 7);
  });
}
TEST(grid, errors_are_thrown_by_all) {
  expect_of_all(error(fault_code::device, "no such device"), "no such device");
  expect_of_all(argument_error("a block of -1"), "a block of -1");
  expect_of_all(shape_error("2 x 3"), "2 x 3");
  expect_of_all(value_error("A(1, 2) is NaN"), "A(1, 2) is NaN");
}

TEST(grid, no_memory_on_one_worker_is_an_error_of_all) {
  on_every_grid([&](worker& w) {
    try {
      w.together([&] {
        if (w.rank() == 0) throw std::bad_alloc();
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const error& e) {
      EXPECT_EQ(e.code(), fault_code::memory);
    }
  });
}

TEST(grid, what_all_throw_is_thrown_by_run_and_the_grid_stays_good) {
  for (const grid_shape s : shapes()) {
    const grid g = make_grid(s);
    const auto fail = [](worker& w) {
      w.together([&] {
        if (w.rank() == 0) throw value_error("worker 0's");
      });
    };
    try {
      g.run(fail);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const value_error& e) {
      EXPECT_STREQ(e.what(), "worker 0's");
    }
    g.run([](worker& w) { EXPECT_EQ(w.comm().minimum(w.rank()), 0); });
  }
}

TEST(grid, refuses_grids_that_cannot_be) {
  EXPECT_THROW(grid::threads(0, 1), argument_error);
  EXPECT_THROW(grid::threads(1, -1), argument_error);
  EXPECT_THROW(grid::threads(4096, 2), argument_error);
  EXPECT_THROW(grid::threads(1, 1, {.threads = -1}), argument_error);
}

}  // namespace
}  // namespace kleene::test
