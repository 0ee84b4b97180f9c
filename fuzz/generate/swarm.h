#ifndef TAGFLOW_FUZZ_GENERATE_SWARM_H_
#define TAGFLOW_FUZZ_GENERATE_SWARM_H_

// Which rows of a table a sample has at all. Were every sample to have a little of everything, a
// long run of one kind, or a kind without another that hides it, would hardly ever be drawn; so a
// sample first leaves rows out, and then takes those that are left with even odds. After Groce et
// al., "Swarm Testing", ISSTA 2012.
//
//   const Swarm swarm(std::size(kOperations), choices);
//   for (...) Apply(swarm.Of(kOperations, choices));
//
// Tested by swarm_test.cc.

#include <cstddef>
#include <numeric>
#include <vector>

#include "fuzz/generate/choices.h"

namespace tagflow::fuzz {

class Swarm {
 public:
  // Each row is in or out with even odds, but never all of them out; sometimes all are in. The
  // simplest is the first row alone.   REQUIRES: size >= 1
  Swarm(size_t size, Choices& choices) : rows_(size) {
    std::iota(rows_.begin(), rows_.end(), size_t{0});
    if (choices.Chance(kSometimes)) return;
    std::erase_if(rows_, [&](size_t) { return !choices.Chance(kEvenly); });
    if (rows_.empty()) rows_ = {choices.Below(size)};
  }

  const std::vector<size_t>& rows() const { return rows_; }

  // One of the rows that are in. REQUIRES: the table has the size that the swarm was drawn for
  template <typename Table>
  const auto& Of(const Table& table, Choices& choices) const {
    return table[choices.Of(rows_)];
  }

 private:
  std::vector<size_t> rows_;  // by index, in order
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_SWARM_H_
