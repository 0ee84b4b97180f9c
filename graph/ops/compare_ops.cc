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

struct Op {
  const char* name;
  const char* summary;
};

// x: T, y: T -> z: bool
constexpr Op kOrders[] = {
    {"Less", "x < y, by broadcasting."},
    {"LessEqual", "x <= y, by broadcasting."},
    {"Greater", "x > y, by broadcasting."},
    {"GreaterEqual", "x >= y, by broadcasting."},
};

// x: T -> y: bool, of floating numbers
constexpr Op kClasses[] = {
    {"IsNan", "Whether x is not a number."},
    {"IsInf", "Whether x is infinite."},
    {"IsFinite", "Whether x is a finite number."},
};

// x: bool, y: bool -> z: bool
constexpr Op kConnectives[] = {
    {"LogicalAnd", "x and y, by broadcasting."},
    {"LogicalOr", "x or y, by broadcasting."},
};

// Equality, exact and not; negation.
std::vector<OpDefBuilder> EqualityOps() {
  return {
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
      OpDefBuilder("ApproximateEqual")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .Attr("T: numbertype")
          .Attr("tolerance: float = 0.00001")
          .Commutative()
          .Summary("|x - y| <= tolerance, for equal shapes.")
          .Shape(shapes::Merged),
      OpDefBuilder("LogicalNot")
          .Input("x: bool")
          .Output("y: bool")
          .Summary("not x.")
          .Shape(shapes::Unchanged),
  };
}

// Choice and conversion.
std::vector<OpDefBuilder> ChoiceOps() {
  return {
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
      OpDefBuilder("Bucketize")
          .Input("input: T")
          .Output("output: int32")
          .Attr("T: {int32, int64, float, double}")
          .Attr("boundaries: list(float)")
          .Summary("How many of the ascending boundaries lie at or below each element.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("ClipByValue")
          .Input("t: T")
          .Input("clip_value_min: T")
          .Input("clip_value_max: T")
          .Output("output: T")
          .Attr("T: numbertype")
          .Summary("t, raised to the minimum and lowered to the maximum where it is beyond.")
          .Shape(shapes::Unchanged),
  };
}

}  // namespace

Status RegisterCompareOps(OpRegistry& registry) {
  for (const Op& op : kOrders) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(OpDefBuilder(op.name)
                                                  .Input("x: T")
                                                  .Input("y: T")
                                                  .Output("z: bool")
                                                  .Attr("T: realnumbertype")
                                                  .Summary(op.summary)
                                                  .Shape(shapes::Broadcast)));
  }
  for (const Op& op : kClasses) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(OpDefBuilder(op.name)
                                                  .Input("x: T")
                                                  .Output("y: bool")
                                                  .Attr("T: {bfloat16, half, float, double}")
                                                  .Summary(op.summary)
                                                  .Shape(shapes::Unchanged)));
  }
  for (const Op& op : kConnectives) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(OpDefBuilder(op.name)
                                                  .Input("x: bool")
                                                  .Input("y: bool")
                                                  .Output("z: bool")
                                                  .Commutative()
                                                  .Summary(op.summary)
                                                  .Shape(shapes::Broadcast)));
  }
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, EqualityOps()));
  return RegisterAll(registry, ChoiceOps());
}

}  // namespace tagflow
