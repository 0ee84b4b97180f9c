#include "graph/io/wire_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/io/graph.pb.h"

namespace tagflow {
namespace {

using ::testing::ElementsAre;

NodeDef SmallNode() {
  NodeDef node;
  node.set_name("n");
  node.set_op("Switch");
  node.add_input("x:1");
  node.add_input("^c");
  node.set_device("/device:CPU:0");
  (*node.mutable_attr())["T"].set_type(DT_INT32);
  return node;
}

TEST(WireNode, PlainNodesAreReadInPlace) {
  const std::string bytes = SmallNode().SerializeAsString();
  WireNode node;
  ASSERT_TRUE(ReadNode(bytes, node));
  EXPECT_EQ(node.name, "n");
  EXPECT_EQ(node.op, "Switch");
  EXPECT_EQ(node.device, "/device:CPU:0");
  EXPECT_THAT(node.inputs, ElementsAre("x:1", "^c"));
  ASSERT_EQ(node.attrs.size(), 1u);
  EXPECT_EQ(node.attrs[0].first, "T");
  EXPECT_GE(node.name.data(), bytes.data());
  EXPECT_LE(node.name.data(), bytes.data() + bytes.size());
}

TEST(WireNode, WhatIsUnusualIsLeftToTheParser) {
  WireNode node;
  NodeDef debug = SmallNode();
  debug.mutable_experimental_debug_info()->add_original_node_names("m");
  EXPECT_FALSE(ReadNode(debug.SerializeAsString(), node));
  NodeDef umlaut = SmallNode();
  umlaut.set_device("\xc3\xa4");
  EXPECT_FALSE(ReadNode(umlaut.SerializeAsString(), node));
  const std::string bytes = SmallNode().SerializeAsString();
  EXPECT_FALSE(ReadNode(bytes.substr(0, bytes.size() - 1), node));
}

TEST(WireNode, SimpleAttrsAreRead) {
  auto read = [](auto set) {
    AttrValueProto proto;
    set(proto);
    AttrValue attr;
    EXPECT_TRUE(ReadSimpleAttr(proto.SerializeAsString(), attr)) << proto.ShortDebugString();
    return attr;
  };
  EXPECT_EQ(*read([](auto& a) { a.set_i(-7); }).template Get<int64_t>(), -7);
  EXPECT_EQ(*read([](auto& a) { a.set_f(0.5f); }).template Get<float>(), 0.5f);
  EXPECT_EQ(*read([](auto& a) { a.set_b(true); }).template Get<bool>(), true);
  EXPECT_EQ(*read([](auto& a) { a.set_s("\xff"); }).template Get<std::string>(), "\xff");
  EXPECT_EQ(*read([](auto& a) { a.set_type(DT_HALF_REF); }).template Get<ArgType>(),
            (ArgType{DType::kHalf, true}));
}

TEST(WireNode, OtherAttrsAreNot) {
  AttrValueProto shape, later_type, two;
  shape.mutable_shape();
  later_type.set_type(DT_FLOAT8_E5M2);
  two.set_i(1);
  AttrValue attr;
  EXPECT_FALSE(ReadSimpleAttr(shape.SerializeAsString(), attr));
  EXPECT_FALSE(ReadSimpleAttr(later_type.SerializeAsString(), attr));
  EXPECT_FALSE(ReadSimpleAttr(two.SerializeAsString() + two.SerializeAsString(), attr));
  EXPECT_FALSE(ReadSimpleAttr("", attr));
}

TEST(WireNode, AGraphIsSplitIntoNodesAndTheRest) {
  GraphDef def;
  *def.add_node() = SmallNode();
  def.mutable_versions()->set_producer(9);
  *def.add_node() = SmallNode();
  WireGraph graph;
  ASSERT_TRUE(SplitGraph(def.SerializeAsString(), graph));
  EXPECT_EQ(graph.nodes.size(), 2u);
  GraphDef rest;
  ASSERT_TRUE(rest.ParseFromString(graph.rest));
  EXPECT_EQ(rest.versions().producer(), 9);
  EXPECT_EQ(rest.node_size(), 0);
}

}  // namespace
}  // namespace tagflow
