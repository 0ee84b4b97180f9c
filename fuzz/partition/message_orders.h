#ifndef TAGFLOW_FUZZ_PARTITION_MESSAGE_ORDERS_H_
#define TAGFLOW_FUZZ_PARTITION_MESSAGE_ORDERS_H_

// The orders in which the messages of one call can arrive, up to those that nobody can tell apart.
//
// Firings of one device commute where nothing races (docs/small_step.md), so a device does all it
// can before the next message arrives, and a state is the set of the messages that have arrived.
// From each state every message under way is tried: that covers all orders but those that only
// interchange messages and lead to the same state. That the state is the set is checked, not
// believed: whichever way it is reached, the same messages must be under way.
//
// Devices share nothing but what they send each other. So orders can be tried at one device after
// another, in place of all together: at the device whose turn it is every message under way is
// tried, while to the others messages go as soon as they can, in one order. That this covers all
// orders rests on two invariants, both checked in every run:
//   1. What has arrived at the device decides what is under way to it, and what has arrived
//      elsewhere: it cannot be seen from outside in which order the device was told.
//   2. All runs end alike: the same values, the same messages, dead or live.
// For take any order of all messages, and its first step that brings a device something in an order
// not tried there. By 1 the others have sent, of what they were brought, what they send in the
// tried orders, where they are brought no less; so the message was under way in a tried order too,
// which had told the device the same things before. All that is under way is tried: there is no
// such step. //fuzz/partition:check_small_graphs_test holds both searches to the same verdicts.
//
// Cost: a run for each edge between states that no earlier run went along. States multiply over
// devices when all orders are tried, and add up when they are tried at each. Of every pair: a run
// for each message.
// Tested by message_orders_test.cc.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "reference/partitioned.h"

namespace tagflow::fuzz {

enum class Orders {
  kAll,           // of all messages together
  kAtEachDevice,  // all, at one device after another
  // One for each message, in which it comes as late as it can, after all that can come without it:
  // so of any two that can come in either order both are tried. Not all of three, and of sets only
  // those on the way: states are counted once for each order.
  kEveryPair,
};

struct MessageOrders {
  int64_t states = 0;  // sets of messages that can have arrived; of kAtEachDevice: there
  int64_t runs = 0;
  std::optional<std::string> problem;  // what differs between two orders
};

// make: makes the call with this delivery, and says what came of it, as text.
// wanted: what must come of it.
MessageOrders TryMessageOrders(const std::function<std::string(const reference::Delivery&)>& make,
                               const std::string& wanted, Orders orders = Orders::kAll);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_MESSAGE_ORDERS_H_
