// Comparisons, logic, choice and conversion, element by element.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

// With incompatible_shape_error false, shapes that cannot be broadcast compare to one scalar.
Status EqualShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool strict, BoolAttr(context.node(), "incompatible_shape_error"));
  if (strict) return shapes::Broadcast(context);
  if (!context.input(0).fully_known() || !context.input(1).fully_known()) return Status();
  if (!shapes::Broadcast(context).ok()) context.set_output(0, PartialShape::Scalar());
  return Status();
}

// The condition: a scalar, one per row of t and e, or one per element.
Status SelectShape(ShapeContext& context) {
  const PartialShape& condition = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, MergeShapes(context.input(1), context.input(2)));
  if (condition.known_rank() && condition.rank() > 1) {
    TAGFLOW_ASSIGN_OR_RETURN(shape, MergeShapes(shape, condition));
  } else if (condition.known_rank() && condition.rank() == 1 && shape.known_rank()) {
    if (shape.rank() == 0) {
      return InvalidArgument("a condition of rank 1 cannot choose between scalars");
    }
    TAGFLOW_RETURN_IF_ERROR(shapes::MergeDims(condition.dim(0), shape.dim(0)).status());
  }
  context.set_output(0, std::move(shape));
  return Status();
}

}  // namespace

Status RegisterCompareOps(OpRegistry& registry) {
  const std::vector<OpDefBuilder> ops = {
      OpDefBuilder("Equal")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .Attr("T: type")
          .Attr("incompatible_shape_error: bool = true")
          .Commutative()
          .Summary("x == y, by broadcasting; false for shapes that differ if the attr allows them.")
          .Shape(EqualShape),
      OpDefBuilder("NotEqual")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .Attr("T: type")
          .Attr("incompatible_shape_error: bool = true")
          .Commutative()
          .Summary("x != y, by broadcasting; true for shapes that differ if the attr allows them.")
          .Shape(EqualShape),
      OpDefBuilder("Less")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .Attr("T: realnumbertype")
          .Summary("x < y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("LessEqual")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .Attr("T: realnumbertype")
          .Summary("x <= y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("Greater")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .Attr("T: realnumbertype")
          .Summary("x > y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("GreaterEqual")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .Attr("T: realnumbertype")
          .Summary("x >= y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("ApproximateEqual")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .Attr("T: numbertype")
          .Attr("tolerance: float = 0.00001")
          .Commutative()
          .Summary("|x - y| < tolerance, for equal shapes.")
          .Shape(shapes::Merged),
      OpDefBuilder("LogicalAnd")
          .Input("x: bool")
          .Input("y: bool")
          .Output("z: bool")
          .Commutative()
          .Summary("x and y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("LogicalOr")
          .Input("x: bool")
          .Input("y: bool")
          .Output("z: bool")
          .Commutative()
          .Summary("x or y, by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("LogicalNot")
          .Input("x: bool")
          .Output("y: bool")
          .Summary("not x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("IsNan")
          .Input("x: T")
          .Output("y: bool")
          .Attr("T: {bfloat16, half, float, double}")
          .Summary("Whether x is not a number.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("IsInf")
          .Input("x: T")
          .Output("y: bool")
          .Attr("T: {bfloat16, half, float, double}")
          .Summary("Whether x is infinite.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("IsFinite")
          .Input("x: T")
          .Output("y: bool")
          .Attr("T: {bfloat16, half, float, double}")
          .Summary("Whether x is a finite number.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("Select")
          .Input("condition: bool")
          .Input("t: T")
          .Input("e: T")
          .Output("output: T")
          .Attr("T: type")
          .Summary("t where condition holds, else e; a condition of rank 0 or 1 chooses the whole "
                   "or rows.")
          .Shape(SelectShape),
      OpDefBuilder("SelectV2")
          .Input("condition: bool")
          .Input("t: T")
          .Input("e: T")
          .Output("output: T")
          .Attr("T: type")
          .Summary("t where condition holds, else e, all three by broadcasting.")
          .Shape(shapes::Broadcast),
      OpDefBuilder("Cast")
          .Input("x: SrcT")
          .Output("y: DstT")
          .Attr("SrcT: type")
          .Attr("DstT: type")
          .Attr("Truncate: bool = false")
          .Summary("x converted to another dtype.")
          .Shape(shapes::Unchanged),
  };
  return RegisterAll(registry, ops);
}

}  // namespace tagflow
