#include "graph/builder/output.h"

#include "graph/builder/builder_test_util.h"

namespace tagflow {
namespace {

TEST(OutputTest, OutputThatIsNotThereIsAnError) {
  const Scope scope = Scope::Root();
  EXPECT_FALSE(Operation(Const(scope, 1))[3].valid());
  ExpectError(scope, Code::kInvalidArgument, {"there is no output 3"});
}

TEST(OutputTest, ListIndexPastTheEndIsAnError) {
  const Scope scope = Scope::Root();
  const OutputList list = {Const(scope, 1)};
  EXPECT_FALSE(list[1].valid());
  ExpectError(scope, Code::kInvalidArgument, {"no tensor 1"});
}

TEST(OutputTest, KnowsItsNameTypeAndShape) {
  const Scope scope = Scope::Root();
  const Output x = Const(scope.WithOpName("x"), Dims{2, 1}, std::vector<float>{1, 2});
  EXPECT_EQ(x.name(), "x");
  EXPECT_EQ(x.dtype(), DType::kFloat);
  EXPECT_EQ(x.shape(), PartialShape(Dims{2, 1}));
  EXPECT_FALSE(x.is_ref());
  EXPECT_TRUE(RefVariable(scope, DType::kFloat, PartialShape::Scalar()).ref().is_ref());
  EXPECT_EQ(x.op().num_outputs(), 1);
}

TEST(OutputTest, AnInvalidOneIsHarmless) {
  const Output none;
  EXPECT_FALSE(none.valid());
  EXPECT_EQ(none.name(), "");
  EXPECT_EQ(none.dtype(), DType::kInvalid);
  EXPECT_FALSE((none + none).valid());
  EXPECT_FALSE((-none).valid());
  EXPECT_FALSE(Operation().output(0).valid());
}

}  // namespace
}  // namespace tagflow
