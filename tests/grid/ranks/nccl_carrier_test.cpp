// Panels by NCCL, where NCCL is a library of ours over host memory (fake_nccl.cpp): who calls what, and how it ends.
#include "grid/nccl_carrier.hpp"

#include "grid/hub.hpp"
#include "kleene/grid/ranks/panels.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
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

class carried final : public thread_communicator {
 public:
  carried(hub& shared, const grid_place& place, nccl_group& group) : thread_communicator(shared, place) {
    worker w(place, context::cpu({.threads = 1}), *this);
    nccl_ = &group.join(w);
  }
  void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) override {
    nccl_->broadcast_on(stream, within, root, data, bytes);
  }

 private:
  nccl_carrier* nccl_;
};

// A grid of threads whose panels lie in host memory.
class carried_grid {
 public:
  carried_grid(int rows, int cols) : shape_{.rows = rows, .cols = cols} {}
  void run(const std::function<void(worker&)>& program) {
    run_workers(
        shape_,
        [&](hub& shared, const grid_place& place) {
          return worker_start{std::make_unique<carried>(shared, place, group), context::cpu({.threads = 1})};
        },
        program);
  }
  nccl_group group;

 private:
  grid_place shape_;
};

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
  for (const auto& [rows, cols] : std::vector<std::pair<int, int>>{{1, 1}, {1, 3}, {3, 1}, {2, 2}, {3, 2}}) {
    carried_grid g(rows, cols);
    const auto program = [](worker& w) {
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
    };
    g.run(program);
    g.run(program);  // with the communicators that were made
    EXPECT_EQ(g.group.trouble(), "");
  }
}

TEST(nccl, what_it_refuses_is_an_error_of_the_grid) {
  carried_grid g(1, 2);
  try {
    g.run([](worker& w) {
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
  carried_grid g(2, 2);
  g.run([&](worker& w) {
    std::promise<std::string> said;
    auto hears = said.get_future();
    const trouble_watch watch([&] { return g.group.trouble(); },
                              [&](const std::string& words) { said.set_value(words); });
    EXPECT_EQ(hears.wait_for(std::chrono::milliseconds(250)), std::future_status::timeout);
    w.comm().barrier();
    char bytes[667] = {};
    w.comm().broadcast_on(nullptr, scope::row, 0, bytes, sizeof bytes);
    EXPECT_EQ(hears.get(), "NCCL: broadcasting panels: remote process exited (connection reset)");
    w.comm().barrier();
  });
}

}  // namespace
}  // namespace kleene::test
