// The rows of a worker's share, in host memory as the caller sees them: written one by one, or read. Those on a device
// go by in strips, so that the host has no second copy of the share.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/grid/detail/device_stream.hpp"
#include "kleene/grid/distributed_device_matrix.hpp"

#include <algorithm>

namespace kleene::detail {

// The threads of a worker on the host: those of its context, or its part of the machine's where that is a device.
inline int host_threads(const worker& w) {
  if (w.context().kind() == device_kind::cpu) return w.context().threads();
  return std::max(1, default_threads() / w.size());
}

// work(i) for each row; it must not throw.
template <class Work>
void for_each_host_row(const worker& w, index_t rows, index_t cols, const Work& work) {
  task_queue tasks;
  run_tasks(threads_for(double(rows) * double(cols), elements_per_thread, host_threads(w)), [&](const team_member&) {
    for (index_t i; (i = tasks.next()) < rows;) work(i);
  });
}

// write(row of the whole matrix, where its elements of this share go), by several threads.
template <class T, class Write>
void write_rows(distributed_matrix<T>& a, const Write& write) {
  const matrix_view<T> local = a.local();
  if (local.empty()) return;
  for_each_host_row(a.at(), local.rows(), local.cols(),
                    [&](index_t i) { write(a.global_row(i), local.data() + i * local.cols()); });
}
// read(row of the whole matrix, its elements of this share), by several threads.
template <class T, class Read>
void read_rows(const distributed_matrix<T>& a, const Read& read) {
  const matrix_view<const T> local = a.local();
  if (local.empty()) return;
  for_each_host_row(a.at(), local.rows(), local.cols(),
                    [&](index_t i) { read(a.global_row(i), local.data() + i * local.cols()); });
}

// Rows of a share, in pinned memory: as many as 16 MB hold.
template <class T>
class pinned_strip {
 public:
  pinned_strip(index_t rows, index_t cols)
      : values_(std::clamp<index_t>(most_bytes / (cols * index_t{sizeof(T)}), 1, rows), cols, uninitialised{}),
        pinned_(values_.data(), static_cast<std::size_t>(values_.size()) * sizeof(T)) {}
  index_t rows() const { return values_.rows(); }
  matrix_view<T> view(index_t rows) { return {values_.data(), {rows, values_.cols()}}; }

 private:
  static constexpr index_t most_bytes = 16 << 20;
  matrix<T> values_;
  pinned_range pinned_;
};

template <class T, class Write>
void write_rows(distributed_device_matrix<T>& a, const Write& write) {
  const auto local = a.local();
  if (local.empty()) return;
  const context& ctx = a.at().context();
  pinned_strip<T> strip(local.rows(), local.cols());
  for (index_t first = 0; first < local.rows(); first += strip.rows()) {
    const matrix_view<T> rows = strip.view(std::min(strip.rows(), local.rows() - first));
    for_each_host_row(a.at(), rows.rows(), rows.cols(),
                      [&](index_t i) { write(a.global_row(first + i), &rows(i, 0)); });
    copy(ctx, rows, local.block(first, 0, rows.rows(), rows.cols()));
    ctx.synchronise();
  }
}
// visit(first row, strip) for the strips of a share: the next one comes meanwhile. visit says whether to go on.
template <class T, class Visit>
void for_each_strip(const context& ctx, const view<const T, 2, memory::device>& share, const Visit& visit) {
  if (share.empty()) return;
  pinned_strip<T> strips[] = {{share.rows(), share.cols()}, {share.rows(), share.cols()}};
  device_event here[2];
  const index_t height = strips[0].rows(), count = ceil_div(share.rows(), height);
  const auto rows_of = [&](index_t i) { return strips[i % 2].view(std::min(height, share.rows() - i * height)); };
  const auto load = [&](index_t i) {
    const matrix_view<T> rows = rows_of(i);
    copy(ctx, share.block(i * height, 0, rows.rows(), rows.cols()), rows);
    here[i % 2].record(ctx.stream());
  };
  load(0);
  for (index_t i = 0; i < count; ++i) {
    if (i + 1 < count) load(i + 1);
    here[i % 2].wait();
    if (!visit(i * height, matrix_view<const T>(rows_of(i)))) break;
  }
  ctx.synchronise();
}
template <class T, class Read>
void read_rows(const distributed_device_matrix<T>& a, const Read& read) {
  for_each_strip<T>(a.at().context(), a.local(), [&](index_t first, const matrix_view<const T>& rows) {
    for_each_host_row(a.at(), rows.rows(), rows.cols(),
                      [&](index_t row) { read(a.global_row(first + row), &rows(row, 0)); });
    return true;
  });
}

}  // namespace kleene::detail
