#ifndef TAGFLOW_FUZZ_LOWER_ACCESS_ORDER_H_
#define TAGFLOW_FUZZ_LOWER_ACCESS_ORDER_H_

// The order of the text among accesses to variables, kept by control edges: each access waits for
// those before it that it could be seen to overtake.

#include <span>
#include <vector>

#include "fuzz/program/program.h"
#include "graph/builder/output.h"

namespace tagflow::fuzz {

// Of one variable, at one place of the program: what an access there has to wait for.
struct AccessOrder {
  std::vector<Operation> writes;  // every access waits for them
  std::vector<Operation> reads;   // writes wait for them, too

  std::vector<Operation> All() const {
    std::vector<Operation> all = writes;
    all.insert(all.end(), reads.begin(), reads.end());
    return all;
  }
};

// Which variables the statements of `blocks` read and write, at any depth.
struct Touched {
  std::vector<bool> reads;
  std::vector<bool> writes;
};
Touched FindTouched(std::span<const Block> blocks, size_t num_variables);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LOWER_ACCESS_ORDER_H_
