#include "examples/custom_op/polyval_op.h"

#include "graph/ops/shape_functions.h"

namespace polyval {
namespace {

using tagflow::OpDefBuilder;
using tagflow::ShapeContext;
using tagflow::Status;

// The result is as x, whose shape may be unknown here, wholly or in part.
Status PolyvalShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(tagflow::shapes::RequireRank(context, 0, 1));
  context.set_output(0, context.input(1));
  return Status();
}

}  // namespace

Status RegisterOps(tagflow::OpRegistry& registry) {
  return registry.Register(OpDefBuilder("Examples>Polyval")
                               .Input("coefficients: T")
                               .Input("x: T")
                               .Output("y: T")
                               .Attr("T: {float, double}")
                               .Attr("ascending: bool = false")
                               .Summary("The value of a polynomial at each element of x.")
                               .Shape(PolyvalShape));
}

}  // namespace polyval
