#include <gtest/gtest.h>

#include "graph/graph.h"
#include "graph/op_def.h"

namespace tagflow {
namespace {

TEST(StandardOpsTest, EveryDefinitionIsLegal) {
  OpRegistry registry;
  EXPECT_EQ(RegisterStandardOps(registry).ToString(), "OK");
  EXPECT_EQ(registry.All().size(), OpRegistry::Standard().All().size());
}

TEST(StandardOpsTest, EveryOpIsDocumentedAndHasAShapeFunction) {
  for (const OpDef* op : OpRegistry::Standard().All()) {
    EXPECT_FALSE(op->summary.empty()) << op->name;
    EXPECT_NE(op->shape_function, nullptr) << op->name;
  }
}

TEST(StandardOpsTest, EveryAttrOfAnArgumentIsDeclared) {
  for (const OpDef* op : OpRegistry::Standard().All()) {
    for (const auto* args : {&op->inputs, &op->outputs}) {
      for (const ArgDef& arg : *args) {
        for (const std::string& attr : {arg.type_attr, arg.type_list_attr, arg.number_attr}) {
          EXPECT_TRUE(attr.empty() || op->FindAttr(attr) != nullptr) << op->name << " " << attr;
        }
      }
    }
  }
}

TEST(StandardOpsTest, ASecondRegistrationIsRefused) {
  OpRegistry registry;
  ASSERT_TRUE(RegisterStandardOps(registry).ok());
  EXPECT_EQ(RegisterStandardOps(registry).code(), Code::kAlreadyExists);
}

}  // namespace
}  // namespace tagflow
