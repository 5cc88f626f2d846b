// Matrices that are spread over a grid: filled, scattered, gathered, and in files.
#include "kleene/grid/distributed_matrix.hpp"

#include "grid/grids.hpp"
#include "kleene/grid/npy.hpp"
#include "kleene/io/npy.hpp"

#include <filesystem>

namespace kleene::test {
namespace {

double value_at(index_t i, index_t j) { return 1000.0 * double(i) + double(j); }

// visit(distribution) for shapes that do and do not fill their blocks, on any grid.
template <class Visit>
void for_each_layout(const worker& w, const Visit& visit) {
  struct extents {
    index_t m, n, mb, nb;
  };
  for (const auto& [m, n, mb, nb] : {extents{9, 9, 2, 2},
                                     {13, 7, 3, 5},
                                     {1, 1, 4, 4},
                                     {0, 5, 2, 2},
                                     {5, 0, 2, 2},
                                     {64, 48, 16, 16},
                                     {10, 11, 100, 1}})
    for (const bool last : {false, true})
      visit(distribution{m, n, mb, nb, last ? w.rows() - 1 : 0, last ? w.cols() - 1 : 0});
}

TEST(distributed_matrix, is_filled_by_a_function_and_gathered) {
  on_every_grid([](worker& w) {
    for_each_layout(w, [&](const distribution& d) {
      SCOPED_TRACE(to_string(d));
      distributed_matrix<double> a(w, d);
      a.fill(value_at);
      for (int root : {0, w.size() - 1}) {
        const matrix<double> whole = a.gather(root);
        if (w.rank() != root) {
          EXPECT_EQ(whole.size(), 0);
          continue;
        }
        ASSERT_EQ(whole.rows(), d.m);
        ASSERT_EQ(whole.cols(), d.n);
        for (index_t i = 0; i < d.m; ++i)
          for (index_t j = 0; j < d.n; ++j) ASSERT_EQ(whole(i, j), value_at(i, j)) << i << ", " << j;
      }
    });
  });
}

TEST(distributed_matrix, is_scattered_from_any_strides) {
  on_every_grid([](worker& w) {
    for_each_layout(w, [&](const distribution& d) {
      SCOPED_TRACE(to_string(d));
      matrix<double> columns(d.n, d.m);
      for (index_t i = 0; i < d.m; ++i)
        for (index_t j = 0; j < d.n; ++j) columns(j, i) = value_at(i, j);
      const int root = w.size() / 2;
      distributed_matrix<double> a(w, d);
      if (w.rank() == root) a.scatter(columns.view().transposed(), root);
      else a.scatter({}, root);
      for (index_t i = 0; i < a.local().rows(); ++i)
        for (index_t j = 0; j < a.local().cols(); ++j)
          ASSERT_EQ(a.local()(i, j), value_at(a.global_row(i), a.global_col(j)));
    });
  });
}

TEST(distributed_matrix, shares_are_as_large_as_numroc_says) {
  on_every_grid([](worker& w) {
    distributed_matrix<float> a(w, {.m = 9, .n = 9, .mb = 2, .nb = 2});
    index_t rows = 0, cols = 0;  // by hand
    for (index_t i = 0; i < 9; ++i) rows += i / 2 % w.rows() == w.row();
    for (index_t j = 0; j < 9; ++j) cols += j / 2 % w.cols() == w.col();
    EXPECT_EQ(a.local().rows(), rows);
    EXPECT_EQ(a.local().cols(), cols);
  });
}

TEST(distributed_matrix, refuses_what_cannot_be) {
  on_every_grid([](worker& w) {
    const auto make = [&](const distribution& d) { distributed_matrix<float> a(w, d); };
    EXPECT_THROW(make({.m = -1, .n = 2, .mb = 1, .nb = 1}), shape_error);
    EXPECT_THROW(make({.m = 2, .n = 2, .mb = 0, .nb = 1}), argument_error);
    EXPECT_THROW(make({.m = 2, .n = 2, .mb = 1, .nb = 1, .rsrc = w.rows()}), argument_error);
    EXPECT_THROW(make({.m = 2, .n = 2, .mb = 1, .nb = 1, .csrc = -1}), argument_error);
    distributed_matrix<float> a(w, {.m = 2, .n = 3, .mb = 1, .nb = 1});
    EXPECT_THROW(a.scatter(matrix<float>(3, 2).view()), shape_error);
    EXPECT_THROW((void)a.gather(w.size()), argument_error);
  });
}

TEST(distributed_matrix, no_memory_is_an_error_of_all) {
  on_every_grid([](worker& w) {
    try {
      distributed_matrix<double> a(w, {.m = index_t{1} << 29, .n = index_t{1} << 29, .mb = 64, .nb = 64});
      ADD_FAILURE() << "there was memory";
    } catch (const error& e) {
      EXPECT_EQ(e.code(), fault_code::memory);
    }
  });
}

template <class T>
void expect_round_trip(const std::string& name) {
  const std::string path = temporary_name(name + ".npy");
  on_every_grid([&](worker& w) {
    for_each_layout(w, [&](const distribution& d) {
      SCOPED_TRACE(name + " " + to_string(d));
      const auto value = [](index_t i, index_t j) { return static_cast<T>(i * 3 % 7 + j % 2); };
      distributed_matrix<T> a(w, d);
      a.fill(value);
      write_npy(path, a);
      if (w.rank() == 0) {  // by the reader that is not a grid's
        const matrix<T> whole = io::read_npy<T>(path);
        ASSERT_EQ(whole.rows(), d.m);
        ASSERT_EQ(whole.cols(), d.n);
        for (index_t i = 0; i < d.m; ++i)
          for (index_t j = 0; j < d.n; ++j) ASSERT_EQ(whole(i, j), value(i, j));
        EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
      }
      const auto b = read_npy<T>(w, path, {.mb = 3, .nb = 2, .rsrc = w.rows() - 1});
      EXPECT_EQ(b.layout(), (distribution{d.m, d.n, 3, 2, w.rows() - 1, 0}));
      for (index_t i = 0; i < b.local().rows(); ++i)
        for (index_t j = 0; j < b.local().cols(); ++j)
          ASSERT_EQ(b.local()(i, j), value(b.global_row(i), b.global_col(j)));
      w.comm().barrier();
    });
  });
  if (is_first_process()) std::filesystem::remove(path);
}
TEST(grid_npy, comes_back_as_it_was) {
  expect_round_trip<float>("f32");
  expect_round_trip<double>("f64");
  expect_round_trip<std::int32_t>("i32");
  expect_round_trip<std::int64_t>("i64");
  expect_round_trip<bool>("bool");
}

// The error of all workers, which names the file.
template <class Call>
void expect_refused(const Call& call, const std::string& path) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), fault_code::bad_input);
    EXPECT_NE(std::string(e.what()).find(path), std::string::npos) << e.what();
  }
}

TEST(grid_npy, refuses_what_it_cannot_read_or_write) {
  const std::string path = temporary_name("bad.npy");
  on_every_grid([&](worker& w) {
    const auto write = [&](const auto& values, std::uintmax_t cut) {
      w.comm().barrier();
      if (w.rank() == 0) {
        io::write_npy(path, values);
        std::filesystem::resize_file(path, std::filesystem::file_size(path) - cut);
      }
      w.comm().barrier();
    };
    const distribution d{.mb = 2, .nb = 2};
    const matrix<float> values(5, 6, 1.5f);
    write(values, 0);
    EXPECT_EQ(read_npy<float>(w, path, d).layout().n, 6);
    expect_refused([&] { read_npy<double>(w, path, d); }, path);
    write(values, 1);
    expect_refused([&] { read_npy<float>(w, path, d); }, path);
    write(values.view().transposed(), 0);  // in columns
    expect_refused([&] { read_npy<float>(w, path, d); }, path);
    expect_refused([&] { read_npy<float>(w, path + ".absent", d); }, path);
    const std::string nowhere = path + ".absent/a.npy";
    const distributed_matrix<float> a(w, {.m = 2, .n = 2, .mb = 1, .nb = 1});
    expect_refused([&] { write_npy(nowhere, a); }, nowhere);
    w.comm().barrier();
  });
  if (is_first_process()) std::filesystem::remove(path);
}

}  // namespace
}  // namespace kleene::test
