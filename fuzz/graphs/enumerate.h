#ifndef TAGFLOW_FUZZ_GRAPHS_ENUMERATE_H_
#define TAGFLOW_FUZZ_GRAPHS_ENUMERATE_H_

// All valid graphs up to a small size over a small alphabet: LogicalNot, Switch, Merge of two,
// Merge of one value and a NextIteration to come, Enter, constant Enter, Exit, NextIteration,
// LoopCond, with control edges if asked for. All values are bools, so that whatever fits a frame
// fits. Graphs that differ only in the order of their nodes come once, but for symmetries that
// involve equal nodes.
//
// Cost: the number of graphs grows by a factor of 20 to 60 per node; enumerate_test.cc has counts.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "fuzz/graphs/sample.h"
#include "reference/rules.h"

namespace tagflow::fuzz {

struct EnumerateOptions {
  int nodes = 3;          // beyond those that are given
  int control_edges = 0;  // at most, in the whole graph
  // Given are two feeds, p and q; and with this, in a frame, a constant Enter of p and an Enter of
  // q.
  bool in_frame = false;
};

// Calls `each` for every graph of exactly options.nodes nodes until it returns false. A sample has
// one run per value of the feeds. Where a token leaves its tag (Exit, Enter, NextIteration) and
// nothing takes it, an Identity does, so that its firing shows what came.
//   returns: how many graphs there were
int64_t Enumerate(const EnumerateOptions& options,
                  const std::function<bool(const GraphSample&)>& each);

// The naive executor and the reference, in three orders, agree on every run: what is wrong, or
// nothing. Quicker than AgreesWithSmallSteps; for graphs in which nothing but Merges can race.
std::optional<std::string> EnumeratedAgrees(
    const GraphSample& sample, const reference::Rules& rules = reference::StandardRules());

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_ENUMERATE_H_
