#include "transform/placement/graph_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/test_graph.h"

namespace tagflow {
namespace {

constexpr char kLoop[] = R"(
    zero = Const() dtype=int32 value=0
    ten = Const() dtype=int32 value=10
    enter = Enter(zero) T=int32 frame_name=f
    limit = Enter(ten) T=int32 frame_name=f is_constant=true
    merge = Merge(enter, next) T=int32 N=2
    less = Less(merge, limit) T=int32
    cond = LoopCond(less)
    switch = Switch(merge, cond) T=int32
    square = Square(switch:1) T=int32
    next = NextIteration(square) T=int32
    exit = Exit(switch) T=int32
    out = Neg(exit) T=int32
)";

class Tasks {
 public:
  explicit Tasks(const CostOptions& options = {}, const std::vector<std::string>& feeds = {},
                 const std::vector<std::string>& fetches = {})
      : graph_(kLoop, OpRegistry::Standard()) {
    CallSpec call = graph_.Call(feeds, fetches);
    if (fetches.empty()) call.targets = graph_.graph().NodeIds();
    const ValidatedCall valid = *ValidateCall(graph_.graph(), call);
    const Requests requests =
        *ReadRequests(graph_.graph(), {"/device:CPU:0"}, ColocatedGroups(graph_.graph()), {});
    made_ = TasksOf(graph_.graph(), call, valid, requests, {{"/device:CPU:0", "CPU"}}, options);
  }
  const Task& Of(const std::string& name) const {
    return made_.tasks.tasks[static_cast<size_t>(TaskOf(name))];
  }
  int TaskOf(const std::string& name) const { return made_.task_of[Index(graph_.id(name))]; }
  // Messages of the tensor that the node makes; 0: nobody takes it
  double Messages(const std::string& name) const {
    for (const TaskTensor& tensor : made_.tasks.tensors) {
      if (tensor.producer == TaskOf(name)) return tensor.messages;
    }
    return 0;
  }
  // Whose tensors the tasks that are with a node, or with the host, take: those of no node.
  std::vector<std::string> TakenWith(const std::string& with) const {
    const NodeId wanted = with.empty() ? NodeId::kNone : graph_.id(with);
    std::vector<std::string> names;
    for (size_t i = 0; i < made_.node_of.size(); ++i) {
      const bool is_of_node = wanted != NodeId::kNone && static_cast<int>(i) == TaskOf(with);
      if (made_.node_of[i] != wanted || is_of_node) continue;
      for (const int tensor : made_.tasks.tasks[i].takes) names.push_back(MakerOf(tensor));
    }
    return names;
  }
  // "" for the host.
  std::string MakerOf(int tensor) const {
    const auto producer =
        static_cast<size_t>(made_.tasks.tensors[static_cast<size_t>(tensor)].producer);
    const NodeId id = made_.node_of[producer];
    return id == NodeId::kNone ? "" : graph_.graph().node(id).name;
  }

 private:
  TestGraph graph_;
  GraphTasks made_;
};

TEST(GraphTasks, ALoopRunsAHundredTimes) {
  const Tasks tasks;
  EXPECT_EQ(tasks.Of("square").ns[0], 100 * (100 + 0.8));  // 8 bytes in and out, 10 a ns
  EXPECT_EQ(tasks.Of("out").ns[0], 100.8);
  EXPECT_EQ(tasks.Messages("switch"), 100);
  EXPECT_EQ(tasks.Messages("enter"), 1) << "what enters crosses before";
  EXPECT_EQ(tasks.Messages("exit"), 1);
}

TEST(GraphTasks, OrAsOftenAsWasMeasured) {
  CostOptions options;
  options.measured["less"] = {50, 8};
  options.measured["square"] = {10, 7};
  const Tasks tasks(options);
  EXPECT_EQ(tasks.Of("less").ns[0], 400);
  EXPECT_EQ(tasks.Of("square").ns[0], 70);
  EXPECT_EQ(tasks.Of("switch").ns[0], 800);
  EXPECT_EQ(tasks.Messages("switch"), 8);
}

TEST(GraphTasks, NobodyWaitsForTheNextIterationButTheExit) {
  const Tasks tasks;
  EXPECT_EQ(tasks.Of("merge").takes.size(), 1u);
  EXPECT_EQ(tasks.Messages("next"), 0);
  EXPECT_EQ(tasks.Of("exit").after, std::vector<int>{tasks.TaskOf("next")});
}

using Names = std::vector<std::string>;

TEST(GraphTasks, WhatIsFedAndFetchedIsTheHosts) {
  const Tasks tasks({}, {"ten"}, {"out", "exit"});
  EXPECT_EQ(tasks.MakerOf(tasks.Of("limit").takes.at(0)), "");
  EXPECT_EQ(tasks.MakerOf(tasks.Of("enter").takes.at(0)), "zero");
  std::vector<std::string> fetched = tasks.TakenWith("");
  std::sort(fetched.begin(), fetched.end());
  EXPECT_EQ(fetched, (Names{"exit", "out"}));
}

TEST(GraphTasks, EachGroupOfALoopIsToldThePredicate) {
  const Tasks tasks;
  EXPECT_EQ(tasks.TakenWith("square"), Names{"cond"});
  EXPECT_EQ(tasks.TakenWith("less"), Names{"cond"});
  EXPECT_EQ(tasks.TakenWith("out"), Names{});
}

TEST(GraphTasks, LoopsInLoopsStayFinite) {
  CostOptions options;
  options.unknown_trips = 1e300;
  EXPECT_EQ(Tasks(options).Messages("switch"), 1e12);
}

TEST(GraphTasks, ControlFlowIsInTheGroupOfItsData) {
  const Tasks tasks;
  for (const char* name : {"enter", "merge", "switch", "next", "exit"}) {
    EXPECT_EQ(tasks.Of(name).group, tasks.Of("zero").group) << name;
  }
  EXPECT_EQ(tasks.Of("limit").group, tasks.Of("ten").group);
  EXPECT_EQ(tasks.Of("cond").group, tasks.Of("less").group);
  EXPECT_NE(tasks.Of("square").group, tasks.Of("less").group);
}

}  // namespace
}  // namespace tagflow
