// What `kleene bench` can be asked, and the suites behind it.
#pragma once

#include "commands.hpp"
#include "kleene/data/context.hpp"

#include <string>
#include <vector>

namespace kleene::cli {

struct bench_flags {
  std::string suite = "cpu", commit, only, out, keep;
  std::vector<std::string> graphs;
  int rounds = 0;  // 0: what the suite calls for
  std::int64_t largest = 65536;
};

// All print rows as they are measured, or one JSON object at the end; --out writes that object to a file either way.
void run_cpu_bench(const shared_flags& shared, const bench_flags& flags);
void run_io_bench(const shared_flags& shared, const bench_flags& flags);
void run_networks_bench(const shared_flags& shared, const bench_flags& flags);
// error(internal) at the end if a row could not be measured, its result was wrong, or the like.
void run_gpu_bench(const shared_flags& shared, const bench_flags& flags);
void run_closure_bench(const shared_flags& shared, const bench_flags& flags);
void run_scale_bench(const shared_flags& shared, const bench_flags& flags);
// error(usage) where it is not compiled in.
void run_streaming_bench(const shared_flags& shared, const bench_flags& flags);
void run_bits_bench(const shared_flags& shared, const bench_flags& flags);
void run_ladder_bench(const shared_flags& shared, const bench_flags& flags);

// The device that is asked for, or the first; error(device) where there is none, error(usage) for --device cpu and
// where the suite is not there.
context make_gpu_context(shared_flags shared, bool is_there);
context make_gpu_context(const shared_flags& shared);  // for those of -DKLEENE_BENCHES=ON

// The JSON of a suite, to where the flags say.
void deliver_bench(const shared_flags& shared, const bench_flags& flags, const std::string& json);

}  // namespace kleene::cli
