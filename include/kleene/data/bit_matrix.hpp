// Matrices of bits, packed into words: views, and owners in host and device memory.
//
//   bit_matrix a(m, k);   a.set(3, 5, true);   bool x = a(3, 5);            // all zero at first
//   device_bit_matrix d = to_device(ctx, a);   bit_matrix h = to_host(ctx, d);   copy(ctx, from, to);
//   a.view().block(8, 64, 16, 100)                                          // columns from a multiple of 64
//   bit_view<bit>(words, rows, cols, stride)                                // memory of the caller's
//
// Layout: element (i, j) is bit j % 64 of word i * stride + j / 64. In the last word of a row the bits past the last
// column have no meaning: outputs hold zero there, inputs anything.
#pragma once

#include "kleene/data/device_matrix.hpp"

#include <cstdint>

namespace kleene {

// The element type of packed matrices: or_and<bit> and xor_and<bit> are the algebras over them.
enum class bit : bool {};

using bit_word = std::uint64_t;
inline constexpr index_t bits_per_word = 64;
constexpr index_t words_for(index_t bits) { return bits / bits_per_word + (bits % bits_per_word != 0); }

// A row's last word, of `cols` columns (at least one), without the bits past the last column.
constexpr bit_word last_word_mask(index_t cols) { return ~bit_word{0} >> (words_for(cols) * bits_per_word - cols); }

// Rows of packed bits somewhere, consecutive rows `stride` words apart. T is bit or const bit. Owns nothing.
template <class T = bit, memory Space = memory::host>
class bit_view {
  static_assert(std::is_same_v<std::remove_const_t<T>, bit>, "a view of bits is bit_view<bit> or bit_view<const bit>");

 public:
  using word = std::conditional_t<std::is_const_v<T>, const bit_word, bit_word>;
  static constexpr memory space = Space;

  constexpr bit_view() = default;
  // shape_error for a negative extent, or rows that overlap.
  constexpr bit_view(word* data, index_t rows, index_t cols, index_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {
    detail::require_countable(std::array{rows, cols}, "a view");
    if (rows > 1 && stride < words())
      throw shape_error("rows " + std::to_string(stride) + " words apart are too near each other for " +
                        std::to_string(cols) + " columns of bits");
    if (rows > 1 && static_cast<double>(rows) * static_cast<double>(stride) * sizeof(bit_word) > detail::most_counted)
      throw shape_error(std::to_string(rows) + " rows " + std::to_string(stride) +
                        " words apart reach further than memory does");
  }
  constexpr bit_view(word* data, index_t rows, index_t cols) : bit_view(data, rows, cols, words_for(cols)) {}
  // A view of mutable bits is a view of constant ones.
  template <class U>
  requires(std::is_const_v<T> && std::is_same_v<U, bit>)
  constexpr bit_view(const bit_view<U, Space>& other)
      : bit_view(other.data(), other.rows(), other.cols(), other.stride()) {}

  constexpr word* data() const { return data_; }
  constexpr index_t rows() const { return rows_; }
  constexpr index_t cols() const { return cols_; }
  constexpr index_t stride() const { return stride_; }          // in words
  constexpr index_t words() const { return words_for(cols_); }  // that hold a row
  constexpr bool empty() const { return rows_ == 0 || cols_ == 0; }
  constexpr word* row(index_t i) const { return data_ + i * stride_; }

  constexpr bool operator()(index_t i, index_t j) const {
    return (row(i)[j / bits_per_word] >> (j % bits_per_word) & 1) != 0;
  }
  constexpr void set(index_t i, index_t j, bool value) const
  requires(!std::is_const_v<T>)
  {
    const bit_word here = bit_word{1} << (j % bits_per_word);
    word& w = row(i)[j / bits_per_word];
    w = value ? w | here : w & ~here;
  }

  // Rows [row, row + rows) and columns [col, col + cols); col is a multiple of 64. Within the extents, or shape_error.
  // As an output a block takes whole words: what its parent holds behind the block's last column in that word becomes
  // zero.
  constexpr bit_view block(index_t row, index_t col, index_t rows, index_t cols) const {
    if (!detail::lies_within(row, rows, rows_) || !detail::lies_within(col, cols, cols_))
      throw shape_error("a block of " + std::to_string(rows) + " x " + std::to_string(cols) + " bits at (" +
                        std::to_string(row) + ", " + std::to_string(col) + ") reaches outside its matrix, which is " +
                        std::to_string(rows_) + " x " + std::to_string(cols_));
    if (col % bits_per_word != 0)
      throw shape_error("a block of packed bits begins at a multiple of 64 columns, not at " + std::to_string(col));
    word* first = rows > 0 && cols > 0 ? data_ + row * stride_ + col / bits_per_word : data_;
    return {first, rows, cols, stride_};
  }

 private:
  word* data_ = nullptr;
  index_t rows_ = 0, cols_ = 0, stride_ = 0;
};

// An owner in host memory: contiguous, 64-byte aligned, copied deeply.
class bit_matrix {
 public:
  bit_matrix() = default;
  bit_matrix(index_t rows, index_t cols) : words_(rows, checked_words(cols)), cols_(cols) {}
  bit_matrix(index_t rows, index_t cols, uninitialised u) : words_(rows, checked_words(cols), u), cols_(cols) {}

  index_t rows() const { return words_.rows(); }
  index_t cols() const { return cols_; }
  bool operator()(index_t i, index_t j) const { return view()(i, j); }
  void set(index_t i, index_t j, bool value) { view().set(i, j, value); }
  bit_view<bit> view() { return {words_.data(), rows(), cols_, words_.cols()}; }
  bit_view<const bit> view() const { return {words_.data(), rows(), cols_, words_.cols()}; }

 private:
  friend class device_bit_matrix;
  static index_t checked_words(index_t cols) {
    if (cols < 0) throw shape_error("a matrix has a negative extent (" + std::to_string(cols) + ")");
    return words_for(cols);
  }
  matrix<bit_word> words_;
  index_t cols_ = 0;
};

// An owner in device memory, uninitialised; moved, never copied behind the caller's back.
class device_bit_matrix {
 public:
  device_bit_matrix() = default;
  device_bit_matrix(const context& ctx, index_t rows, index_t cols)
      : words_(ctx, rows, bit_matrix::checked_words(cols)), cols_(cols) {}

  index_t rows() const { return words_.rows(); }
  index_t cols() const { return cols_; }
  int device() const { return words_.device(); }
  bit_view<bit, memory::device> view() { return {words_.data(), rows(), cols_, words_.cols()}; }
  bit_view<const bit, memory::device> view() const { return {words_.data(), rows(), cols_, words_.cols()}; }

 private:
  device_matrix<bit_word> words_;
  index_t cols_ = 0;
};

// as_bits: whatever can be read as packed bits.
template <class T, memory Space>
constexpr bit_view<T, Space> as_bits(const bit_view<T, Space>& v) {
  return v;
}
inline bit_view<bit> as_bits(bit_matrix& a) { return a.view(); }
inline bit_view<const bit> as_bits(const bit_matrix& a) { return a.view(); }
inline bit_view<bit, memory::device> as_bits(device_bit_matrix& a) { return a.view(); }
inline bit_view<const bit, memory::device> as_bits(const device_bit_matrix& a) { return a.view(); }
bit_view<const bit> as_bits(bit_matrix&& a) = delete;  // a view of a temporary outlives it
bit_view<const bit, memory::device> as_bits(device_bit_matrix&& a) = delete;

template <class M>
concept bit_viewable = requires(M& m) { as_bits(m); };

namespace detail {
// The words of packed bits as a matrix.
template <class T, memory Space>
auto words_of(const bit_view<T, Space>& v) {
  using word = typename bit_view<T, Space>::word;
  return kleene::view<word, 2, Space>(v.data(), {v.rows(), v.words()}, {v.stride(), 1});
}
}  // namespace detail

// Rows of `from` to `to`, which has the same extents: host to device, back, or on one of them; asynchronous like any
// copy. Whole words are copied, the bits past the last column with them.
template <bit_viewable From, bit_viewable To>
void copy(const context& ctx, const From& from, To&& to) {
  const auto source = as_bits(from);
  const auto target = as_bits(to);
  if (source.rows() != target.rows() || source.cols() != target.cols()) throw shape_error("a copy needs equal extents");
  copy(ctx, detail::words_of(source), detail::words_of(target));
}
template <bit_viewable M>
device_bit_matrix to_device(const context& ctx, const M& m) {
  const auto v = as_bits(m);
  device_bit_matrix result(ctx, v.rows(), v.cols());
  copy(ctx, v, result);
  return result;
}
template <bit_viewable M>
bit_matrix to_host(const context& ctx, const M& m) {
  const auto v = as_bits(m);
  bit_matrix result(v.rows(), v.cols(), uninitialised{});
  copy(ctx, v, result);
  ctx.synchronise();
  return result;
}

}  // namespace kleene
