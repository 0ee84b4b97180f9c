#include "fuzz/partition/message_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace tagflow::fuzz {
namespace {

using Keys = std::vector<std::string>;

// Messages a, b and c are under way; d is when a and b have arrived. What comes of it: the order.
std::string Deliver(const reference::Delivery& delivery) {
  Keys under_way = {"a", "b", "c"};
  std::string order;
  while (!under_way.empty()) {
    const size_t choice = delivery(under_way);
    order += under_way[choice];
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(choice));
    const bool both = order.find('a') != std::string::npos && order.find('b') != std::string::npos;
    if (both && (order.back() == 'a' || order.back() == 'b')) under_way.push_back("d");
    std::ranges::sort(under_way);
  }
  return order;
}

TEST(MessageOrders, EveryStateIsSeenAndEveryMessageTriedThere) {
  std::set<std::string> edges;
  const MessageOrders orders = TryMessageOrders(
      [&](const reference::Delivery& delivery) {
        std::string order = Deliver(delivery);
        for (size_t i = 0; i < order.size(); ++i) {
          std::string before = order.substr(0, i);
          std::ranges::sort(before);
          edges.insert(before + ">" + order[i]);
        }
        return std::string("same");
      },
      "same");
  EXPECT_FALSE(orders.problem.has_value());
  // The subsets of {a, b, c}, and of {a, b, c, d} those with a, b and d.
  EXPECT_EQ(orders.states, 8 + 2);
  EXPECT_EQ(edges.size(), 12u + 1 + 1 + 1);
  EXPECT_LT(orders.runs, 15);
}

TEST(MessageOrders, AnOrderThatGivesSomethingElseIsFound) {
  const MessageOrders orders = TryMessageOrders(
      [](const reference::Delivery& delivery) {
        const std::string order = Deliver(delivery);
        return order.find("ca") != std::string::npos ? "c before a" : "fine";
      },
      "fine");
  ASSERT_TRUE(orders.problem.has_value());
  EXPECT_NE(orders.problem->find("fine became c before a; the messages arrived as "),
            std::string::npos)
      << *orders.problem;
}

// A device that sends something else when it was told later: what arrived is not all there is.
TEST(MessageOrders, AStateThatIsNotTheSetOfItsMessagesIsFound) {
  const MessageOrders orders = TryMessageOrders(
      [](const reference::Delivery& delivery) {
        const Keys first = {"a", "b"};
        const size_t choice = delivery(first);
        delivery({first[1 - choice]});
        delivery({choice == 0 ? "x" : "y"});
        return std::string("same");
      },
      "same");
  ASSERT_TRUE(orders.problem.has_value());
  EXPECT_NE(orders.problem->find("other messages are under way"), std::string::npos);
}

TEST(MessageOrders, OfEveryPairEitherComesFirst) {
  std::vector<std::string> seen;
  const MessageOrders orders = TryMessageOrders(
      [&](const reference::Delivery& delivery) {
        seen.push_back(Deliver(delivery));
        return std::string("same");
      },
      "same", Orders::kEveryPair);
  EXPECT_FALSE(orders.problem.has_value());
  EXPECT_EQ(orders.runs, 5);
  EXPECT_EQ(seen, (std::vector<std::string>{"abcd", "bcad", "acbd", "abdc", "abcd"}));
}

TEST(MessageOrders, AnOrderOfTwoThatGivesSomethingElseIsFound) {
  const MessageOrders orders = TryMessageOrders(
      [](const reference::Delivery& delivery) {
        const std::string order = Deliver(delivery);
        return order.find('c') < order.find('a') ? "c before a" : "fine";
      },
      "fine", Orders::kEveryPair);
  EXPECT_EQ(orders.problem.value_or(""),
            "fine became c before a; the messages arrived as b, c, a, d");
}

// Messages 1 and 2 are under way to x, and 3 to y; when it has 1 and 2, x sends y another.
std::string DeliverToTwo(const reference::Delivery& delivery,
                         const std::function<std::string(const std::string& order)>& another) {
  Keys under_way = {"x;y;3", "y;x;1", "y;x;2"};
  std::string order;
  while (!under_way.empty()) {
    const size_t choice = delivery(under_way);
    const char which = under_way[choice].back();
    order += which;
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(choice));
    const size_t both = std::max(order.find('1'), order.find('2'));
    if (both != std::string::npos && which != '3' && both + 1 == order.size()) {
      under_way.push_back("x;y;" + another(order));
    }
    std::ranges::sort(under_way);
  }
  return order;
}

TEST(MessageOrders, AtEachDeviceOrdersAreTriedWhileTheOthersGoOn) {
  std::set<std::string> at_each, all;
  auto try_all = [](Orders orders, std::set<std::string>& seen) {
    return TryMessageOrders(
        [&seen](const reference::Delivery& delivery) {
          seen.insert(DeliverToTwo(delivery, [](const std::string&) { return "4"; }));
          return std::string("same");
        },
        "same", orders);
  };
  EXPECT_EQ(try_all(Orders::kAll, all).states, 4 * 2 + 2);
  EXPECT_EQ(try_all(Orders::kAtEachDevice, at_each).states, 4 + 4);
  // To y first, where 1 and 2 go to x at once; then to x, where what is for y goes at once.
  EXPECT_EQ(at_each, (std::set<std::string>{"1234", "1243", "3124", "3214"}));
}

TEST(MessageOrders, ADeviceThatCanBeSeenToHaveBeenToldInAnotherOrderIsFound) {
  const MessageOrders orders = TryMessageOrders(
      [](const reference::Delivery& delivery) {
        DeliverToTwo(delivery, [](const std::string& order) {
          return order.find('1') < order.find('2') ? "4" : "5";
        });
        return std::string("same");
      },
      "same", Orders::kAtEachDevice);
  ASSERT_TRUE(orders.problem.has_value());
  EXPECT_NE(orders.problem->find("have arrived elsewhere in the end"), std::string::npos)
      << *orders.problem;
}

TEST(MessageOrders, ARunWithoutMessagesIsOneState) {
  const MessageOrders orders =
      TryMessageOrders([](const reference::Delivery&) { return std::string("same"); }, "same");
  EXPECT_EQ(orders.states, 1);
  EXPECT_EQ(orders.runs, 1);
}

}  // namespace
}  // namespace tagflow::fuzz
