#include "transform/gradients/variable_handles.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/test_graph.h"

namespace tagflow {
namespace {

constexpr char kReads[] = R"(
  v = VarHandleOp() dtype=float shared_name=v
  p = Placeholder() dtype=bool
  way = Switch(v, p) T=resource
  in = Enter(way:1) T=resource frame_name=loop is_constant=true
  before = ReadVariableOp(v) dtype=float
  set = AssignVariableOp(v, before) dtype=float
  after = ReadVariableOp(v, ^set) dtype=float
  apart = ReadVariableOp(v) dtype=float
  other = VarHandleOp() dtype=float shared_name=v
)";

class VariableHandlesTest : public testing::Test {
 protected:
  // The read that the change is not on one side of, with the others: "" for none.
  std::string ReadBeside(const std::vector<std::string>& reads) const {
    std::vector<bool> counts(g_.graph().id_limit());
    for (const std::string& read : reads) counts[Index(g_.id(read))] = true;
    const auto [change, read] = FindChangeBetweenReads(g_.graph(), g_.graph().NodeIds(),
                                                       FindVariableHandles(g_.graph()), counts);
    return change == NodeId::kNone ? "" : g_.graph().node(read).name;
  }

  TestGraph g_{kReads, OpRegistry::Standard()};
};

TEST_F(VariableHandlesTest, AreWhatVarHandleOpGivesAndWhatItIsHandedOnAs) {
  const VariableHandles handles = FindVariableHandles(g_.graph());
  EXPECT_EQ(handles.size(), 5u);  // v, other, two ports and what enters
  EXPECT_EQ(handles.at({g_.id("in"), 0}).dtype, DType::kFloat);
  EXPECT_EQ(HandlesFrom(g_.graph(), {{{g_.id("way"), 1}, {}}}).size(), 2u);
}

TEST_F(VariableHandlesTest, OfOneVariableAreFoundByItsName) {
  const auto handles = HandlesOfOneVariable(g_.graph());
  EXPECT_EQ(handles.size(), 2u);
  EXPECT_EQ(handles.at({g_.id("v"), 0}).size(), 2u);
}

TEST_F(VariableHandlesTest, AChangeHasAllReadsOnOneSide) {
  EXPECT_EQ(ReadBeside({"before"}), "");
  EXPECT_EQ(ReadBeside({"after"}), "");
  EXPECT_EQ(ReadBeside({"before", "after"}), "after");
  EXPECT_EQ(ReadBeside({"apart"}), "apart");
  EXPECT_TRUE(ChangeAny(g_.graph(), g_.graph().NodeIds(), FindVariableHandles(g_.graph())));
}

}  // namespace
}  // namespace tagflow
