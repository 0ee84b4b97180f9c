#include "graph/test_node.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

std::string Attrs(const std::string& op, const std::vector<DType>& inputs, AttrMap attrs = {}) {
  const Result<Node> node = TestNode("node", op, inputs, std::move(attrs));
  if (!node.ok()) return node.status().message();
  std::string text;
  for (const auto& [name, value] : node->attrs) text += name + "=" + value.ToString() + " ";
  return text;
}

TEST(TestNodeTest, TheInputsSayTheirTypesAndCounts) {
  const DType i = DType::kInt32, f = DType::kFloat;
  EXPECT_EQ(Attrs("Neg", {f}), "T=float ");
  EXPECT_EQ(Attrs("Neg", {f}, {{"T", i}}), "T=int32 ");
  EXPECT_EQ(Attrs("Pack", {i, i, i}, {{"axis", 1}}), "N=3 T=int32 axis=1 ");
  EXPECT_EQ(Attrs("DynamicStitch", {i, i, f, f}), "N=2 T=float ");
  EXPECT_EQ(Attrs("IdentityN", {i, f}), "T=list(type)[int32, float] ");
  EXPECT_EQ(Attrs("Nothing", {}), "no definition of op Nothing");
}

}  // namespace
}  // namespace tagflow
