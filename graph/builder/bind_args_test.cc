#include "graph/builder/bind_args.h"

#include "graph/builder/builder_test_util.h"

namespace tagflow::internal {
namespace {

class BindArgsTest : public testing::Test {
 protected:
  Result<BoundCall> Bind(const char* op, std::vector<Input> inputs, AttrMap attrs = {}) {
    return BindArgs(*OpRegistry::Standard().Find(op), "node", std::move(inputs), std::move(attrs));
  }

  Scope scope_ = Scope::Root();
  Output x_ = Placeholder(scope_.WithOpName("x"), DType::kDouble, Dims{});
};

TEST_F(BindArgsTest, ConstantsAreLeftToBeMade) {
  const Result<BoundCall> call = Bind("Sub", {1, x_});
  ASSERT_TRUE(call.ok());
  ASSERT_EQ(call->inputs.size(), 2u);
  EXPECT_EQ(call->inputs[0].arg, "x");
  EXPECT_EQ(call->inputs[0].constant.scalar<double>(), 1.0);
  EXPECT_EQ(call->inputs[1].output.name(), "x");
  EXPECT_EQ(call->attrs, (AttrMap{{"T", DType::kDouble}}));
}

TEST_F(BindArgsTest, ADefaultTypeWinsOverTheLiterals) {
  const Result<BoundCall> call = Bind("Sum", {x_, int64_t{0}});
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->inputs[1].constant.dtype(), DType::kInt32);
}

TEST_F(BindArgsTest, AGivenAttrMustAgree) {
  EXPECT_TRUE(Bind("Neg", {x_}, {{"T", DType::kDouble}}).ok());
  EXPECT_FALSE(Bind("Neg", {x_}, {{"T", DType::kFloat}}).ok());
  EXPECT_FALSE(Bind("Neg", {x_}, {{"T", 3}}).ok());
  EXPECT_FALSE(Bind("AddN", {{x_, x_}}, {{"N", 3}}).ok());
}

TEST_F(BindArgsTest, AListWhereOneTensorIsWanted) {
  const Status error = Bind("Neg", {OutputList{x_, x_}}).status();
  EXPECT_THAT(error.message(), testing::HasSubstr("'x' is one tensor, and a list is given"));
}

TEST_F(BindArgsTest, AnEmptyListNeedsItsType) {
  const Result<BoundCall> call = Bind("Pack", {OutputList()}, {{"T", DType::kFloat}});
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->inputs.size(), 0u);
}

}  // namespace
}  // namespace tagflow::internal
