#ifndef TAGFLOW_FUZZ_GRAPHS_ALTERED_FEEDS_H_
#define TAGFLOW_FUZZ_GRAPHS_ALTERED_FEEDS_H_

// Other values for what is fed to a graph, and feeds of what it computes. False: it cannot be fed
// so. Tested by altered_test.cc.

#include <optional>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"
#include "fuzz/graphs/wiring.h"

namespace tagflow::fuzz {

class FeedAltering {
 public:
  using Dims = std::vector<int64_t>;

  // REQUIRES: all outlive it
  FeedAltering(Choices& choices, GraphSample& sample, const Wiring& wiring)
      : choices_(choices), sample_(sample), graph_(sample.graph), wiring_(wiring) {}

  // In one run alone.
  bool FeedAnother(const Node& node);
  // In every run; the placeholder asks for none.
  bool FeedAnotherShape(const Node& node);
  // In every run a value that a node computes, as a rule one of several outputs; another of them is
  // fetched.
  bool FeedInside(const Node& node);
  // of_single: how often, where the node has one output alone
  bool FeedOneOf(NodeId id, Odds of_single = kSometimes);

  const Dims& AnyDims();
  // Nothing for types that programs do not count or decide by.
  std::optional<Tensor> AnyTensor(DType dtype, const Dims& dims);

 private:
  bool Feed(OutputRef output);
  bool IsFeedable(OutputRef output) const;
  bool FeedInstead(Tensor& value, const Dims& dims);
  template <typename T>
  Tensor Numbers(const Dims& dims);
  Tensor Truths(const Dims& dims);

  Choices& choices_;
  GraphSample& sample_;
  Graph& graph_;
  const Wiring& wiring_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_ALTERED_FEEDS_H_
