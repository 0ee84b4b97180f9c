#include "transform/placement/work.h"

#include <gtest/gtest.h>

#include <map>

#include "graph/shape_inference.h"
#include "graph/test_graph.h"

namespace tagflow {
namespace {

constexpr char kText[] = R"(
    a = Placeholder() dtype=float
    b = Placeholder() dtype=float
    product = MatMul(a, b) T=float
    x = Placeholder() dtype=float
    y = Placeholder() dtype=float
    batch = BatchMatMulV2(x, y) T=float
    sum = Add(a, a) T=float
    tanh = Tanh(a) T=float
    flat = Identity(a) T=float
    turned = Pack(a, a) T=float N=2
    unique = Unique(c) T=int32
    c = Placeholder() dtype=int32
    square = Placeholder() dtype=double
    inverse = MatrixInverse(square) T=double
    unknown = Placeholder() dtype=int64
    more = Neg(unknown) T=int64
    pred = Placeholder() dtype=bool
    switch = Switch(a, pred) T=float
)";

// Shapes are set here: a line of a TestGraph cannot.
Work Of(const std::string& name) {
  const TestGraph graph(kText, OpRegistry::Standard());
  static const auto& shapes = *new std::map<std::string, PartialShape>{
      {"a", PartialShape({8, 32})},   {"b", PartialShape({32, 4})},
      {"x", PartialShape({5, 6, 7})}, {"y", PartialShape({5, 7, 2})},
      {"c", PartialShape({64})},      {"square", PartialShape({2, 10, 10})},
      {"unknown", PartialShape()},    {"pred", PartialShape::Scalar()},
  };
  const Node& node = graph.node(name);
  std::vector<PartialShape> inputs;
  for (const OutputRef& input : node.inputs) {
    inputs.push_back(shapes.at(graph.graph().node(input.node).name));
  }
  const Signature signature = *ResolveSignature(node);
  std::vector<std::optional<Tensor>> constants(inputs.size());
  const auto outputs = InferNodeShapes(node, signature.outputs.size(), inputs, constants);
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  return WorkOf(node, signature, inputs, *outputs, 16);
}

TEST(Work, IsCountedByOp) {
  EXPECT_EQ(Of("product").operations, 2 * 8 * 32 * 4);
  EXPECT_EQ(Of("product").bytes, 4 * (8 * 32 + 32 * 4 + 8 * 4));
  EXPECT_DOUBLE_EQ(Of("batch").operations, 2 * 5 * 6 * 7 * 2);
  EXPECT_EQ(Of("sum").operations, 256);
  EXPECT_EQ(Of("sum").bytes, 4 * 3 * 256);
  EXPECT_EQ(Of("tanh").operations, 2560);
  EXPECT_EQ(Of("unique").operations, 64 * 6);
  EXPECT_EQ(Of("inverse").operations, 2 * 10 * 10 * 10);
}

TEST(Work, OfWhatOnlyHandsOnIsNone) {
  EXPECT_EQ(Of("flat").operations, 0);
  EXPECT_EQ(Of("flat").bytes, 0);
  EXPECT_EQ(Of("switch").bytes, 0);
  EXPECT_EQ(Of("turned").operations, 0);
  EXPECT_EQ(Of("turned").bytes, 4 * 4 * 256);
}

TEST(Work, IsKnownOfOpsThatThereAre) {
  const std::vector<std::string> ops = OpsOfKnownWork();
  EXPECT_GT(ops.size(), 100u);
  for (const std::string& op : ops) {
    EXPECT_NE(OpRegistry::Standard().Find(op), nullptr) << op;
  }
}

TEST(Work, AnUnknownShapeCountsAsOneDimension) {
  EXPECT_EQ(Of("more").operations, 16);
  EXPECT_EQ(Of("more").bytes, 8 * 2 * 16);
  EXPECT_EQ(ElementsOf(PartialShape({3, PartialShape::kUnknownDim}), 16), 48);
  EXPECT_EQ(BytesOf(PartialShape({2}), DType::kString, 16), 64);
}

}  // namespace
}  // namespace tagflow
