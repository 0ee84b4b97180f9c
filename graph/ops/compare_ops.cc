// Comparisons, logic, choice and conversion, element by element.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {

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
          .Shape(shapes::Unknown),
      OpDefBuilder("NotEqual")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .Attr("T: type")
          .Attr("incompatible_shape_error: bool = true")
          .Commutative()
          .Summary("x != y, by broadcasting; true for shapes that differ if the attr allows them.")
          .Shape(shapes::Unknown),
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
          .Shape(shapes::Unknown),
      OpDefBuilder("SelectV2")
          .Input("condition: bool")
          .Input("t: T")
          .Input("e: T")
          .Output("output: T")
          .Attr("T: type")
          .Summary("t where condition holds, else e, all three by broadcasting.")
          .Shape(shapes::Unknown),
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
