#include "graph/attr_value.h"

#include <gtest/gtest.h>

#include <limits>

namespace tagflow {
namespace {

NameAttrList Function(const char* name, int64_t n) { return {name, {{"n", n}}}; }

TEST(AttrValueTest, PrintsEveryKind) {
  AttrList types;
  types.types = {{DType::kFloat, false}, {DType::kInt32, true}};
  AttrList strings;
  strings.strings = {"a", "b\n\"\\\x01"};
  EXPECT_EQ(AttrValue(3).ToString(), "3");
  EXPECT_EQ(AttrValue(0.5f).ToString(), "0.5");
  EXPECT_EQ(AttrValue(true).ToString(), "true");
  EXPECT_EQ(AttrValue("text").ToString(), "\"text\"");
  EXPECT_EQ(AttrValue(DType::kFloat).ToString(), "float");
  EXPECT_EQ(AttrValue(PartialShape(Dims{2, -1})).ToString(), "[2,?]");
  EXPECT_EQ(AttrValue(Tensor::Scalar<int32_t>(7)).ToString(),
            Tensor::Scalar<int32_t>(7).DebugString());
  EXPECT_EQ(IntList({1, 2}).ToString(), "list(int)[1, 2]");
  EXPECT_EQ(IntList({}).ToString(), "[]");
  EXPECT_EQ(AttrValue(types).ToString(), "list(type)[float, int32_ref]");
  EXPECT_EQ(AttrValue(strings).ToString(), "list(string)[\"a\", \"b\\n\\\"\\\\\\x01\"]");
  EXPECT_EQ(AttrValue(Function("f", 2)).ToString(), "f{n=2}");
  EXPECT_EQ(AttrValue(AttrPlaceholder{"T"}).ToString(), "$T");
  EXPECT_EQ(AttrValue(OpaqueAttr{"xyz"}).ToString(), "<3 bytes not understood>");
  EXPECT_EQ(AttrValue().ToString(), "<nothing>");
}

TEST(AttrValueTest, EqualMeansTheSameKindAndBits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(AttrValue(3), AttrValue(3));
  EXPECT_FALSE(AttrValue(3) == AttrValue(4));
  EXPECT_FALSE(AttrValue(1) == AttrValue(true));
  EXPECT_EQ(AttrValue(nan), AttrValue(nan));
  EXPECT_FALSE(AttrValue(0.0f) == AttrValue(-0.0f));
  EXPECT_EQ(IntList({1, 2}), IntList({1, 2}));
  EXPECT_FALSE(IntList({1, 2}) == IntList({1}));
  EXPECT_EQ(AttrValue(Tensor::Scalar(2.0f)), AttrValue(Tensor::Scalar(2.0f)));
  EXPECT_FALSE(AttrValue(Tensor::Scalar(2.0f)) == AttrValue(Tensor::Scalar(2.0)));
  EXPECT_EQ(AttrValue(Function("f", 2)), AttrValue(Function("f", 2)));
  EXPECT_FALSE(AttrValue(Function("f", 2)) == AttrValue(Function("f", 3)));
  EXPECT_FALSE(AttrValue(PartialShape()) == AttrValue(PartialShape::Scalar()));
}

TEST(AttrValueTest, ListAndFunctionAreNullForOtherKinds) {
  EXPECT_EQ(AttrValue(3).list(), nullptr);
  EXPECT_EQ(AttrValue(3).function(), nullptr);
  ASSERT_NE(IntList({5}).list(), nullptr);
  EXPECT_EQ(IntList({5}).list()->ints[0], 5);
}

}  // namespace
}  // namespace tagflow
