#include "graph/builder/op_builder.h"

#include "graph/builder/builder_test_util.h"

namespace tagflow {
namespace {

using testing::ElementsAre;

class OpBuilderTest : public testing::Test {
 protected:
  Output Floats(const std::string& name, const Dims& dims = {}) {
    return Placeholder(scope_.WithOpName(name), DType::kFloat, dims);
  }
  Output Ints(const std::string& name, const Dims& dims = {}) {
    return Placeholder(scope_.WithOpName(name), DType::kInt32, dims);
  }
  const Node& NodeOf(const Operation& op) { return scope_.graph().node(op.node()); }

  Scope scope_ = Scope::Root();
};

TEST_F(OpBuilderTest, TypeAttrComesFromInputs) {
  const Operation sum = Op(scope_, "AddV2", {Ints("a"), Ints("b")});
  EXPECT_EQ(*TypeAttr(NodeOf(sum), "T"), DType::kInt32);
  EXPECT_EQ(Output(sum).dtype(), DType::kInt32);
  EXPECT_EQ(Line(Finished(scope_), "AddV2"), "AddV2(a, b)");
}

TEST_F(OpBuilderTest, LiteralTakesTheTypeOfItsNeighbour) {
  const Output y = Op(scope_.WithOpName("y"), "Mul", {2, Floats("x")});
  EXPECT_EQ(y.dtype(), DType::kFloat);
  const Graph graph = Finished(scope_);
  EXPECT_EQ(Line(graph, "y"), "Mul(y/x, x)");
  const Node& two = graph.node(graph.Find("y/x"));
  EXPECT_EQ(TensorAttr(two, "value")->scalar<float>(), 2.0f);
}

TEST_F(OpBuilderTest, LiteralAloneHasItsOwnType) {
  EXPECT_EQ(Output(Op(scope_, "Neg", {3})).dtype(), DType::kInt32);
  EXPECT_EQ(Output(Op(scope_, "Neg", {int64_t{3}})).dtype(), DType::kInt64);
  EXPECT_EQ(Output(Op(scope_, "Neg", {3.0f})).dtype(), DType::kFloat);
  EXPECT_EQ(Output(Op(scope_, "Neg", {3.0})).dtype(), DType::kDouble);
}

TEST_F(OpBuilderTest, LiteralThatDoesNotFitIsAnError) {
  Op(scope_, "AddV2", {Ints("n"), 1.5});
  ExpectError(scope_, Code::kInvalidArgument, {"AddV2", "1.5", "int32"});
}

TEST_F(OpBuilderTest, ListsGiveTheirLengthAndType) {
  const Output a = Floats("a"), b = Floats("b"), c = Floats("c");
  const Operation flat = Op(scope_, "AddN", {a, b, c});
  const Operation listed = Op(scope_, "AddN", {{a, b}});
  EXPECT_EQ(*IntAttr(NodeOf(flat), "N"), 3);
  EXPECT_EQ(*IntAttr(NodeOf(listed), "N"), 2);
  Finished(scope_);
}

TEST_F(OpBuilderTest, ListBesideAnotherArgument) {
  const Output a = Floats("a", {2}), b = Floats("b", {3});
  const Output flat = Op(scope_.WithOpName("flat"), "ConcatV2", {a, b, 0});
  const Output listed = Op(scope_.WithOpName("listed"), "ConcatV2", {{a, b}, 0});
  EXPECT_EQ(Line(Finished(scope_), "flat"), "ConcatV2(a, b, flat/axis)");
  EXPECT_EQ(flat.shape(), PartialShape(Dims{5}));
  EXPECT_EQ(listed.shape(), PartialShape(Dims{5}));
}

TEST_F(OpBuilderTest, TypeListComesFromInputs) {
  const Operation both = Op(scope_, "IdentityN", {{Floats("a"), Ints("b")}});
  ASSERT_EQ(both.num_outputs(), 2);
  EXPECT_EQ(both[0].dtype(), DType::kFloat);
  EXPECT_EQ(both[1].dtype(), DType::kInt32);
  EXPECT_EQ(both[1].name(), "IdentityN:1");
}

TEST_F(OpBuilderTest, ShapesAreInferredAtOnce) {
  const Output product = MatMul(scope_, Floats("a", {2, 3}), Floats("b", {3, 4}));
  EXPECT_EQ(product.shape(), PartialShape(Dims{2, 4}));
  MatMul(scope_, product, Floats("c", {5, 2}));
  ExpectError(scope_, Code::kInvalidArgument, {"4", "5"});
}

TEST_F(OpBuilderTest, MixedTypesAreAnErrorNamingBoth) {
  Op(scope_, "AddV2", {Ints("n"), Floats("x")});
  ExpectError(scope_, Code::kInvalidArgument, {"'y' must be int32", "'x' is float"});
}

TEST_F(OpBuilderTest, WrongNumberOfInputs) {
  Op(scope_, "AddV2", {Ints("n")});
  ExpectError(scope_, Code::kInvalidArgument, {"2 arguments (x, y), not 1"});
}

TEST_F(OpBuilderTest, UnknownOpSuggestsTheRightSpelling) {
  Op(scope_, "addv2", {Ints("n"), Ints("m")});
  ExpectError(scope_, Code::kNotFound, {"addv2", "AddV2"});
}

TEST_F(OpBuilderTest, UnknownAttr) {
  Op(scope_, "Identity", {Ints("n")}, {{"Tee", DType::kInt32}});
  ExpectError(scope_, Code::kInvalidArgument, {"no attr 'Tee'", "T"});
}

TEST_F(OpBuilderTest, MissingAttr) {
  Op(scope_, "Placeholder");
  ExpectError(scope_, Code::kInvalidArgument, {"dtype"});
}

TEST_F(OpBuilderTest, UnderscoreAttrsAreKept) {
  const Operation op = Op(scope_, "Identity", {Ints("n")}, {{"_mark", 7}});
  EXPECT_EQ(*IntAttr(NodeOf(op), "_mark"), 7);
}

TEST_F(OpBuilderTest, FirstErrorSticksAndLaterCallsDoNothing) {
  const Output bad = Op(scope_, "Nope");
  EXPECT_FALSE(bad.valid());
  const Output later = bad + 1;
  EXPECT_FALSE(later.valid());
  EXPECT_EQ(later.dtype(), DType::kInvalid);
  Op(scope_, "AlsoNope", {later});
  ExpectError(scope_, Code::kNotFound, {"'Nope'"});
}

TEST_F(OpBuilderTest, EmptyTensorIsAnError) {
  Op(scope_, "Neg", {Output()});
  ExpectError(scope_, Code::kInvalidArgument, {"'x' is an empty tensor"});
}

TEST_F(OpBuilderTest, TensorOfAnotherGraphIsAnError) {
  Scope other = Scope::Root();
  Op(scope_, "Neg", {Const(other, 1)});
  ExpectError(scope_, Code::kInvalidArgument, {"another graph"});
}

TEST_F(OpBuilderTest, OperatorsAreNodes) {
  const Output a = Ints("a"), b = Ints("b"), x = Floats("x");
  EXPECT_EQ(NodeOf(a + b).op, "AddV2");
  EXPECT_EQ(NodeOf(a - 1).op, "Sub");
  EXPECT_EQ(NodeOf(2 * a).op, "Mul");
  EXPECT_EQ(NodeOf(a / b).op, "FloorDiv");
  EXPECT_EQ(NodeOf(x / 2).op, "RealDiv");
  EXPECT_EQ(NodeOf(a % b).op, "FloorMod");
  EXPECT_EQ(NodeOf(-a).op, "Neg");
  Finished(scope_);
}

TEST_F(OpBuilderTest, ReferenceWhereAValueIsGivenIsAnError) {
  Op(scope_, "Assign", {Floats("x"), 1.0f});
  ExpectError(scope_, Code::kInvalidArgument, {"float_ref", "'x' is float"});
}

}  // namespace
}  // namespace tagflow
