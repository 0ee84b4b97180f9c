#include "optimized/observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "graph/test_graph.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using ::testing::ElementsAre;

// sum = 1 + 2 + 4 + … while it is less than n
constexpr char kLoop[] = R"(
  n = Placeholder() dtype=float
  one = Const() dtype=float value=1
  e = Enter(one) frame_name=loop
  k = Enter(n) frame_name=loop is_constant=true
  m = Merge(e, next)
  less = Less(m, k)
  c = LoopCond(less)
  s = Switch(m, c)
  body = Add(s:1, s:1)
  next = NextIteration(body)
  out = Exit(s:0)
)";

// Two products that may run at once.
constexpr char kProducts[] = R"(
  x = Placeholder() dtype=float shape=[2,2]
  a = MatMul(x, x)
  b = MatMul(x, x)
  sum = Add(a, b)
)";

// What it is told, in order.
class Listener : public Observer {
 public:
  void StepBegins() override { Note("step begins"); }
  void KernelBegins(const Node& node, KernelContext& context) override {
    Note(node.name + "@" + context.tag());
  }
  void KernelEnds(const Node& node, KernelContext& context, const Status& status) override {
    const std::string given =
        status.ok() ? context.output(0).DebugString() : std::string(CodeName(status.code()));
    Note(node.name + "@" + context.tag() + " = " + given);
  }
  void StepEnds(const Status& status) override { Note("step ends " + CodeText(status)); }

  std::vector<std::string> events;

 private:
  static std::string CodeText(const Status& status) {
    return status.ok() ? "OK" : std::string(CodeName(status.code()));
  }
  void Note(std::string event) {
    std::lock_guard lock(mutex_);
    events.push_back(std::move(event));
  }
  std::mutex mutex_;
};

std::unique_ptr<Session> Open(std::string_view text, Observer& observer,
                              ExecutorChoice executor = ExecutorChoice::kAuto, int threads = 1) {
  SessionOptions options;
  options.observer = &observer;
  options.executor = executor;
  options.threads = threads;
  return *Session::Create(TestGraph(text, OpRegistry::Standard()).Take(), options);
}

Tensor F(float value) { return Tensor::Scalar(value); }

// The kernels of the loop's arithmetic: an executor may have more, for constants and LoopCond.
std::vector<std::string> Arithmetic(const std::vector<std::string>& events) {
  std::vector<std::string> found;
  for (const std::string& event : events) {
    if (event.starts_with("less@") || event.starts_with("body@")) found.push_back(event);
  }
  return found;
}

class EitherExecutor : public testing::TestWithParam<ExecutorChoice> {};

TEST_P(EitherExecutor, TellsOfEachKernelWithItsTagAndResult) {
  Listener listener;
  const auto session = Open(kLoop, listener, GetParam());
  ASSERT_TRUE(session->Run({{"n", F(3)}}, {"out"}).ok());
  EXPECT_EQ(listener.events.front(), "step begins");
  EXPECT_EQ(listener.events.back(), "step ends OK");
  EXPECT_THAT(Arithmetic(listener.events),
              ElementsAre("less@loop[0]", "less@loop[0] = bool[] true",  //
                          "body@loop[0]", "body@loop[0] = float[] 2",    //
                          "less@loop[1]", "less@loop[1] = bool[] true",  //
                          "body@loop[1]", "body@loop[1] = float[] 4",    //
                          "less@loop[2]", "less@loop[2] = bool[] false"));
}

TEST_P(EitherExecutor, TellsOfAKernelThatFails) {
  Listener listener;
  const auto session = Open(R"(
    x = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    ratio = FloorDiv(x, zero) T=int32
  )",
                            listener, GetParam());
  const auto values = session->Run({{"x", Tensor::Scalar(1)}}, {"ratio"});
  EXPECT_EQ(values.status().node(), "ratio");
  ASSERT_GE(listener.events.size(), 2u);
  const size_t last = listener.events.size() - 1;
  EXPECT_EQ(listener.events[last - 1], "ratio@ = INVALID_ARGUMENT");
  EXPECT_EQ(listener.events[last], "step ends INVALID_ARGUMENT");
}

INSTANTIATE_TEST_SUITE_P(Executors, EitherExecutor,
                         testing::Values(ExecutorChoice::kStraight, ExecutorChoice::kTokens),
                         [](const auto& info) {
                           return info.param == ExecutorChoice::kStraight ? "Straight" : "Tokens";
                         });

TEST(ObserverTest, KernelsOnOtherThreadsAreToldThere) {
  Listener listener;
  const auto session = Open(kProducts, listener, ExecutorChoice::kAuto, 4);
  const Tensor x = *Tensor::Allocate(DType::kFloat, Dims{2, 2});
  for (int step = 0; step < 50; ++step) {
    ASSERT_TRUE(session->Run({{"x", x}}, {"sum"}).ok());
  }
  // Two for each step, two for each of its three kernels.
  EXPECT_EQ(listener.events.size(), 50u * (2 + 2 * 3));
}

TEST(ObserverTest, ASimulatedScheduleIsObservedToo) {
  Listener listener;
  const auto session = Open(kProducts, listener, ExecutorChoice::kTokens, 2);
  const Tensor x = *Tensor::Allocate(DType::kFloat, Dims{2, 2});
  RunOptions options;
  options.seed = 1;
  ASSERT_TRUE(session->Run({{"x", x}}, {"sum"}, {}, options).ok());
  EXPECT_EQ(listener.events.size(), 2u + 2 * 3);
}

TEST(ObserverListTest, TheLastIsNearestToTheKernelAndAllMayChange) {
  struct Named : Observer {
    Named(std::string of, std::string& to) : name(std::move(of)), events(to) {}
    void StepBegins() override { events += name + "( "; }
    void KernelBegins(const Node&, KernelContext&) override { events += name + "[ "; }
    void KernelEnds(const Node&, KernelContext&, const Status&) override {
      events += "]" + name + " ";
    }
    void StepEnds(const Status&) override { events += ")" + name + " "; }
    const std::string name;
    std::string& events;
  };
  std::string events;
  Named a("a", events);
  Named b("b", events);
  ObserverList list;
  const auto session = Open("x = Placeholder() dtype=float\n y = Neg(x)", list);
  const auto run = [&] {
    events.clear();
    EXPECT_TRUE(session->Run({{"x", F(3)}}, {"y"}).ok());
    return events;
  };
  EXPECT_EQ(run(), "");
  list.Set({&a, &b});
  EXPECT_EQ(run(), "a( b( a[ b[ ]b ]a )b )a ");
  list.Set({&b});
  EXPECT_EQ(run(), "b( b[ ]b )b ");
}

TEST(ObservedTest, HasTheSameKernelsAtTheSameCost) {
  const KernelRegistry& standard = KernelRegistry::Standard();
  Listener listener;
  const auto observed = Observed(standard, listener);
  EXPECT_EQ(observed->Ops(), standard.Ops());
  for (const std::string& op : standard.Ops()) {
    EXPECT_EQ(observed->Find(op)->cost, standard.Find(op)->cost) << op;
  }
}

}  // namespace
}  // namespace tagflow::optimized
