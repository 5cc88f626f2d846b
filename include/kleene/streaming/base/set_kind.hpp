// The kinds of set operations.
#pragma once

namespace kleene {

enum class set_kind : int { intersection, union_, difference, symmetric_difference };

}  // namespace kleene
