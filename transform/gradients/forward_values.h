#ifndef TAGFLOW_TRANSFORM_GRADIENTS_FORWARD_VALUES_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_FORWARD_VALUES_H_

// Forward values, as nodes of a gradient may use them. In the frame of the call they are simply
// there; in a gradient loop they come from the forward loop's history (loop_values.h).

#include <map>

#include "transform/gradients/forward.h"

namespace tagflow::internal {

class ForwardValues {
 public:
  virtual ~ForwardValues() = default;

  // The value of a tensor of the frame; live at least where the tensor was.
  virtual Output Value(OutputRef tensor) = 0;
  // Its shape, an int32 vector; live at least where the tensor was. Of a handle, the variable's.
  virtual Output ShapeOf(OutputRef tensor) = 0;
};

// Whether the rank is known, and every dimension that is fits into int32; else the graph's own
// Shape says when it runs that one does not.
bool FitsConst(const PartialShape& shape);
// The dims of a shape, int32; -1 where one is not known.   REQUIRES: FitsConst(shape)
Output ShapeConst(const Scope& scope, const PartialShape& shape);

// The last element of a list of such elements, and the list without it.
struct Popped {
  Output rest;
  Output value;
};
Popped PopBack(const Scope& scope, const Output& list, DType dtype, const PartialShape& shape);

// Values of the frame that the gradient itself is built in.
class DirectValues : public ForwardValues {
 public:
  DirectValues(Forward& forward, Scope scope) : forward_(forward), scope_(std::move(scope)) {}
  Output Value(OutputRef tensor) override;
  Output ShapeOf(OutputRef tensor) override;

 private:
  Output Captured(const Node& enter);
  Output Find(OutputRef tensor);

  Forward& forward_;
  Scope scope_;
  std::map<OutputRef, Output> known_;
};

}  // namespace tagflow::internal

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_FORWARD_VALUES_H_
