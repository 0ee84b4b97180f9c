#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_CANNOT_FAIL_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_CANNOT_FAIL_H_

// Ops that give a result whatever they are given, of the size of what they are given: elementwise
// ones, of one operand, or of two where one is a constant scalar, so that their shapes fit. An
// integer division is none of them, nor is anything that looks at an index or a size.
//
// Tested by simplify_test.cc.

#include "graph/graph.h"
#include "transform/simplify/call_view.h"

namespace tagflow {

bool CannotFail(const CallView& view, const Node& node);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_CANNOT_FAIL_H_
