#include "graph/node_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tagflow {
namespace {

TEST(NodeTable, NodesAreFoundByNameAndKeepTheirPlace) {
  NodeTable table;
  const Node* first = table.Add("n0");
  for (int i = 1; i < 1000; ++i) ASSERT_NE(table.Add("n" + std::to_string(i)), nullptr);
  EXPECT_EQ(table.size(), 1000u);
  EXPECT_EQ(table.id_limit(), 1000u);
  EXPECT_EQ(&table[NodeId{0}], first);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(table.Find("n" + std::to_string(i)), NodeId{i});
  EXPECT_EQ(table.Find("n1000"), NodeId::kNone);
}

TEST(NodeTable, ATakenNameIsRefusedAndNotMovedFrom) {
  NodeTable table;
  table.Add("n");
  std::string name = "n";
  EXPECT_EQ(table.Add(std::move(name)), nullptr);
  EXPECT_EQ(name, "n");
  EXPECT_EQ(table.id_limit(), 1u);
}

TEST(NodeTable, ManyNamesAtOnceAreAsOneByOne) {
  NodeTable table;
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) {
    names.push_back("n" + std::to_string(i * 7 % 500));
    if (i % 3 != 0) table.Add("n" + std::to_string(i));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::vector<NodeId> ids(names.size());
  table.Find(views, ids);
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(ids[i], table.Find(names[i])) << names[i];
}

TEST(NodeTable, ACopyStandsByItself) {
  NodeTable table;
  for (int i = 0; i < 100; ++i) table.Add("n" + std::to_string(i));
  NodeTable copy(table);
  table.Remove(NodeId{3});
  copy.Add("only here");
  EXPECT_EQ(copy.Find("n3"), NodeId{3});
  EXPECT_EQ(copy.size(), 101u);
  EXPECT_EQ(table.Find("only here"), NodeId::kNone);
}

// Additions and removals in any order, held against a map.
TEST(NodeTable, AddsAndRemovesLikeAMap) {
  std::mt19937 random(1);
  NodeTable table;
  std::map<std::string, NodeId> model;
  for (int step = 0; step < 20'000; ++step) {
    const std::string name = "n" + std::to_string(random() % 200);
    const auto there = model.find(name);
    if (random() % 2 == 0) {
      const Node* node = table.Add(std::string(name));
      ASSERT_EQ(node == nullptr, there != model.end());
      if (node != nullptr) model[name] = node->id;
    } else if (there != model.end()) {
      table.Remove(there->second);
      model.erase(there);
    }
    ASSERT_EQ(table.size(), model.size());
    const std::string other = "n" + std::to_string(random() % 200);
    const auto expected = model.find(other);
    ASSERT_EQ(table.Find(other), expected == model.end() ? NodeId::kNone : expected->second);
  }
}

}  // namespace
}  // namespace tagflow
