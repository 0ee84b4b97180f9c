#ifndef TAGFLOW_GRAPH_BUILDER_BUILD_WHILE_LOOP_H_
#define TAGFLOW_GRAPH_BUILDER_BUILD_WHILE_LOOP_H_

// A loop in the form of TensorFlow's C++ library, for those who port code that uses it. New code
// reads better with WhileLoop.

#include <functional>
#include <string>
#include <vector>

#include "graph/builder/output.h"
#include "graph/builder/scope.h"

namespace tagflow {

using CondGraphBuilderFn =
    std::function<Status(const Scope&, const std::vector<Output>& inputs, Output* output)>;
using BodyGraphBuilderFn = std::function<Status(const Scope&, const std::vector<Output>& inputs,
                                                std::vector<Output>* outputs)>;

// Makes the loop whose frame is `frame_name`, and sets `outputs` to the final values, one per
// input. Both functions may use tensors from outside as they are. `cond_output`, where not null, is
// set to the output of the LoopCond, a tensor inside the loop.
//   Errors: WhileLoop's, and those that the functions return. They are the scope's error as well.
Status BuildWhileLoop(const Scope& scope, const std::vector<Output>& inputs,
                      const CondGraphBuilderFn& cond, const BodyGraphBuilderFn& body,
                      const std::string& frame_name, std::vector<Output>* outputs,
                      bool create_while_ctx = true, Output* cond_output = nullptr);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_BUILD_WHILE_LOOP_H_
