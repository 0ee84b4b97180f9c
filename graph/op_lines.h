#ifndef TAGFLOW_GRAPH_OP_LINES_H_
#define TAGFLOW_GRAPH_OP_LINES_H_

// Ops declared by lines of text, as the C interface and Python have it.

#include <string>
#include <vector>

#include "graph/op_def.h"
#include "graph/status.h"

namespace tagflow {

// lines: in TensorFlow's notation, "input x: T", "output y: T", "attr T: {float, double}"
//   Errors: INVALID_ARGUMENT for a line that begins otherwise; what is wrong behind its first word
//   OpDefBuilder::Build says
Result<OpDefBuilder> OpOfLines(const std::string& name, const std::vector<std::string>& lines);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OP_LINES_H_
