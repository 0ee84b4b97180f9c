#ifndef TAGFLOW_CONFORMANCE_OPS_OP_RUNNER_H_
#define TAGFLOW_CONFORMANCE_OPS_OP_RUNNER_H_

// For tests: one op at a time, on the kernels of an engine, without a graph. Variables, arrays and
// stacks live as long as the runner.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/attr_value.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::conformance {

class OpRunner {
 public:
  // A tensor, or a reference to a variable of the engine.
  struct Value {
    Tensor tensor;
    std::shared_ptr<void> variable;
  };

  virtual ~OpRunner() = default;

  // The outputs of one firing. Attrs that are not given have the values that the inputs imply, else
  // the op's defaults.
  virtual Result<std::vector<Value>> Run(const std::string& op, std::vector<Value> inputs,
                                         AttrMap attrs) = 0;
  // "int32[] 3", or "ref int32[] 3" for a reference to a variable that holds this.
  virtual std::string Text(const Value& value) const = 0;
  // The name of the node that is run from here on; "node" at first.
  virtual void SetNode(const std::string& name) = 0;
  virtual void EndStep() = 0;
};

// An engine, and how its kernels get their inputs.
struct OpEngine {
  std::string name;
  bool is_reference = false;
  std::vector<std::string> ops;  // those with a kernel
  std::function<std::unique_ptr<OpRunner>()> make;
};

OpEngine ReferenceOps();
// With inputs that nobody else holds, so that kernels may overwrite them, and with shared ones.
OpEngine OptimizedOpsInPlace();
OpEngine OptimizedOpsShared();

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_OPS_OP_RUNNER_H_
