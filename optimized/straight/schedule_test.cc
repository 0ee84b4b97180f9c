#include "optimized/straight/schedule.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "graph/test_graph.h"

namespace tagflow::optimized {
namespace {

// The order of the frames' items as text: nodes by name, ways as "m<0", child frames as "[…]",
// the next iteration as "repeat".
std::string Order(std::string_view text, const std::vector<std::string>& feeds,
                  const std::vector<std::string>& fetches) {
  TestGraph g(text, OpRegistry::Standard());
  const CallSpec call = g.Call(feeds, fetches);
  const Result<ValidatedCall> valid = ValidateCall(g.graph(), call);
  EXPECT_TRUE(valid.ok()) << valid.status().ToString();
  Structure structure = RecoverStructure(g.graph(), call, *valid);
  EXPECT_EQ(structure.irregular, "");
  const FeedSet fed(g.graph(), call.feeds);
  const auto order = ScheduleFrames(g.graph(), fed, *valid, structure);
  if (!order) return "no order";
  const std::function<std::string(size_t)> frame = [&](size_t index) {
    std::string all;
    for (const Item& item : (*order)[index]) {
      all += all.empty() ? "" : " ";
      switch (item.kind) {
        case Item::Kind::kNode:
          all += g.graph().node(item.node).name;
          break;
        case Item::Kind::kWay:
          all += g.graph().node(item.node).name + "<" + std::to_string(item.index);
          break;
        case Item::Kind::kFrame:
          all += "[" + frame(static_cast<size_t>(item.index)) + "]";
          break;
        case Item::Kind::kRepeat:
          all += "repeat";
          break;
      }
    }
    return all;
  };
  return frame(0);
}

TEST(ScheduleTest, ABranchIsInOnePiece) {
  const std::string order = Order(R"(
    p = Placeholder() dtype=bool
    x = Placeholder() dtype=float
    s = Switch(x, p)
    t1 = Neg(s:1)
    f1 = Neg(s:0)
    t2 = Neg(t1)
    f2 = Neg(f1)
    m = Merge(f2, t2)
    y = Neg(m)
  )",
                                  {"p", "x"}, {"y"});
  EXPECT_TRUE(order == "s t1 t2 m<1 f1 f2 m<0 m y" || order == "s f1 f2 m<0 t1 t2 m<1 m y")
      << order;
}

constexpr char kLoop[] = R"(
  x = Placeholder() dtype=float
  e = Enter(x) frame_name=loop
  m = Merge(e, next)
  less = Less(m, m)
  c = LoopCond(less)
  s = Switch(m, c)
  body = Neg(s:1)
  next = NextIteration(body)
  out = Exit(s:0)
)";

TEST(ScheduleTest, ALoopIsOneItemAndRepeatsLast) {
  const std::string order = Order(std::string(kLoop) + "y = Neg(out)\n", {"x"}, {"y"});
  EXPECT_TRUE(order.starts_with("e [m less c s ")) << order;
  EXPECT_TRUE(order.ends_with("] y")) << order;
  EXPECT_LT(order.find("next"), order.find("repeat")) << order;
}

TEST(ScheduleTest, ALoopThatWaitsForItselfHasNoOrder) {
  const std::string text = std::string(kLoop) + R"(
    late = Enter(out) frame_name=loop is_constant=true
    use = Add(s:1, late)
    next2 = NextIteration(use)
    e2 = Enter(x) frame_name=loop
    m2 = Merge(e2, next2)
    s2 = Switch(m2, c)
    out2 = Exit(s2:0)
  )";
  EXPECT_EQ(Order(text, {"x"}, {"out2"}), "no order");
}

}  // namespace
}  // namespace tagflow::optimized
