#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_CODE_PIECES_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_CODE_PIECES_H_

// The pieces of code outside of its loops: instructions in a row that are run once in a step, but
// for those that a jump leads over.
//
// Tested by code_pieces_test.cc.

#include <cstdint>
#include <vector>

#include "optimized/straight/code.h"

namespace tagflow::optimized {

struct CodePiece {
  uint32_t first = 0;
  uint32_t last = 0;
};

// Puts a kPiece before each piece of at least `least` and at most `most` instructions; what is
// longer is cut. In order. REQUIRES: 1 <= least <= most
std::vector<CodePiece> MarkPieces(uint32_t least, uint32_t most, Code& code);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_CODE_PIECES_H_
