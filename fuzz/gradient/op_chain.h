#ifndef TAGFLOW_FUZZ_GRADIENT_OP_CHAIN_H_
#define TAGFLOW_FUZZ_GRADIENT_OP_CHAIN_H_

// For tests: one call of an op as a graph that is differentiated again and again, each time by all
// that went in, and held against the tape or against finite differences.

#include <memory>
#include <string>
#include <vector>

#include "graph/builder/builder.h"
#include "reference/tape/adjoint_calls.h"
#include "reference/tape/tape.h"
#include "transform/gradients/gradients.h"

namespace tagflow::fuzz {

// The call with its doubles, and the attrs that say double, as another dtype; complex numbers get
// imaginary parts. Of an op that takes no doubles, with those of its floats narrower that may be.
// Nothing if the op does not take that dtype.
struct CallOf {
  bool is_there = false;
  reference::AdjointCall call;
};
CallOf AsDType(const reference::AdjointCall& call, DType dtype);

struct ChainOptions {
  // Whether shapes, and inputs that are not differentiated by, are known when the graph is built.
  bool is_known = true;
  // Instead of the call alone, the sum of three, in a loop, of inputs that grow a little each time.
  bool in_loop = false;
  const GradientRegistry* registry = &GradientRegistry::Standard();
  double multiple = 64;  // of eps * magnitude by which graph and tape may differ
};

class OpChain {
 public:
  OpChain(const reference::AdjointCall& call, const ChainOptions& options);

  // Not every dtype that an op may have has a kernel.
  bool HasKernel() const;

  // Weighs what there is, differentiates it, by all that was fed, and goes on with the gradients.
  // What is wrong, or "".
  std::string StepByTape();
  std::string StepByFiniteDifferences();
  // Differentiates without comparing: whether it can be done, in the dtypes it must have.
  std::string Step();
  // Whether there is anything left to differentiate.
  bool done() const { return ys_.empty(); }

 private:
  // One differentiation.
  struct Turn {
    OutputList ys, xs, gradients;
    std::vector<Tensor> seeds;
    reference::NamedTensors feeds;  // without the seeds
    std::unique_ptr<reference::Session> session;
    std::vector<Tensor> values;  // of the gradients, which are valid
  };

  // A session of the graph as it is now.
  Result<std::unique_ptr<reference::Session>> MakeSession() const;
  OutputList LoopOf(const reference::AdjointCall& call, const std::vector<Input>& inputs,
                    const OutputList& like);
  Output Fed(const std::string& name, const Tensor& value, bool moves);
  Tensor Seed(const Tensor& like);
  Result<Turn> Differentiate();
  Result<std::string> CompareWithTape(const Turn& turn) const;
  // The sum of the weighed ys, where input `x` is something else.
  Result<double> Weighed(const Turn& turn, size_t x, const Tensor& value) const;
  Result<std::string> CompareWithDifferences(const Turn& turn) const;

  ChainOptions options_;
  Scope scope_ = Scope::Root();
  OutputList xs_, ys_;
  reference::NamedTensors feeds_;
  reference::Numbers numbers_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRADIENT_OP_CHAIN_H_
