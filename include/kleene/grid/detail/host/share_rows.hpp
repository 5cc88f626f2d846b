// The rows of a worker's share, in host memory as the caller sees them: written one by one, or read. Those on a device
// go by in strips, so that the host has no second copy of the share.
#pragma once

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

// visit(first row, strip) for strips of a share of rows x cols, in pinned memory.
template <class T, class Visit>
void for_each_strip(index_t rows, index_t cols, const Visit& visit) {
  constexpr index_t strip_bytes = 16 << 20;
  const index_t most = std::clamp<index_t>(strip_bytes / (std::max<index_t>(cols, 1) * index_t{sizeof(T)}), 1, rows);
  matrix<T> strip(most, cols, uninitialised{});
  const pinned_range pinned(strip.data(), static_cast<std::size_t>(strip.size()) * sizeof(T));
  for (index_t first = 0; first < rows; first += most)
    visit(first, matrix_view<T>(strip.data(), {std::min(most, rows - first), cols}));
}

template <class T, class Write>
void write_rows(distributed_device_matrix<T>& a, const Write& write) {
  const auto local = a.local();
  if (local.empty()) return;
  const context& ctx = a.at().context();
  for_each_strip<T>(local.rows(), local.cols(), [&](index_t first, const matrix_view<T>& strip) {
    for_each_host_row(a.at(), strip.rows(), strip.cols(),
                      [&](index_t i) { write(a.global_row(first + i), &strip(i, 0)); });
    copy(ctx, strip, local.block(first, 0, strip.rows(), strip.cols()));
    ctx.synchronise();
  });
}
template <class T, class Read>
void read_rows(const distributed_device_matrix<T>& a, const Read& read) {
  const auto local = a.local();
  if (local.empty()) return;
  const context& ctx = a.at().context();
  for_each_strip<T>(local.rows(), local.cols(), [&](index_t first, const matrix_view<T>& strip) {
    copy(ctx, local.block(first, 0, strip.rows(), strip.cols()), strip);
    ctx.synchronise();
    for_each_host_row(a.at(), strip.rows(), strip.cols(),
                      [&](index_t i) { read(a.global_row(first + i), &strip(i, 0)); });
  });
}

}  // namespace kleene::detail
