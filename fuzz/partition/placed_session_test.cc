// Graphs that are cut by hand-picked placements give what they give whole, in every order tried.

#include "fuzz/partition/placed_session.h"

#include <gtest/gtest.h>

#include "fuzz/partition/stateful_loop.h"
#include "graph/test_graph.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

using reference::NamedTensors;

Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }
Tensor Bool(bool value) { return Tensor::Scalar<bool>(value); }

// A graph, which devices its nodes are on ("b: x y" in lines; the rest are on a), and calls of it.
class Cut {
 public:
  Cut(const std::string& graph, const std::map<std::string, std::string>& device_of)
      : graph_(TestGraph(graph, OpRegistry::Standard()).Take()),
        session_(graph_.Clone(), PlacementOf(graph_, {"a", "b", "c"}, device_of)) {}

  // Runs whole and in parts, in several orders; what both give as text, or what differs.
  std::string Run(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                  const std::vector<std::string>& init = {}) {
    auto whole = reference::Session::Create(graph_.Clone());
    EXPECT_TRUE((*whole)->Run({}, {}, init).ok());
    const std::string expected = Text((*whole)->Run(feeds, fetches));
    for (uint64_t seed = 0; seed < 20; ++seed) {
      reference::RunOptions options;
      options.seed = seed;
      options.max_firings = 100'000;
      EXPECT_EQ(Text(session_.Run({}, {}, init)), "");
      const std::string actual = Text(session_.Run(feeds, fetches, {}, options));
      if (actual != expected) return expected + " became " + actual;
    }
    return expected;
  }

  Status Refusal(const std::vector<std::string>& fetches) {
    return session_.Run({}, fetches).status();
  }
  int64_t messages() const { return session_.last().messages().all; }
  int64_t dead() const { return session_.last().messages().dead; }
  int64_t MessagesOf(const std::string& tensor) const {
    int64_t count = 0;
    for (const reference::Message& message : session_.last().sent()) {
      count += message.key.find(";" + tensor + ";") != std::string::npos;
    }
    return count;
  }
  const Graph& part(int device) const {
    return session_.last_parts()[static_cast<size_t>(device)].graph;
  }

 private:
  static std::string Text(const Result<std::vector<Tensor>>& values) {
    if (!values.ok()) return values.status().ToString();
    std::string text;
    for (const Tensor& value : *values) text += (text.empty() ? "" : ", ") + value.DebugString();
    return text;
  }

  Graph graph_;
  PlacedSession session_;
};

constexpr char kCond[] = R"(
    p = Placeholder() dtype=bool
    x = Placeholder() dtype=int32
    switch = Switch(x, p) T=int32
    neg = Neg(switch:1) T=int32
    square = Square(switch) T=int32
    merge = Merge(square, neg) T=int32
    out = Identity(merge) T=int32
)";

TEST(PlacedSession, ABranchElsewhereIsToldThatItIsDead) {
  Cut cut(kCond, {{"neg", "b"}, {"square", "c"}});
  EXPECT_EQ(cut.Run({{"p", Bool(true)}, {"x", Int(3)}}, {"out"}), "int32[] -3");
  EXPECT_EQ(cut.Run({{"p", Bool(false)}, {"x", Int(3)}}, {"out"}), "int32[] 9");
  EXPECT_EQ(cut.messages(), 4);
  EXPECT_EQ(cut.dead(), 2);
}

TEST(PlacedSession, ATensorCrossesOncePerDestination) {
  Cut cut(R"(
    x = Placeholder() dtype=int32
    square = Square(x) T=int32
    one = Neg(square) T=int32
    two = AddV2(square, square) T=int32
    three = Square(square) T=int32
    sum = AddN(one, two, three) T=int32 N=3
  )",
          {{"one", "b"}, {"two", "b"}, {"three", "c"}, {"sum", "c"}});
  EXPECT_EQ(cut.Run({{"x", Int(3)}}, {"sum"}), "int32[] 90");
  EXPECT_EQ(cut.MessagesOf("square:0"), 2);
  EXPECT_EQ(cut.messages(), 4);
}

TEST(PlacedSession, ADeadControlEdgeArrivesDead) {
  const std::string text = std::string(kCond) + R"(
    guarded = Identity(x, ^neg) T=int32
    either = Merge(guarded, switch) T=int32
  )";
  for (const char* device : {"a", "b"}) {
    Cut cut(text, {{"neg", "b"}, {"guarded", "c"}, {"either", device}});
    EXPECT_EQ(cut.Run({{"p", Bool(true)}, {"x", Int(3)}}, {"either:1"}), "int32[] 0");
    EXPECT_EQ(cut.Run({{"p", Bool(false)}, {"x", Int(3)}}, {"either:1"}), "int32[] 1");
  }
}

TEST(PlacedSession, AControlEdgeFromASwitchIsLiveTowardsBothBranches) {
  Cut cut(std::string(kCond) + "    after = Identity(x, ^switch) T=int32\n",
          {{"switch", "b"}, {"after", "c"}});
  EXPECT_EQ(cut.Run({{"p", Bool(true)}, {"x", Int(3)}}, {"after"}), "int32[] 3");
  EXPECT_EQ(cut.Run({{"p", Bool(false)}, {"x", Int(3)}}, {"after"}), "int32[] 3");
}

// i = 0, x = 1; while i < n: i = i + 1, x = -(x * c)
constexpr char kLoop[] = R"(
    n = Placeholder() dtype=int32
    c = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    i_enter = Enter(zero) T=int32 frame_name=loop
    x_enter = Enter(one) T=int32 frame_name=loop
    n_enter = Enter(n) T=int32 frame_name=loop is_constant=true
    c_enter = Enter(c) T=int32 frame_name=loop is_constant=true
    one_enter = Enter(one) T=int32 frame_name=loop is_constant=true
    i = Merge(i_enter, i_next) T=int32
    x = Merge(x_enter, x_next) T=int32
    less = Less(i, n_enter) T=int32
    again = LoopCond(less)
    i_switch = Switch(i, again) T=int32
    x_switch = Switch(x, again) T=int32
    i_add = AddV2(i_switch:1, one_enter) T=int32
    x_mul = Mul(x_switch:1, c_enter) T=int32
    x_neg = Neg(x_mul) T=int32
    i_next = NextIteration(i_add) T=int32
    x_next = NextIteration(x_neg) T=int32
    i_exit = Exit(i_switch) T=int32
    x_exit = Exit(x_switch) T=int32
    out = Identity(x_exit) T=int32
)";

NamedTensors Trips(int32_t n) { return {{"n", Int(n)}, {"c", Int(3)}}; }

TEST(PlacedSession, ABodyElsewhereCostsAMessageEachWayAndAPredicatePerIteration) {
  Cut cut(kLoop, {{"x_mul", "b"}, {"x_neg", "b"}});
  for (int n = 0; n < 4; ++n) {
    EXPECT_EQ(cut.Run(Trips(n), {"out", "i_exit"}).find("became"), std::string::npos);
    EXPECT_EQ(cut.MessagesOf("again:0"), n + 1);
    EXPECT_EQ(cut.MessagesOf("x_switch:1"), n + 1);
    EXPECT_EQ(cut.MessagesOf("x_neg:0"), n + 1);
    EXPECT_EQ(cut.MessagesOf("c:0"), 1);  // once per frame, not per iteration
    EXPECT_EQ(cut.messages(), 3 * (n + 1) + 1);
    EXPECT_EQ(cut.dead(), 2);  // of the last iteration, there and back
  }
  EXPECT_EQ(cut.Run(Trips(3), {"out"}), "int32[] -27");
}

TEST(PlacedSession, AnyHalfOfALoopMayBeElsewhere) {
  const std::vector<std::vector<std::string>> halves = {
      {"x", "x_switch", "x_mul", "x_neg", "x_exit"},  // a variable of its own
      {"i", "less", "again", "i_switch", "i_add"},    // the leader
      {"x"},
      {"x_switch"},
      {"x_exit"},
      {"x_exit", "out"},
      {"x_next"},  // goes with its consumer, whatever is said
      {"x_enter", "c_enter"},
      {"again"},
      {"less", "x_neg"},
      {"c", "n", "one"}};
  for (const auto& half : halves) {
    std::map<std::string, std::string> device_of;
    for (const std::string& name : half) device_of[name] = "b";
    Cut cut(kLoop, device_of);
    EXPECT_EQ(cut.Run(Trips(0), {"out", "i_exit"}), "int32[] 1, int32[] 0") << half[0];
    EXPECT_EQ(cut.Run(Trips(3), {"out", "i_exit"}), "int32[] -27, int32[] 3") << half[0];
  }
}

TEST(PlacedSession, ThreeDevicesEachWithAPart) {
  Cut cut(kLoop, {{"x_mul", "b"}, {"x_neg", "c"}, {"x_exit", "c"}, {"x_switch", "b"}});
  EXPECT_EQ(cut.Run(Trips(2), {"out", "i_exit"}), "int32[] 9, int32[] 2");
  EXPECT_EQ(cut.MessagesOf("again:0"), 2 * 3);  // to b and to c
}

TEST(PlacedSession, ALoopOnOneDeviceGetsNothing) {
  Cut cut(kLoop, {{"out", "b"}, {"n", "c"}});
  EXPECT_EQ(cut.Run(Trips(2), {"out"}), "int32[] 9");
  EXPECT_EQ(cut.messages(), 2);
  EXPECT_EQ(cut.MessagesOf("x_exit:0"), 1);
}

// TensorFlow hangs here: nothing of the loop is received where c is squared.
TEST(PlacedSession, ADeviceThatTakesConstantsAloneIteratesToo) {
  std::string text = kLoop;
  text.replace(text.find("Mul(x_switch:1, c_enter)"), 24, "Mul(x_switch:1, squared)");
  text += "    squared = Square(c_enter) T=int32\n";
  for (int n = 0; n < 6; n += 1) {
    Cut cut(text, {{"squared", "b"}});
    EXPECT_EQ(cut.Run(Trips(n), {"out"}).find("became"), std::string::npos) << n;
    EXPECT_EQ(cut.MessagesOf("squared:0"), n + 1);
    EXPECT_EQ(cut.MessagesOf("c:0"), 1);
    EXPECT_EQ(cut.dead(), 0);  // the constant is there in the last iteration too
  }
}

TEST(PlacedSession, ALoopInABranchNotTakenCostsOneRoundOfDeadMessages) {
  std::string text = kLoop;
  text.replace(text.find("Enter(zero)"), 11, "Enter(z:1)");
  text.replace(text.find("Enter(one)"), 10, "Enter(o:1)");
  text += R"(
    p = Placeholder() dtype=bool
    z = Switch(zero, p) T=int32
    o = Switch(one, p) T=int32
    either = Merge(o, x_exit) T=int32
    result = Identity(either) T=int32
  )";
  for (const char* exit : {"a", "b"}) {
    Cut cut(text, {{"x_mul", "b"}, {"x_neg", "b"}, {"x_exit", exit}});
    NamedTensors feeds = Trips(3);
    feeds.emplace_back("p", Bool(true));
    EXPECT_EQ(cut.Run(feeds, {"result"}), "int32[] -27");
    feeds.back().second = Bool(false);
    EXPECT_EQ(cut.Run(feeds, {"result"}), "int32[] 1");
    EXPECT_EQ(cut.MessagesOf("again:0"), 1);
    EXPECT_EQ(cut.MessagesOf("x_neg:0"), 1);
    EXPECT_EQ(cut.dead(), cut.messages() - 1);  // c is live
  }
}

// for i < n: x = x + sum of c over j < i
constexpr char kNested[] = R"(
    n = Placeholder() dtype=int32
    c = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    i_enter = Enter(zero) T=int32 frame_name=outer
    x_enter = Enter(zero) T=int32 frame_name=outer
    n_enter = Enter(n) T=int32 frame_name=outer is_constant=true
    c_enter = Enter(c) T=int32 frame_name=outer is_constant=true
    one_enter = Enter(one) T=int32 frame_name=outer is_constant=true
    i = Merge(i_enter, i_next) T=int32
    x = Merge(x_enter, x_next) T=int32
    less = Less(i, n_enter) T=int32
    again = LoopCond(less)
    i_switch = Switch(i, again) T=int32
    x_switch = Switch(x, again) T=int32
    i_add = AddV2(i_switch:1, one_enter) T=int32
    i_next = NextIteration(i_add) T=int32
    pivot = Identity(i_switch:1) T=int32
    start = Const(^pivot) dtype=int32 value=0
    j_enter = Enter(start) T=int32 frame_name=inner
    y_enter = Enter(x_switch:1) T=int32 frame_name=inner
    i_inner = Enter(pivot) T=int32 frame_name=inner is_constant=true
    c_inner = Enter(c_enter) T=int32 frame_name=inner is_constant=true
    one_inner = Enter(one_enter) T=int32 frame_name=inner is_constant=true
    j = Merge(j_enter, j_next) T=int32
    y = Merge(y_enter, y_next) T=int32
    j_less = Less(j, i_inner) T=int32
    j_again = LoopCond(j_less)
    j_switch = Switch(j, j_again) T=int32
    y_switch = Switch(y, j_again) T=int32
    j_add = AddV2(j_switch:1, one_inner) T=int32
    y_add = AddV2(y_switch:1, c_inner) T=int32
    j_next = NextIteration(j_add) T=int32
    y_next = NextIteration(y_add) T=int32
    y_exit = Exit(y_switch) T=int32
    x_next = NextIteration(y_exit) T=int32
    x_exit = Exit(x_switch) T=int32
    out = Identity(x_exit) T=int32
)";

TEST(PlacedSession, NestedLoopsStackTheirControlLoops) {
  Cut cut(kNested, {{"y_add", "b"}});
  EXPECT_EQ(cut.Run(Trips(4), {"out"}), "int32[] 18");
  EXPECT_EQ(cut.Run(Trips(0), {"out"}), "int32[] 0");
  EXPECT_EQ(cut.messages(), 1 + 1 + 3);  // c; a predicate of the outer loop; a dead round inside
  EXPECT_EQ(cut.Run(Trips(3), {"out"}), "int32[] 9");
  EXPECT_EQ(cut.MessagesOf("again:0"), 4);
  EXPECT_EQ(cut.MessagesOf("j_again:0"), 1 + 2 + 3 + 1);  // 0, 1 and 2 trips, and the dead one
  EXPECT_EQ(cut.MessagesOf("c:0"), 1);
}

TEST(PlacedSession, ADeviceOfTheOuterLoopAloneHasNoInnerLoop) {
  Cut cut(kNested, {{"i_add", "b"}});
  EXPECT_EQ(cut.Run(Trips(4), {"out"}), "int32[] 18");
  EXPECT_EQ(cut.MessagesOf("j_again:0"), 0);
}

TEST(PlacedSession, AnInnerLoopWhollyElsewhere) {
  std::map<std::string, std::string> inner;
  for (const char* name :
       {"j", "y", "j_less", "j_again", "j_switch", "y_switch", "j_add", "y_add", "y_exit"}) {
    inner[name] = "b";
  }
  Cut cut(kNested, inner);
  EXPECT_EQ(cut.Run(Trips(4), {"out"}), "int32[] 18");
  EXPECT_EQ(cut.MessagesOf("j_again:0"), 0);
  // Or by its leader alone, or by all but its leader.
  EXPECT_EQ(Cut(kNested, {{"j_again", "b"}}).Run(Trips(4), {"out"}), "int32[] 18");
  inner.erase("j_again");
  inner["x_switch"] = "c";
  EXPECT_EQ(Cut(kNested, inner).Run(Trips(4), {"out"}), "int32[] 18");
}

// With the variable far from the loop.
TEST(PlacedSession, WhatTheBeginningOfAnIterationOrdersStaysInOrder) {
  const std::map<std::string, std::string> state = {
      {"v", "b"}, {"init", "b"}, {"read", "b"}, {"write", "b"}, {"final", "b"}};
  EXPECT_EQ(Cut(kStatefulLoop, state).Run({}, {"final", "exit"}, {"init"}), "int32[] 6, int32[] 6");
  std::map<std::string, std::string> more = state;
  more["body"] = "b";
  EXPECT_EQ(Cut(kStatefulLoop, more).Run({}, {"final", "exit"}, {"init"}), "int32[] 6, int32[] 6");
  // The variable with the leader, a part of the loop far away.
  EXPECT_EQ(Cut(kStatefulLoop, {{"sum", "b"}}).Run({}, {"final", "exit"}, {"init"}),
            "int32[] 6, int32[] 6");
}

TEST(PlacedSession, ArraysAreFilledFromAnotherDevice) {
  std::map<std::string, std::string> device_of = {
      {"array", "b"}, {"write", "b"}, {"gather", "b"}, {"out", "b"}};
  const std::string text = R"(
    n = Placeholder() dtype=int32
    c = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    array = TensorArrayV3(n) dtype=int32
    i_enter = Enter(zero) T=int32 frame_name=loop
    f_enter = Enter(array:1) T=float frame_name=loop
    a_enter = Enter(array) T=resource frame_name=loop is_constant=true
    n_enter = Enter(n) T=int32 frame_name=loop is_constant=true
    one_enter = Enter(one) T=int32 frame_name=loop is_constant=true
    i = Merge(i_enter, i_next) T=int32
    f = Merge(f_enter, f_next) T=float
    less = Less(i, n_enter) T=int32
    again = LoopCond(less)
    i_switch = Switch(i, again) T=int32
    f_switch = Switch(f, again) T=float
    i_add = AddV2(i_switch:1, one_enter) T=int32
    value = Mul(i_add, i_add) T=int32
    write = TensorArrayWriteV3(a_enter, i_switch:1, value, f_switch:1) T=int32
    i_next = NextIteration(i_add) T=int32
    f_next = NextIteration(write) T=float
    f_exit = Exit(f_switch) T=float
    last = Sub(n, one) T=int32
    gather = TensorArrayReadV3(array, last, f_exit) dtype=int32
    out = Identity(gather) T=int32
  )";
  EXPECT_EQ(Cut(text, device_of).Run(Trips(4), {"out"}), "int32[] 16");
  device_of["f"] = device_of["f_switch"] = "c";
  EXPECT_EQ(Cut(text, device_of).Run(Trips(4), {"out"}), "int32[] 16");
}

TEST(PlacedSession, AFeedIsTakenWhereItsNodeIs) {
  Cut cut(R"(
    x = Placeholder() dtype=int32
    mid = Square(x) T=int32
    out = Neg(mid) T=int32
  )",
          {{"mid", "b"}, {"out", "c"}});
  EXPECT_EQ(cut.Run({{"mid", Int(5)}}, {"out", "mid"}), "int32[] -5, int32[] 5");
  EXPECT_EQ(cut.messages(), 1);
}

}  // namespace
}  // namespace tagflow::fuzz
