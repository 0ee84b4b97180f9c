#ifndef TAGFLOW_FUZZ_PARTITION_CHECK_SMALL_GRAPHS_H_
#define TAGFLOW_FUZZ_PARTITION_CHECK_SMALL_GRAPHS_H_

// The proof by exhaustion: every small graph, on every placement, in every order of messages, gives
// what the whole graph gives, and sends exactly the messages that its tokens call for. Spec:
// [partition.*]
//
// Tested by check_small_graphs_test.cc; larger sizes by small_graphs_soak_test.cc.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "fuzz/partition/message_orders.h"
#include "fuzz/partition/small_graphs.h"
#include "reference/rules.h"
#include "transform/partition/partition.h"

namespace tagflow::fuzz {

struct Space {
  Surroundings surroundings = Surroundings::kLoop;
  int body = 1;  // ops in it, exactly
  int devices = 2;
  int64_t parallel_iterations = 10;
  Orders orders = Orders::kAtEachDevice;  // of messages
  bool stand_ins = true;                  // leaves out placed graphs that another one stands for
  bool messages_too = true;               // else the values alone are compared
  // What is put out of order, for tests that must find it. The whole graph is run by the standard.
  PartitionOptions options = {};
  const reference::Rules* rules = &reference::StandardRules();
};

struct Coverage {
  int64_t graphs = 0;
  int64_t placements = 0;  // of all graphs; those that differ in the names of devices alone are one
  int64_t stood_for = 0;   // of these, left out because another one stands for them
  int64_t calls = 0;       // of all others
  int64_t states = 0;      // of all calls: sets of messages that can have arrived
  int64_t runs = 0;
  std::optional<std::string> problem;  // the first: graph, placement, call, order, what differs

  void Add(const Coverage& other);
  std::string ToString() const;
};

// Stops at the first problem.
Coverage CheckSmallGraphs(const Space& space);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_CHECK_SMALL_GRAPHS_H_
