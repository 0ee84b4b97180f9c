#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_MOVES_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_MOVES_H_

// Moves that happen at once, as moves one after the other: the next values of a loop's variables,
// which may be swapped, shared or passed through.

#include <cstdint>
#include <functional>
#include <vector>

namespace tagflow::optimized {

struct Move {
  uint32_t from = 0;
  uint32_t to = 0;
  friend bool operator==(const Move&, const Move&) = default;
};

// An order of the moves in which none overwrites what another still reads; each cycle goes through
// a slot of its own, which new_slot gives: so a slot holds values of one dtype. Moves of a slot to
// itself are left out.
// REQUIRES: the `to`s differ
std::vector<Move> InSequence(std::vector<Move> moves, const std::function<uint32_t()>& new_slot);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_MOVES_H_
