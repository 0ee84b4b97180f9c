// Tests: functional_ops.cc, saving_ops.cc

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "graph/shape_inference.h"

namespace tagflow {
namespace {

// The shape of the only output of a call whose attr output_shapes says these.
std::string ShapeOf(std::vector<PartialShape> shapes) {
  Node node;
  node.op = "StatelessIf";
  node.def = OpRegistry::Standard().Find(node.op);
  AttrList list;
  list.shapes = std::move(shapes);
  node.attrs = {{"output_shapes", AttrValue(std::move(list))}};
  const auto inferred = InferNodeShapes(node, 1, {PartialShape()}, {{}});
  return inferred.ok() ? (*inferred)[0].ToString() : inferred.status().ToString();
}

TEST(FunctionalOps, OutputShapesAreWhatTheAttrSays) {
  const PartialShape pair(Dims{2});
  EXPECT_EQ(ShapeOf({pair}), "[2]");
  EXPECT_EQ(ShapeOf({}), "<unknown>");
  EXPECT_EQ(ShapeOf({pair, pair}), "<unknown>");  // of another number of outputs
}

TEST(FunctionalOps, ThoseWithStateSaySo) {
  for (const char* op : {"PartitionedCall", "StatelessIf", "StatelessCase", "StatelessWhile", "For",
                         "SymbolicGradient"}) {
    EXPECT_FALSE(OpRegistry::Standard().Find(op)->is_stateful) << op;
  }
  for (const char* op :
       {"StatefulPartitionedCall", "If", "Case", "While", "RemoteCall", "RestoreV2"}) {
    EXPECT_TRUE(OpRegistry::Standard().Find(op)->is_stateful) << op;
  }
}

}  // namespace
}  // namespace tagflow
