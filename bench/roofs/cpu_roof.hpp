// What one core can do at most with registers alone: the roof that CPU rates are divided by.
#pragma once

#include "kleene/data/context.hpp"

namespace kleene::bench {

// Steps c = c (+) (a (x) b) per second, in pairs, with everything in registers, on `threads` threads at once, with the
// widest vectors of the machine (whatever KLEENE_CPU says). Instantiated for the rows of the suite.
template <class S>
double register_roof(int threads);

// Cycles per second now, from a chain of dependent integer multiplications (three cycles each on current x86 cores;
// chains of additions are no clock, since some cores add constants while they rename registers).
double clock_rate();

}  // namespace kleene::bench
