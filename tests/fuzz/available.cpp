// A machine of 64 MiB, in place of the library's answer: inputs that promise gigabytes are refused, as on a small
// machine, before the fuzzer's own limit ends the run.
#include "kleene/data/context.hpp"

std::size_t kleene::available_memory() { return std::size_t{64} << 20; }
