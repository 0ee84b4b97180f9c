#include "graph/op_lines.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

TEST(OpLinesTest, ArgumentsAndAttrs) {
  const Result<OpDefBuilder> builder =
      OpOfLines("Own", {"input x: T", "input n: int32", "output y: T", "attr T: {float, double}"});
  ASSERT_TRUE(builder.ok()) << builder.status().ToString();
  const Result<OpDef> op = builder->Build();
  ASSERT_TRUE(op.ok()) << op.status().ToString();
  EXPECT_EQ(op->name, "Own");
  EXPECT_EQ(op->inputs.size(), 2u);
  EXPECT_EQ(op->outputs.size(), 1u);
  EXPECT_NE(op->FindAttr("T"), nullptr);
}

TEST(OpLinesTest, ALineThatIsNone) {
  for (const char* line : {"", "x: float", "inputs x: float"}) {
    const Status status = OpOfLines("Own", {line}).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << line;
    EXPECT_NE(status.message().find(line), std::string::npos) << status.ToString();
  }
  EXPECT_FALSE(OpOfLines("Own", {"input"})->Build().ok());
  EXPECT_FALSE(OpOfLines("Own", {"attr T: nothing"})->Build().ok());
}

}  // namespace
}  // namespace tagflow
