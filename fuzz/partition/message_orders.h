#ifndef TAGFLOW_FUZZ_PARTITION_MESSAGE_ORDERS_H_
#define TAGFLOW_FUZZ_PARTITION_MESSAGE_ORDERS_H_

// Every order in which the messages of one call can arrive.
//
// Firings of one device commute where nothing races (docs/small_step.md), so a device does all it
// can before the next message arrives, and a state is the set of the messages that have arrived.
// From each state every message under way is tried: that covers all orders but those that only
// interchange messages and lead to the same state. That the state is the set is checked, not
// believed: whichever way it is reached, the same messages must be under way.
//
// Cost: a run for each edge between states that no earlier run went along.
// Tested by message_orders_test.cc.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "reference/partitioned.h"

namespace tagflow::fuzz {

struct MessageOrders {
  int64_t states = 0;
  int64_t runs = 0;
  std::optional<std::string> problem;  // what differs between two orders
};

// run: makes the call with this delivery, and says what came of it, as text.
// wanted: what must come of it.
MessageOrders TryMessageOrders(const std::function<std::string(const reference::Delivery&)>& run,
                               const std::string& wanted);

// The same of two orders alone, which differ as far as they can: of the messages under way always
// the one with the least key, or the one with the greatest.
MessageOrders TryTwoOrders(const std::function<std::string(const reference::Delivery&)>& run,
                           const std::string& wanted);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_MESSAGE_ORDERS_H_
