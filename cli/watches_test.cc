#include "cli/watches.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"
#include "reference/session.h"

namespace tagflow::cli {
namespace {

constexpr char kLoop[] = R"(
  zero = Const() dtype=int32 value=0
  enter = Enter(zero) T=int32 frame_name=a/loop
  i = Merge(enter, next) T=int32
  limit = Const(^i) dtype=int32 value=2
  less = Less(i, limit) T=int32
  again = LoopCond(less)
  turn = Switch(i, again) T=int32
  one = Const(^turn) dtype=int32 value=1
  sum = AddV2(turn:1, one) T=int32
  next = NextIteration(sum) T=int32
  exit = Exit(turn:0) T=int32
)";

std::string Watched(const std::vector<std::string>& words) {
  Graph graph = TestGraph(kLoop, OpRegistry::Standard()).Take();
  Result<Watches> watches = Watches::Parse(graph, words);
  if (!watches.ok()) return watches.status().message();
  const auto session = *reference::Session::Create(std::move(graph));
  reference::RunOptions options;
  options.trace = [&](const reference::TraceEvent& event) { watches->Look(event); };
  EXPECT_TRUE(session->Run({}, {"exit"}, {}, options).ok());
  return watches->Text();
}

TEST(WatchesTest, ATensorHasAValueForEachTag) {
  EXPECT_EQ(Watched({"i"}),
            "i @ a\\/loop[0]: int32[] 0\ni @ a\\/loop[1]: int32[] 1\n"
            "i @ a\\/loop[2]: int32[] 2\n");
  EXPECT_EQ(Watched({"zero"}), "zero: int32[] 0\n");
}

TEST(WatchesTest, OneTagIsAskedForWithOrWithoutBackslashes) {
  EXPECT_EQ(Watched({"sum@a/loop[1]"}), "sum @ a\\/loop[1]: int32[] 2\n");
  EXPECT_EQ(Watched({"sum@a\\/loop[1]", "turn:1@a/loop[2]"}),
            "sum @ a\\/loop[1]: int32[] 2\nturn:1 @ a\\/loop[2]: dead\n");
}

TEST(WatchesTest, WhatNeverFiredOrIsNotThereIsSaid) {
  EXPECT_EQ(Watched({"sum@a/loop[7]"}), "sum@a/loop[7]: never fired\n");
  EXPECT_NE(Watched({"sums@a/loop[0]"}).find("--watch sums@a/loop[0]: "), std::string::npos);
}

}  // namespace
}  // namespace tagflow::cli
