#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_CHAIN_PLAN_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_CHAIN_PLAN_H_

// Which kernels do the work of a chain's calls, for what they are given: one for all outputs, and
// before it one for what others repeat, or read joined.
//
//     d = AddV2(v, e)    v, e: [64,1]   v, e -> r
//     r = Rsqrt(d)
//     s = Mul(x, r)      x: [64,256]    x, r -> s
//
// Tested by device_chains_test.cc.

#include <cstddef>
#include <memory>
#include <vector>

#include "graph/status.h"
#include "optimized/devices/element_kernel.h"
#include "optimized/native/element_program.h"

namespace tagflow::optimized {

// Values are those of the whole chain, by number.
struct ChainKernel {
  ElementProgram program;
  std::vector<int> inputs;                      // values: of the program's inputs
  std::vector<int> outputs;                     // values that it gives
  std::vector<int> numbers;                     // in the program, of the outputs with elements
  std::shared_ptr<const ElementKernel> kernel;  // null: not made, or no output has elements
};

struct ChainPlan {
  std::vector<TensorType> types;      // by value
  std::vector<size_t> steps_on_host;  // of scalars that the host has: it does these, first
  std::vector<ChainKernel> kernels;   // in the order in which they run
};

bool HasElements(const TensorType& type);

// whole: the calls, with the types of their inputs; outputs: values
//   Errors: INVALID_ARGUMENT where the shapes do not fit
Result<ChainPlan> PlanChain(const ElementProgram& whole, const std::vector<int>& outputs);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_CHAIN_PLAN_H_
