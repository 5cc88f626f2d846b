// The closure of a matrix that is larger than memory: from one .npy to another, through a bounded buffer.
//
//   closure_info info = closure_of_file(context::cpu(), min_plus<float>{}, "arcs.npy", "distances.npy",
//                                       {.memory = std::size_t{8} << 30, .resumable = true});
//
// Method: the blocked elimination of operations/closure.hpp. A step reads the matrix once and writes it once: the rows
// of its block are held in memory, all others come by in strips, of which one is read and one is written while one is
// worked on. A step goes from one file to another, so that the last one stays whole until the next is. The larger the
// block, the less the disk counts: 2 n^2 elements pass in each of n / block steps.
//
// Contract
//   files        `from` is a square .npy of rows of the algebra's type (f32, f64, i32, i64, bool; grid/npy.hpp says
//                what is read). `to` appears whole or not at all; until then there are TO.0.partial and TO.1.partial,
//                as large as `from` each. `from` and `to` may be the same file; see `in place`. A link `to` is
//                followed (TO is where it leads); a file that is replaced hands on its permissions, owner and group;
//                a pipe, a device or standard output is error(bad_input).
//   memory       what it takes at most, in bytes; 0: half of what is available. What does not fit is error(memory) with
//                both numbers, before any work.
//   block order  blocks of `block` vertices; 0: those of the checkpoint that the call goes on from, else the largest
//                that the memory has room for, up to 2048. The result is that of closure(ctx, S{}, a, {.block = block})
//                in memory, to the last bit.
//   resumable    each step is synced and noted in TO.checkpoint; the same call goes on from there after the program was
//                killed, to the same bits, and refuses (error(bad_input)) what another call left, or what has changed.
//                Of the two TO.?.partial it needs the one that the checkpoint names. Where the memory is too little for
//                the checkpoint's blocks by now, that is error(memory), and the checkpoint stays.
//   in place     where `from` and `to` are one file, a resumable call goes on as any other; after one that has ended,
//                perhaps killed before anybody heard of it, it closes the closure. Over an idempotent algebra that is
//                the same matrix but for rounding; over others it is another one, and such a call is argument_error.
//   existence, NaN, domain, overflow, callbacks   as in operations/closure.hpp; `to` is then left as it was.
//   where        a context for the CPU, or error(usage).
#pragma once

#include "kleene/io/npy.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/detail/closure_algebra.hpp"

#include <cstddef>
#include <string>

namespace kleene {

struct file_closure_options {
  std::size_t memory = 0;
  index_t block = 0;
  bool check_domain = true;
  bool resumable = false;
};

namespace detail {

// How much of a matrix of n rows is in memory at once.
struct file_closure_plan {
  index_t block = 0, strip = 0;  // rows
  index_t columns = 0;           // of one product
  double bytes = 0;              // in all
};
// error(memory) where `most` bytes are too few. element, accumulator: bytes of one; block: 0 for the largest.
file_closure_plan plan_file_closure(index_t n, std::size_t element, std::size_t accumulator, index_t block,
                                    double most);

// Compiled in the library for all elements that files hold. may_be_repeated: a closure is its own closure.
template <class T>
closure_info close_file(const context& ctx, const std::string& from, const std::string& to,
                        const file_closure_options& options, const closure_algebra<T>& algebra, bool may_be_repeated);

}  // namespace detail

template <closed_semiring S>
closure_info closure_of_file(const context& ctx, S, const std::string& from, const std::string& to,
                             const file_closure_options& options = {}) {
  static_assert(io::npy_element<value_of<S>>, "files hold elements of f32, f64, i32, i64 and bool");
  static_assert(is_in_catalog<S> || detail::is_defined<detail::closure_definitions, S>,
                "no closure over this algebra is compiled into the library: include "
                "kleene/operations/own/closure.inl.hpp, which compiles it here");
  return detail::close_file(ctx, from, to, options, detail::closure_algebra_of<S>(), is_idempotent<S>);
}

}  // namespace kleene
