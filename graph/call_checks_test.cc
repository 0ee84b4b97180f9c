#include "graph/call_checks.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"

namespace tagflow {
namespace {

class CallChecksTest : public testing::Test {
 protected:
  CallChecksTest() {
    graph_.SetAttr(Id("x"), "shape", PartialShape(Dims{2, -1}));
    graph_.versions.producer = 24;
    graph_.mutable_node(Id("y")).device = "/device:GPU:0";
  }
  NodeId Id(const char* name) { return graph_.Find(name); }
  Status Feed(const Tensor& value) { return CheckFeed(graph_, {Id("x"), 0}, "x", value); }

  Graph graph_ = TestGraph(R"(
    x = Placeholder() dtype=float
    y = Placeholder() dtype=int32
    z = Neg(x)
  )",
                           OpRegistry::Standard())
                     .Take();
};

TEST_F(CallChecksTest, AFeedHasTheDTypeAndShapeOfItsPlaceholder) {
  EXPECT_TRUE(Feed(Tensor::Of<float>(Dims{2, 1}, std::vector<float>{1, 2})).ok());
  const Status dtype = Feed(Tensor::Scalar<int32_t>(1));
  EXPECT_EQ(dtype.code(), Code::kInvalidArgument);
  EXPECT_EQ(dtype.node(), "x");
  EXPECT_EQ(Feed(Tensor::Scalar<float>(1)).code(), Code::kInvalidArgument);
}

TEST_F(CallChecksTest, OldGraphsSayNothingByAnEmptyShape) {
  graph_.SetAttr(Id("x"), "shape", PartialShape(Dims{}));
  EXPECT_FALSE(Feed(Tensor::Vector<float>({1})).ok());
  graph_.versions.producer = 22;
  EXPECT_FALSE(Feed(Tensor::Vector<float>({1})).ok());
  graph_.versions.producer = 21;
  EXPECT_TRUE(Feed(Tensor::Vector<float>({1})).ok());
}

TEST_F(CallChecksTest, AllMissingPlaceholdersAreNamed) {
  const std::vector<bool> needed(graph_.id_limit(), true);
  const Status status = CheckPlaceholdersFed(graph_, {}, needed);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("'x'"), std::string::npos);
  EXPECT_NE(status.message().find("'y'"), std::string::npos);
  CallSpec call;
  call.feeds = {{Id("x"), 0}, {Id("y"), 0}};
  EXPECT_TRUE(CheckPlaceholdersFed(graph_, call, needed).ok());
}

TEST_F(CallChecksTest, DevicesAreThoseOffered) {
  const std::vector<bool> needed(graph_.id_limit(), true);
  EXPECT_TRUE(CheckDevices(graph_, {}, needed, {}).ok());
  const Status status = CheckDevices(graph_, {}, needed, {"/device:CPU:0"});
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.node(), "y");
}

}  // namespace
}  // namespace tagflow
