// Planted: uses kleene::index and includes nothing. That it does not compile alone must be caught.
#pragma once

namespace kleene {
inline index twice(index n) { return 2 * n; }
}  // namespace kleene
