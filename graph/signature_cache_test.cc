#include "graph/signature_cache.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

class SignatureCacheTest : public testing::Test {
 protected:
  const Node& AddNode(std::string_view op, const AttrMap& attrs) {
    const NodeId id = *graph_.AddNode("n" + std::to_string(graph_.id_limit()), op);
    for (const auto& [name, value] : attrs) graph_.SetAttr(id, name, value);
    return graph_.node(id);
  }
  const Signature* Of(std::string_view op, const AttrMap& attrs) {
    const Result<const Signature*> signature = cache_.Of(AddNode(op, attrs));
    return signature.ok() ? *signature : nullptr;
  }
  Graph graph_;
  SignatureCache cache_;
};

TEST_F(SignatureCacheTest, NodesOfOneOpAndOneTypeShareASignature) {
  const Signature* floats = Of("Add", {{"T", DType::kFloat}});
  ASSERT_NE(floats, nullptr);
  EXPECT_EQ(floats->inputs, (std::vector<ArgType>{{DType::kFloat}, {DType::kFloat}}));
  const Signature* ints = Of("Add", {{"T", DType::kInt32}});
  ASSERT_NE(ints, nullptr);
  EXPECT_EQ(ints->outputs, std::vector<ArgType>{{DType::kInt32}});
  EXPECT_EQ(Of("Add", {{"T", DType::kFloat}}), floats);
  EXPECT_EQ(Of("Add", {{"T", DType::kInt32}}), ints);
  EXPECT_NE(Of("Mul", {{"T", DType::kFloat}}), floats);
}

TEST_F(SignatureCacheTest, OtherAttrsAreLookedAtInEachNode) {
  const Signature* two = Of("Merge", {{"T", DType::kBool}, {"N", 2}});
  const Signature* three = Of("Merge", {{"T", DType::kBool}, {"N", 3}});
  ASSERT_NE(two, nullptr);
  ASSERT_NE(three, nullptr);
  EXPECT_EQ(two->inputs.size(), 2u);
  EXPECT_EQ(three->inputs.size(), 3u);
}

TEST_F(SignatureCacheTest, WhatIsWrongIsWrongEachTime) {
  for (int i = 0; i < 2; ++i) {
    const Node& lacking = AddNode("Add", {});
    EXPECT_EQ(cache_.Of(lacking).status().ToString(),
              ResolveSignature(lacking).status().ToString());
    const Node& text = AddNode("Sqrt", {{"T", DType::kString}});
    EXPECT_EQ(cache_.Of(text).status().ToString(), ResolveSignature(text).status().ToString());
    EXPECT_EQ(cache_.Of(AddNode("NobodyKnowsIt", {})).status().code(), Code::kUnimplemented);
    EXPECT_NE(Of("Add", {{"T", DType::kFloat}}), nullptr);
  }
}

}  // namespace
}  // namespace tagflow
