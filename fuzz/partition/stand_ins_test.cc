#include "fuzz/partition/stand_ins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "fuzz/partition/message_orders.h"
#include "fuzz/partition/placed_session.h"

namespace tagflow::fuzz {
namespace {

// "a;b;loop[1] dead" of "a;b;x:0;loop[1]".
std::string WithoutTensor(const reference::Message& message) {
  const size_t end = message.key.rfind(';');
  const size_t begin = message.key.find(';', message.key.find(';') + 1);
  return message.key.substr(0, begin) + message.key.substr(end) + (message.dead ? " dead" : "");
}

// Of each call, how many states all orders of messages lead through, and what was sent.
std::vector<std::string> Seen(const PlacedBody& placed, Surroundings surroundings) {
  const SmallGraph small = BuildSmallGraph(placed.body, surroundings, 1);
  PlacedSession session(small.graph.Clone(), PlaceUnits(small, placed.devices));
  std::vector<std::string> seen;
  for (const SmallGraph::Call& call : small.calls) {
    std::vector<std::string> sent;
    const MessageOrders orders = TryMessageOrders(
        [&](const reference::Delivery& delivery) {
          const auto values = session.Run(call.feeds, {small.fetch}, {}, {}, delivery);
          sent.clear();
          for (const auto& message : session.last().sent()) sent.push_back(WithoutTensor(message));
          return std::string(values.ok() ? "well" : values.status().ToString());
        },
        "well");
    EXPECT_FALSE(orders.problem.has_value()) << *orders.problem;
    std::string text = std::to_string(orders.states) + " states;";
    std::ranges::sort(sent);
    for (const std::string& message : sent) text += " " + message;
    seen.push_back(std::move(text));
  }
  return seen;
}

// Calls `use` for all placements on two devices of a body.
void ForEachPlacement(const Body& body, Surroundings surroundings,
                      const std::function<void(const PlacedBody&, const SmallGraph&)>& use) {
  const SmallGraph small = BuildSmallGraph(body, surroundings, 1);
  const size_t units = small.units.size();
  for (size_t bits = 0; bits < size_t{1} << (units - 1); ++bits) {
    PlacedBody placed{body, std::vector<int>(units)};
    for (size_t unit = 1; unit < units; ++unit) placed.devices[unit] = bits >> (unit - 1) & 1;
    use(placed, small);
  }
}

// Holds each placed graph of the size to the one that stands for it. Returns how many have one.
int CompareAll(int size, Surroundings surroundings) {
  int stood_for = 0;
  ForEachBody(size, [&](const Body& body) {
    ForEachPlacement(body, surroundings, [&](const PlacedBody& placed, const SmallGraph& small) {
      const auto stand_in = FindStandIn(placed, surroundings, small);
      if (!stand_in) return;
      ++stood_for;
      EXPECT_EQ(Seen(placed, surroundings), Seen(*stand_in, surroundings)) << TextOf(small);
    });
    return true;
  });
  return stood_for;
}

TEST(StandIns, SendTheSameInAsManyOrdersInConds) {
  EXPECT_EQ(CompareAll(1, Surroundings::kCond), 1);
  EXPECT_EQ(CompareAll(2, Surroundings::kCond), 47);
  EXPECT_EQ(CompareAll(3, Surroundings::kCond), 1625);
}

TEST(StandIns, SendTheSameInAsManyOrdersInLoops) {
  EXPECT_EQ(CompareAll(1, Surroundings::kLoop), 32);
  EXPECT_EQ(CompareAll(2, Surroundings::kLoop), 920);
}

// What is seen in one call on all placements, in an order of its own.
std::vector<std::string> SeenOnAll(const Body& body, size_t call) {
  std::vector<std::string> all;
  ForEachPlacement(body, Surroundings::kCond, [&](const PlacedBody& placed, const SmallGraph&) {
    all.push_back(Seen(placed, Surroundings::kCond)[call]);
  });
  std::ranges::sort(all);
  return all;
}

TEST(StandIns, AMirrorImageDoesForTrueWhatTheBodyDoesForFalse) {
  int mirrored = 0;
  ForEachBody(3, [&](const Body& body) {
    const Body image = MirrorImage(body);
    EXPECT_EQ(MirrorImage(image), body);
    if (!(image < body)) return true;
    ++mirrored;
    EXPECT_EQ(SeenOnAll(body, 0), SeenOnAll(image, 1));
    EXPECT_EQ(SeenOnAll(body, 1), SeenOnAll(image, 0));
    EXPECT_EQ(SeenOnAll(body, 2), SeenOnAll(image, 2));
    return true;
  });
  EXPECT_EQ(mirrored, 13);
}

}  // namespace
}  // namespace tagflow::fuzz
