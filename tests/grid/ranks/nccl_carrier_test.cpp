// Panels by NCCL, where NCCL is a library of ours over host memory (fake_nccl.cpp): who calls what, and how it ends.
#include "grid/nccl_carrier.hpp"

#include "grid/hub.hpp"
#include "kleene/grid/ranks/panels.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <string>
#include <vector>

namespace kleene::test {
namespace {

const int is_set = setenv("KLEENE_NCCL_LIBRARY", KLEENE_FAKE_NCCL, 1);  // before anybody asks

std::string nccl_refusal(const std::string& path) {
  try {
    nccl::library opened(path);
  } catch (const error& e) {
    EXPECT_EQ(e.code(), fault_code::device);
    return e.what();
  }
  return "";
}

// A worker of a grid of threads whose panels lie in host memory.
class carried final : public thread_communicator {
 public:
  carried(hub& shared, const grid_place& place, nccl_group& group) : thread_communicator(shared, place) {
    worker w(place, context::cpu({.threads = 1}), *this);
    carry_panels_by(make_nccl_carrier(w, group));
  }
};
void run_carried(int rows, int cols, const std::function<void(worker&, nccl_group&)>& program) {
  nccl_group group;
  run_workers(
      {.rows = rows, .cols = cols},
      [&](hub& shared, const grid_place& place) {
        return worker_start{std::make_unique<carried>(shared, place, group), context::cpu({.threads = 1})};
      },
      [&](worker& w) { program(w, group); });
}

TEST(nccl, is_found_by_name) {
  EXPECT_EQ(is_set, 0);
  EXPECT_TRUE(has_nccl());
  EXPECT_EQ(describe_nccl(), std::string("2.21.5 (") + KLEENE_FAKE_NCCL + ")");
  EXPECT_STREQ(std::getenv("NCCL_NVLS_ENABLE"), "0");
}

TEST(nccl, what_is_missing_is_said) {
  const std::string none = nccl_refusal("/nowhere/libnccl.so.2");
  EXPECT_TRUE(
      none.starts_with("NCCL cannot be opened (KLEENE_NCCL_LIBRARY names another file): /nowhere/libnccl.so.2: "
                       "cannot open shared object file"))
      << none;
  EXPECT_EQ(nccl_refusal(KLEENE_OLD_NCCL),
            std::string("NCCL: ") + KLEENE_OLD_NCCL + " is version 2.17.1; 2.18 or newer is needed");
  EXPECT_EQ(nccl_refusal("libm.so.6"), "NCCL: libm.so.6 has no ncclGetVersion: NCCL 2.18 or newer is needed");
}

TEST(nccl, panels_come_from_the_root) {
  for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{{1, 1}, {1, 3}, {3, 1}, {2, 2}, {3, 2}})
    run_carried(rows, cols, [](worker& w, nccl_group& group) {
      for (int root = 0; root < w.cols(); ++root) {
        std::vector<int> data(1000, w.rank());
        w.comm().broadcast_on(nullptr, scope::row, root, data.data(), 4000);
        EXPECT_EQ(data, std::vector<int>(1000, w.row() * w.cols() + root));
      }
      for (int root = 0; root < w.rows(); ++root) {
        std::vector<int> data(1000, w.rank());
        w.comm().broadcast_on(nullptr, scope::column, root, data.data(), 4000);
        EXPECT_EQ(data, std::vector<int>(1000, root * w.cols() + w.col()));
      }
      for (int root = 0; root < w.size(); ++root) {
        int value = w.rank();
        w.comm().broadcast_on(nullptr, scope::all, root, &value, sizeof value);
        EXPECT_EQ(value, root);
        w.comm().broadcast_on(nullptr, scope::all, root, nullptr, 0);
      }
      EXPECT_EQ(group.trouble(), "");
    });
}

TEST(nccl, what_it_refuses_is_an_error_of_the_grid) {
  try {
    run_carried(1, 2, [](worker& w, nccl_group&) {
      char bytes[666] = {};
      if (w.rank() == 1) w.comm().broadcast_on(nullptr, scope::row, 0, bytes, sizeof bytes);
      w.comm().barrier();
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), fault_code::device);
    EXPECT_STREQ(e.what(), "NCCL: broadcasting a panel: remote process exited (connection reset)");
  }
}

TEST(nccl, what_it_finds_later_is_noticed) {
  run_carried(2, 2, [](worker& w, nccl_group& group) {
    std::promise<std::string> said;
    auto hears = said.get_future();
    const trouble_watch watch([&] { return group.trouble(); },
                              [&](const std::string& words) { said.set_value(words); });
    EXPECT_EQ(hears.wait_for(std::chrono::milliseconds(250)), std::future_status::timeout);
    w.comm().barrier();
    char bytes[667] = {};
    w.comm().broadcast_on(nullptr, scope::row, 0, bytes, sizeof bytes);
    EXPECT_EQ(hears.get(), "NCCL: broadcasting panels: remote process exited (connection reset)");
    w.comm().barrier();
  });
}

// The others are in broadcasts that would wait for it for ever, of whichever line, or come to them later.
TEST(nccl, a_worker_that_throws_ends_broadcasts) {
  struct own_exception {
    int number;
  };
  for (int way = 0; way < 3; ++way) {
    try {
      run_carried(2, 2, [&](worker& w, nccl_group&) {
        std::vector<int> data(100);
        for (const scope within : {scope::row, scope::column, scope::all})
          w.comm().broadcast_on(nullptr, within, 0, data.data(), 400);
        if (w.rank() == 3) throw own_exception{way};
        if (way == 2) w.comm().barrier();
        w.comm().broadcast_on(nullptr, way == 0 ? scope::all : scope::row, 0, data.data(), 400);
        w.comm().broadcast_on(nullptr, scope::all, 0, data.data(), 400);
        ADD_FAILURE() << "worker " << w.rank() << " went on";
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const own_exception& e) {
      EXPECT_EQ(e.number, way);
    }
  }
}

}  // namespace
}  // namespace kleene::test
