// The kinds of relational joins.
#pragma once

namespace kleene {

enum class join_kind : int {
  inner,  // the pairs of equivalent items
  left,   // and a row (left, -1) for each item of a that has no match
  right,  // the pairs, then a row (-1, right) for each item of b that has no match
  full,   // the rows of left, then those (-1, right)
  semi,   // the items of a that have a match, once each; right is not written
  anti,   // the items of a that have none; right is not written
};

}  // namespace kleene
