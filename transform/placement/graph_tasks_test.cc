#include "transform/placement/graph_tasks.h"

#include <gtest/gtest.h>

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
  explicit Tasks(const CostOptions& options = {}) : graph_(kLoop, OpRegistry::Standard()) {
    CallSpec call;
    call.targets = graph_.graph().NodeIds();
    const ValidatedCall valid = *ValidateCall(graph_.graph(), call);
    const FeedSet fed(graph_.graph(), {});
    const Requests requests =
        *ReadRequests(graph_.graph(), {"/device:CPU:0"}, ColocatedGroups(graph_.graph()), {});
    made_ = TasksOf(graph_.graph(), valid, fed, requests, {{"/device:CPU:0", "CPU"}}, options);
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
