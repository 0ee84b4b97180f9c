// What the parts look like, and what is refused. That they compute what the whole graph does is
// tested in //fuzz/partition.
// Tests: partition.cc, layout.cc, loop_ends.cc, control_loops.cc, parts.cc

#include "transform/partition/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "graph/validate.h"

namespace tagflow {
namespace {

class Partitioned {
 public:
  Partitioned(const std::string& text, const std::map<std::string, std::string>& device_of,
              const std::vector<std::string>& fetches, const std::vector<std::string>& feeds = {},
              const PartitionOptions& options = {})
      : graph_(text, OpRegistry::Standard()) {
    Placement placement{{"a", "b", "c"}, std::vector<std::string>(graph_.graph().id_limit(), "a")};
    for (const auto& [name, device] : device_of) {
      placement.device_of[Index(graph_.id(name))] = device;
    }
    for (NodeId id : graph_.graph().NodeIds()) {
      if (graph_.graph().node(id).op != "VariableV2") continue;
      graph_.mutable_graph().SetAttr(id, "shape", PartialShape());
    }
    Result<std::vector<DevicePart>> parts =
        PartitionCall(graph_.graph(), graph_.Call(feeds, fetches), placement, options);
    status_ = parts.status();
    if (parts.ok()) parts_ = *std::move(parts);
  }

  const Status& status() const { return status_; }
  const Graph& part(int device) const { return parts_[static_cast<size_t>(device)].graph; }
  size_t size() const { return parts_.size(); }

  int CountOp(int device, const std::string& op) const {
    int count = 0;
    for (NodeId id : part(device).NodeIds()) count += part(device).node(id).op == op;
    return count;
  }
  const Node* Find(int device, const std::string& name) const {
    const NodeId id = part(device).Find(name);
    return id == NodeId::kNone ? nullptr : &part(device).node(id);
  }
  // "op(input, ^control)" of a node.
  std::string Text(int device, const std::string& name) const {
    const Node* node = Find(device, name);
    if (node == nullptr) return "nothing";
    std::string text = node->op + "(";
    for (const OutputRef& input : node->inputs) text += OutputName(part(device), input) + " ";
    for (const NodeId control : node->control_inputs) {
      text += "^" + part(device).node(control).name + " ";
    }
    return text + ")";
  }

 private:
  TestGraph graph_;
  std::vector<DevicePart> parts_;
  Status status_;
};

constexpr char kLoop[] = R"(
    n = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    i_enter = Enter(zero) T=int32 frame_name=loop parallel_iterations=7
    n_enter = Enter(n) T=int32 frame_name=loop is_constant=true parallel_iterations=3
    one_enter = Enter(one) T=int32 frame_name=loop is_constant=true parallel_iterations=7
    i = Merge(i_enter, next) T=int32
    less = Less(i, n_enter) T=int32
    again = LoopCond(less)
    switch = Switch(i, again) T=int32
    square = Square(n_enter) T=int32
    sum = AddN(switch:1, one_enter, square) T=int32 N=3
    next = NextIteration(sum) T=int32
    exit = Exit(switch) T=int32
)";

TEST(Partition, EveryDeviceHasAPartWhichMayBeEmpty) {
  const Partitioned cut(kLoop, {}, {"exit"}, {"n"});
  ASSERT_TRUE(cut.status().ok()) << cut.status().ToString();
  ASSERT_EQ(cut.size(), 3u);
  EXPECT_EQ(cut.part(0).num_nodes(), 14u);
  EXPECT_EQ(cut.part(1).num_nodes(), 0u);
  EXPECT_EQ(cut.part(0).node(cut.part(0).Find("sum")).device, "a");
}

TEST(Partition, WhatTheCallDoesNotNeedIsLeftOut) {
  const Partitioned cut(kLoop, {{"one", "b"}}, {"one"});
  EXPECT_EQ(cut.part(0).num_nodes(), 0u);
  EXPECT_EQ(cut.part(1).num_nodes(), 1u);
}

TEST(Partition, AFedNodeIsThereWithoutItsInputs) {
  const Partitioned cut(kLoop, {{"exit", "b"}}, {"exit"}, {"exit"});
  EXPECT_EQ(cut.Text(1, "exit"), "Exit()");
  EXPECT_EQ(cut.part(0).num_nodes() + cut.part(2).num_nodes(), 0u);
}

TEST(Partition, AFedPlaceholderHasNoDefault) {
  const Partitioned cut(R"(
    k = Placeholder() dtype=float
    x = PlaceholderWithDefault(k) dtype=float shape=[]
    w = Neg(k, ^x) T=float
    y = Neg(w, ^x) T=float
  )",
                        {{"y", "b"}}, {"y"}, {"k", "x"});
  ASSERT_TRUE(cut.status().ok()) << cut.status().ToString();
  EXPECT_EQ(cut.Text(0, "x"), "Placeholder()");
}

// In the root, though its node runs in the loop for those that wait for it.
TEST(Partition, AFeedOfANodeInALoopIsReceivedOnce) {
  const std::string text = std::string(kLoop) +
                           "    seen = Identity(switch:1) T=int32\n"
                           "    other = Exit(late) T=int32\n"
                           "    late = Switch(wait, again) T=int32\n"
                           "    wait = Identity(i, ^seen) T=int32\n"
                           "    taken = Neg(seen) T=int32\n";
  const Partitioned cut(text, {{"taken", "b"}, {"square", "b"}}, {"exit", "other", "taken"},
                        {"n", "seen"});
  ASSERT_TRUE(cut.status().ok()) << cut.status().ToString();
  EXPECT_EQ(cut.Text(1, "taken"), "Neg(seen/_recv_from_0_0_on_1 )");
  EXPECT_EQ(cut.Text(1, "seen/_recv_from_0_0_on_1"), "_Recv()");
}

TEST(Partition, TheLoopOfADeviceThatOnlySends) {
  const Partitioned cut(kLoop, {{"square", "b"}}, {"exit"}, {"n"});
  ASSERT_TRUE(cut.status().ok()) << cut.status().ToString();
  EXPECT_EQ(cut.Text(1, "again/_loop_enter_on_1"), "Enter(control_loops/_start_on_1 )");
  EXPECT_EQ(cut.Text(1, "again/_loop_merge_on_1"),
            "Merge(again/_loop_enter_on_1 again/_loop_next_on_1 )");
  EXPECT_EQ(cut.Text(1, "again/_loop_switch_on_1"),
            "Switch(again/_loop_merge_on_1 again/_recv_from_0_0_on_1 )");
  EXPECT_EQ(cut.Text(1, "again/_loop_next_on_1"), "NextIteration(again/_loop_switch_on_1:1 )");
  EXPECT_EQ(cut.Text(1, "again/_recv_from_0_0_on_1"), "_Recv(^again/_loop_merge_on_1 )");
  // The constant has an Enter here, whose value crosses outside the loop, and who takes it waits.
  EXPECT_EQ(cut.Text(1, "n_enter_on_1"), "Enter(n/_recv_from_0_0_on_1 )");
  EXPECT_EQ(cut.Text(1, "n/_recv_from_0_0_on_1"), "_Recv()");
  EXPECT_EQ(cut.Text(1, "square"), "Square(n_enter_on_1 ^again/_loop_merge_on_1 )");
  // The leader has a loop too, and needs no message for it.
  EXPECT_EQ(cut.Text(0, "again/_loop_switch_on_0"), "Switch(again/_loop_merge_on_0 again )");
  EXPECT_EQ(cut.CountOp(0, "_Recv"), 1);
  EXPECT_EQ(cut.CountOp(0, "_Send"), 2);
  // Each may begin as many iterations as the whole frame.
  for (const char* enter : {"n_enter_on_1", "again/_loop_enter_on_1"}) {
    EXPECT_EQ(*IntAttr(*cut.Find(1, enter), "parallel_iterations"), 3) << enter;
  }
  EXPECT_EQ(*IntAttr(*cut.Find(0, "i_enter"), "parallel_iterations"), 3);
}

TEST(Partition, LoopsOnlyWhereReceivedLeavesThatDeviceWithout) {
  PartitionOptions options;
  options.fault = PartitionFault::kLoopsOnlyWhereReceived;
  const Partitioned cut(kLoop, {{"square", "b"}}, {"exit"}, {"n"}, options);
  EXPECT_EQ(cut.Text(1, "square"), "Square(n_enter_on_1 )");
  EXPECT_EQ(cut.CountOp(1, "Merge"), 0);
  EXPECT_EQ(cut.CountOp(0, "Merge"), 2);
}

TEST(Partition, EntersAndNextIterationsGoWithTheirConsumers) {
  const Partitioned cut(kLoop, {{"i", "b"}, {"next", "c"}, {"i_enter", "c"}}, {"exit"}, {"n"});
  ASSERT_TRUE(cut.status().ok()) << cut.status().ToString();
  EXPECT_EQ(cut.Text(1, "i"), "Merge(i_enter next )");
  EXPECT_EQ(cut.Text(1, "i_enter"), "Enter(zero/_recv_from_0_0_on_1 )");
  EXPECT_EQ(cut.Text(1, "next"), "NextIteration(sum/_recv_from_0_0_on_1 )");
  EXPECT_EQ(cut.part(2).num_nodes(), 0u);
}

TEST(Partition, NewNamesAreNobodyElses) {
  const Partitioned cut(R"(
    x = Const() dtype=int32 value=1
    taken = Square(x) T=int32
    x/_recv_from_0_0_on_1 = Neg(taken) T=int32
    sum = AddV2(x, x/_recv_from_0_0_on_1) T=int32
  )",
                        {{"taken", "b"}, {"sum", "c"}}, {"sum"});
  ASSERT_TRUE(cut.status().ok()) << cut.status().ToString();
  EXPECT_EQ(cut.Text(1, "taken"), "Square(x/_recv_from_0_0_on_1_1 )");
  EXPECT_EQ(cut.Text(0, "x/_recv_from_0_0_on_1"), "Neg(taken/_recv_from_1_0_on_0 )");
}

TEST(Partition, AControlEdgeCrossesThroughAConstantAndAnIdentity) {
  const Partitioned cut(R"(
    x = Const() dtype=int32 value=1
    y = Const(^x) dtype=int32 value=1
  )",
                        {{"y", "b"}}, {"y"});
  EXPECT_EQ(cut.Text(0, "x/_control_on_0"), "Const(^x )");
  EXPECT_EQ(cut.Text(0, "x/_send_to_1_control_on_0"), "_Send(x/_control_on_0 )");
  EXPECT_EQ(cut.Text(1, "x/_control_on_1"), "Identity(x/_recv_from_0_control_on_1 )");
  EXPECT_EQ(cut.Text(1, "y"), "Const(^x/_control_on_1 )");
}

TEST(Partition, ADeviceThatIsNotThereIsRefused) {
  Partitioned cut(kLoop, {{"sum", "d"}}, {"exit"}, {"n"});
  EXPECT_EQ(cut.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(cut.status().rule(), "graph.4");
  EXPECT_EQ(cut.status().node(), "sum");
  EXPECT_NE(cut.status().message().find("place it on one of 'a' 'b' 'c'"), std::string::npos);
  Partitioned nowhere(kLoop, {{"sum", ""}}, {"exit"}, {"n"});
  EXPECT_NE(nowhere.status().message().find("has no device"), std::string::npos);
}

TEST(Partition, AFrameWithoutALoopCondCannotBeCut) {
  std::string text = kLoop;
  text.replace(text.find("LoopCond(less)"), 14, "Identity(less) T=bool");
  Partitioned cut(text, {{"sum", "b"}}, {"exit"}, {"n"});
  EXPECT_EQ(cut.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(cut.status().rule(), "partition.3");
  EXPECT_NE(cut.status().message().find("frame 'loop' is on several devices ('a', 'b') and has no "
                                        "LoopCond"),
            std::string::npos)
      << cut.status().message();
  EXPECT_TRUE(Partitioned(text, {{"exit", "a"}}, {"exit"}, {"n"}).status().ok());
}

// Variables that do not end with the LoopCond: another predicate, none, a ControlTrigger.
TEST(Partition, AFrameThatDoesNotEndWithItsLoopCondCannotBeCut) {
  const std::vector<std::string> endless = {
      "    other = Switch(i, less2) T=int32\n    less2 = LessEqual(i, n_enter) T=int32\n"
      "    n2 = NextIteration(other:1) T=int32\n",
      "    n2 = NextIteration(i) T=int32\n", "    n2 = NextIteration(switch) T=int32\n",
      "    trigger = ControlTrigger(^sum)\n    always = Const(^trigger) dtype=int32 value=1\n"
      "    n2 = NextIteration(always) T=int32\n"};
  for (const std::string& more : endless) {
    const std::string text =
        kLoop + more + "    use = Merge(i_enter, n2) T=int32\n    out = Exit(use) T=int32\n";
    Partitioned cut(text, {{"square", "b"}}, {"exit", "out"}, {"n"});
    EXPECT_EQ(cut.status().rule(), "partition.3") << more;
    EXPECT_EQ(cut.status().node(), "n2") << more;
    EXPECT_TRUE(Partitioned(text, {}, {"exit", "out"}, {"n"}).status().ok()) << more;
  }
}

// Those that do: behind an Identity of the predicate, by way of a branch, by way of a loop.
TEST(Partition, AFrameMayEndWithItsLoopCondInRoundaboutWays) {
  const std::vector<std::string> ending = {
      "    handed = Identity(again) T=bool\n    other = Switch(i, handed) T=int32\n"
      "    n2 = NextIteration(other:1) T=int32\n",
      "    other = Switch(i, less) T=int32\n    n2 = NextIteration(other:1) T=int32\n",
      "    p = Less(sum, n_enter) T=int32\n    branch = Switch(sum, p) T=int32\n"
      "    neg = Neg(branch) T=int32\n    both = Merge(neg, branch:1) T=int32\n"
      "    n2 = NextIteration(both) T=int32\n",
      "    in = Enter(sum) T=int32 frame_name=inner\n    j = Merge(in, j_next) T=int32\n"
      "    lim = Enter(n_enter) T=int32 frame_name=inner is_constant=true\n"
      "    jl = Less(j, lim) T=int32\n    jc = LoopCond(jl)\n    js = Switch(j, jc) T=int32\n"
      "    ja = Square(js:1) T=int32\n    j_next = NextIteration(ja) T=int32\n"
      "    jx = Exit(js) T=int32\n    n2 = NextIteration(jx) T=int32\n"};
  for (const std::string& more : ending) {
    const std::string text =
        kLoop + more + "    use = Merge(i_enter, n2) T=int32\n    out = Exit(use) T=int32\n";
    Partitioned cut(text, {{"square", "b"}}, {"exit", "out"}, {"n"});
    EXPECT_TRUE(cut.status().ok()) << more << cut.status().ToString();
  }
}

TEST(Partition, ReferencesAndHandlesDoNotCross) {
  Partitioned handle(R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    read = ReadVariableOp(v) dtype=int32
  )",
                     {{"read", "b"}}, {"read"});
  EXPECT_EQ(handle.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(handle.status().rule(), "partition.4");
  EXPECT_EQ(handle.status().node(), "read");
  EXPECT_NE(handle.status().message().find("resource handle"), std::string::npos);
  Partitioned reference(R"(
    v = VariableV2() dtype=int32
    read = Neg(v) T=int32
  )",
                        {{"read", "b"}}, {"read"});
  EXPECT_EQ(reference.status().rule(), "partition.4") << reference.status().ToString();
}

TEST(Partition, AnInvalidCallIsRefusedAsOnOneDevice) {
  Partitioned cut("    x = NextIteration(y) T=int32\n    y = Const() dtype=int32 value=1\n", {},
                  {"x"});
  EXPECT_EQ(cut.status().code(), Code::kInvalidArgument);
}

TEST(Partition, EveryPartIsValid) {
  const Partitioned cut(kLoop, {{"square", "b"}, {"sum", "c"}, {"less", "b"}}, {"exit"}, {"n"});
  ASSERT_TRUE(cut.status().ok()) << cut.status().ToString();
  for (int device = 0; device < 3; ++device) {
    for (const Status& wrong : ValidateGraph(cut.part(device))) {
      ADD_FAILURE() << device << ": " << wrong.ToString();
    }
  }
}

}  // namespace
}  // namespace tagflow
