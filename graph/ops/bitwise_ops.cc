// Integers as rows of bits.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr char kIntegers[] = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";

// x: T, y: T -> z: T
struct BinaryOp {
  const char* name;
  bool is_commutative;
  const char* summary;
};
constexpr BinaryOp kBinary[] = {
    {"BitwiseAnd", true, "The bits set in x and in y, by broadcasting."},
    {"BitwiseOr", true, "The bits set in x or in y, by broadcasting."},
    {"BitwiseXor", true, "The bits set in only one of x and y, by broadcasting."},
    {"LeftShift", false, "x shifted left by y bits, by broadcasting."},
    {"RightShift", false, "x shifted right by y bits, keeping its sign, by broadcasting."},
};

std::vector<OpDefBuilder> UnaryOps() {
  return {
      OpDefBuilder("Invert")
          .Input("x: T")
          .Output("y: T")
          .Attr(kIntegers)
          .Summary("x with every bit flipped.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("PopulationCount")
          .Input("x: T")
          .Output("y: uint8")
          .Attr(kIntegers)
          .Summary("How many bits of x are set.")
          .Shape(shapes::Unchanged),
  };
}

}  // namespace

Status RegisterBitwiseOps(OpRegistry& registry) {
  for (const BinaryOp& op : kBinary) {
    OpDefBuilder builder(op.name);
    builder.Input("x: T").Input("y: T").Output("z: T").Attr(kIntegers).Summary(op.summary);
    builder.Shape(shapes::Broadcast);
    if (op.is_commutative) builder.Commutative();
    TAGFLOW_RETURN_IF_ERROR(registry.Register(builder));
  }
  return RegisterAll(registry, UnaryOps());
}

}  // namespace tagflow
