#include "graph/io/input_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow {
namespace {

using ::testing::HasSubstr;

Graph GraphOf(int nodes) {
  Graph graph;
  for (int i = 0; i < nodes; ++i) {
    EXPECT_TRUE(graph.AddNode("n" + std::to_string(i), "NoSuchOp").ok());
  }
  return graph;
}

TEST(ConnectInputs, EveryNodeGetsItsOwn) {
  Graph graph = GraphOf(3);
  ASSERT_TRUE(ConnectInputs({{"n2:1", "^n1", "n0", "n0", "n2"}, {2, 2, 5}}, graph).ok());
  const Node& first = graph.node(NodeId{0});
  EXPECT_THAT(first.inputs, ::testing::ElementsAre(OutputRef{NodeId{2}, 1}));
  EXPECT_THAT(first.control_inputs, ::testing::ElementsAre(NodeId{1}));
  EXPECT_TRUE(graph.node(NodeId{1}).inputs.empty());
  EXPECT_EQ(graph.node(NodeId{2}).inputs.size(), 3u);
}

TEST(ConnectInputs, ManyInputsComeOutInOrder) {
  constexpr int kNodes = 1000;
  Graph graph = GraphOf(kNodes);
  std::vector<std::string> names;
  InputNames inputs;
  for (int i = 0; i < kNodes; ++i) {
    for (int k = 0; k < i % 5; ++k) names.push_back("n" + std::to_string((i * 37 + k) % kNodes));
    inputs.ends.push_back(names.size());
  }
  inputs.names.assign(names.begin(), names.end());
  ASSERT_TRUE(ConnectInputs(inputs, graph).ok());
  for (int i = 0; i < kNodes; ++i) {
    const Node& node = graph.node(NodeId{i});
    ASSERT_EQ(node.inputs.size(), static_cast<size_t>(i % 5));
    for (int k = 0; k < i % 5; ++k) {
      EXPECT_EQ(node.inputs[static_cast<size_t>(k)].node, NodeId{(i * 37 + k) % kNodes});
    }
  }
}

TEST(ConnectInputs, TheInputThatIsWrongIsNamed) {
  Graph graph = GraphOf(2);
  const Status status = ConnectInputs({{"n0", "n1", "gone"}, {1, 3}}, graph);
  EXPECT_EQ(status.node(), "n1");
  EXPECT_THAT(status.message(), HasSubstr("input 1 'gone'"));
}

}  // namespace
}  // namespace tagflow
