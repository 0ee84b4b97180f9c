#ifndef TAGFLOW_GRAPH_IO_FUNCTION_PROTO_H_
#define TAGFLOW_GRAPH_IO_FUNCTION_PROTO_H_

// From a FunctionDef message to a Function, and back.
//
// Tested by function_proto_test.cc.

#include "graph/function.h"
#include "graph/io/graph.pb.h"
#include "graph/io/tensor_proto.h"
#include "graph/status.h"

namespace tagflow {

// registry: the ops that the body's nodes may be of
//   Errors (INVALID_ARGUMENT naming function and node or argument): an argument without a type, an
//   attr of a kind that there is not, a result that the body does not give; as AttrFromProto
Result<Function> FunctionFromProto(const FunctionDefProto& proto, const OpRegistry& registry,
                                   TensorBudget& budget);

// Writes a function that was made here, and not read.
//   Errors: as AttrsToProto, naming function and node
Status FunctionToProto(const Function& function, TensorForm form, FunctionDefProto& proto);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_FUNCTION_PROTO_H_
