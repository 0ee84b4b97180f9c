#include "graph/unknown_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "graph/limits.h"
#include "graph/test_graph.h"

namespace tagflow {
namespace {

using testing::HasSubstr;

std::string TypesOf(const std::vector<ArgType>& types, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + ArgTypeName(types[i]);
  return text;
}

constexpr char kGraph[] = R"(
  x = Placeholder() dtype=int32
  v = VariableV2() dtype=float shape=[]
  a = Strange(x, v) T=float
  b = Stranger(a:2)
  y = Neg(a:1) T=int32
  z = Assign(b:0, a:0) T=float
)";

TEST(UnknownOps, AStandInHasTheTypesThatOthersTakeItFor) {
  TestGraph graph(kGraph, OpRegistry::Standard());
  Graph stand_in = graph.graph().Clone();
  StandInForUnknownOps(stand_in);
  const Node& a = stand_in.node(stand_in.Find("a"));
  ASSERT_TRUE(IsStandIn(a));
  EXPECT_TRUE(a.def->is_stateful);
  EXPECT_EQ(OpNameOf(a), "Strange");
  const Signature of_a = *ResolveSignature(a);
  EXPECT_EQ(TypesOf(of_a.inputs, 2), "int32 float_ref");
  EXPECT_EQ(TypesOf(of_a.outputs, 2), "float int32");
  EXPECT_EQ(TypesOf(ResolveSignature(stand_in.node(stand_in.Find("b")))->outputs, 1), "float_ref");
  EXPECT_FALSE(IsOfAnyType(stand_in, {a.id, 1}));
  EXPECT_TRUE(IsOfAnyType(stand_in, {a.id, 2}));
  EXPECT_FALSE(IsOfAnyType(stand_in, {stand_in.Find("y"), 0}));
  EXPECT_TRUE(ValidateCall(stand_in, graph.Call({}, {"y"}, {"z"})).ok());
}

TEST(UnknownOps, AStandInBecomesItsNodeAgain) {
  TestGraph graph(kGraph, OpRegistry::Standard());
  Graph stand_in = graph.graph().Clone();
  StandInForUnknownOps(stand_in);
  RestoreUnknownOps(stand_in);
  for (const NodeId id : stand_in.NodeIds()) {
    const Node& before = graph.graph().node(id);
    EXPECT_EQ(stand_in.node(id).op, before.op);
    EXPECT_EQ(stand_in.node(id).def, before.def);
    EXPECT_EQ(stand_in.node(id).attrs, before.attrs);
  }
}

TEST(UnknownOps, SoManyOutputsMayBeTaken) {
  for (const int32_t taken :
       {kMostOutputsOfUnknownOp - 1, kMostOutputsOfUnknownOp, kMostOutputsOfUnknownOp + 1}) {
    const std::string last = std::to_string(taken - 1);
    TestGraph graph("a = Strange()\n y = Neg(a:" + last + ") T=int32", OpRegistry::Standard());
    Graph stand_in = graph.Take();
    StandInForUnknownOps(stand_in);
    EXPECT_EQ(IsStandIn(stand_in.node(stand_in.Find("a"))), taken <= kMostOutputsOfUnknownOp)
        << taken;
  }
}

TEST(UnknownOps, ANodeOfWhichAnAbsurdOutputIsTakenStaysUnknown) {
  TestGraph graph("a = Strange()\n y = Neg(a:1000000) T=int32", OpRegistry::Standard());
  Graph stand_in = graph.graph().Clone();
  StandInForUnknownOps(stand_in);
  EXPECT_FALSE(IsStandIn(stand_in.node(stand_in.Find("a"))));
  EXPECT_EQ(ValidateCall(stand_in, graph.Call({}, {"y"})).status().code(), Code::kUnimplemented);
}

Status Refused(const std::string& text, const std::vector<std::string>& fetches) {
  TestGraph graph(text, OpRegistry::Standard());
  Graph stand_in = graph.graph().Clone();
  StandInForUnknownOps(stand_in);
  const CallSpec call = graph.Call({}, fetches);
  const Result<ValidatedCall> valid = ValidateCall(stand_in, call);
  EXPECT_TRUE(valid.ok()) << valid.status().ToString();
  std::vector<NodeId> unknown;
  for (const NodeId id : stand_in.NodeIds()) {
    if (valid->needed[Index(id)] && IsStandIn(stand_in.node(id))) unknown.push_back(id);
  }
  return RefuseWhatMustRun(stand_in, call, *valid, unknown, "CPU");
}

TEST(UnknownOps, AllThatNoSwitchCanKillAreRefusedAtOnce) {
  const std::string graph = R"(
    p = Const() dtype=bool value=1
    a = Strange()
    s = Switch(a, p) T=int32
    b = Stranger(s:1)
    c = Strangest(a)
    y = AddN(a, b, c) T=int32 N=3
    z = Identity(b) T=int32
    w = Strange()
  )";
  const Status both = Refused(graph, {"y"});
  EXPECT_EQ(both.code(), Code::kUnimplemented);
  EXPECT_EQ(both.node(), "a");
  EXPECT_EQ(both.rule(), "graph.1");
  EXPECT_THAT(both.message(), HasSubstr("needs the op 'Strange'"));
  EXPECT_THAT(both.message(), HasSubstr("Nor can run: 'c' (op Strangest)"));
  EXPECT_EQ(both.message().find("'b'"), std::string::npos);
  const std::string behind = R"(
    p = Const() dtype=bool value=1
    x = Const() dtype=int32 value=1
    s = Switch(x, p) T=int32
    b = Stranger(s:1)
    z = Identity(b) T=int32
  )";
  EXPECT_TRUE(Refused(behind, {"z"}).ok());
}

}  // namespace
}  // namespace tagflow
