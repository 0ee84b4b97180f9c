#ifndef TAGFLOW_CONFORMANCE_GPU_STATE_CALL_H_
#define TAGFLOW_CONFORMANCE_GPU_STATE_CALL_H_

// Calls of ops that read and change variables, on the GPU and on the CPU.

#include <string>
#include <vector>

#include "conformance/compare.h"
#include "conformance/gpu/suite_counts.h"
#include "graph/tensor.h"

namespace tagflow::conformance {

// An op that is given handles of variables, and other inputs behind them.
struct StateCall {
  std::string op;
  DType dtype;  // of the variables
  std::string attrs;
  std::vector<Tensor> values;  // of the variables
  std::vector<Tensor> inputs;
  Bounds bounds = {};
};

// Compares what the op gives, or its error, and what the variables hold then; and the GPU's with a
// second run, bit for bit.
void CompareState(const StateCall& call, SuiteCounts& counts);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_STATE_CALL_H_
