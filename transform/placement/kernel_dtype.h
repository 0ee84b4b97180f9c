#ifndef TAGFLOW_TRANSFORM_PLACEMENT_KERNEL_DTYPE_H_
#define TAGFLOW_TRANSFORM_PLACEMENT_KERNEL_DTYPE_H_

// By which dtype a node's kernel is looked up in a DeviceCatalog. Whoever fills a catalog in goes
// by the same rule.

#include <string>
#include <vector>

#include "graph/device_catalog.h"
#include "graph/graph.h"

namespace tagflow {

// The value of the first attr of kind "type" that the op declares (T of MatMul, SrcT of Cast, dtype
// of VariableV2); kInvalid for an op that has none, that nobody defined, or where it is missing.
DType KernelDType(const Node& node);

// "Unique of string", or "NoOp".
std::string OpAndDType(const Node& node);

// By device of the catalog: whether it can run the node. Ops that the executor runs itself need no
// kernel: control-flow primitives, triggers and messages; nor do placeholders, which are fed.
std::vector<bool> DevicesFor(const Node& node, const DeviceCatalog& catalog);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_PLACEMENT_KERNEL_DTYPE_H_
