#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_ELEMENT_CALLS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_ELEMENT_CALLS_H_

// Which calls of a device's own kernels may be steps of a chain (device_chain.h): elementwise ones,
// and Splits and Concats whose axis is a constant. What they compute is what their kernels say of
// themselves (kernels/part.h), so that the kernels of others are always called one by one.
//
// Calls of what is known to be scalars of the host are none: they stay there.
//
// Tested by gather_calls_test.cc and device_chains_test.cc.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "optimized/executable.h"
#include "optimized/native/element_program.h"
#include "optimized/straight/code.h"
#include "optimized/straight/values.h"

namespace tagflow::optimized {

struct ElementCall {
  uint32_t at = 0;  // the instruction
  int device = 0;
  ElementStep step;  // without its inputs
  // The args that are values: not the axis.
  uint32_t first_value = 0;
  uint32_t num_values = 0;
};

class ElementCalls {
 public:
  // REQUIRES: `values` bound the code's kernels; all of it outlives this
  ElementCalls(const ExecutableSpec& spec, const Values& values, const Code& code);

  std::optional<ElementCall> At(uint32_t instruction) const;

 private:
  void FindScalars(const ExecutableSpec& spec);
  bool GivesScalar(const Instruction& instruction) const;
  bool IsOfScalars(const Instruction& call) const;
  std::optional<ScalarCall> ElementwiseOf(NodeId node) const;
  std::optional<int64_t> ConstantAt(uint32_t slot) const;

  const Graph& graph_;
  const Values& values_;
  const Code& code_;
  std::vector<bool> is_scalar_;  // by slot: it holds a scalar of the host in every step
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_ELEMENT_CALLS_H_
