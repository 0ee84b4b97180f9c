#ifndef TAGFLOW_FUZZ_GRAPHS_OBSERVE_H_
#define TAGFLOW_FUZZ_GRAPHS_OBSERVE_H_

// Runs of a sample on the reference, in a chosen order of ready nodes and under chosen rules, and
// what is seen of them.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fuzz/graphs/naive.h"
#include "fuzz/graphs/sample.h"
#include "reference/races.h"
#include "reference/rules.h"
#include "reference/session.h"

namespace tagflow::fuzz {

// How the next of the ready instances is chosen.
struct ReadyOrder {
  enum class Kind : uint8_t {
    kFirst,              // first come, first served
    kLast,               // the newest
    kRandom,             // any
    kByNode,             // each node has a rank: some come as late as can be
    kOldIterationsLast,  // runs ahead as far as it may
  };
  Kind kind = Kind::kFirst;
  uint64_t seed = 0;  // of kRandom and kByNode

  std::string ToString() const;
  reference::Order Function() const;  // null for kFirst
};
// The orders to hold a sample to: each kind, the random ones from `seed`.
std::vector<ReadyOrder> OrdersOf(uint64_t seed);

// What firings took place, whatever their order: the sum of the hashes of their texts.
struct EventSum {
  uint64_t sum = 0;
  int64_t count = 0;
  std::vector<std::string> texts;  // where they are kept
  void Add(std::string text, bool keep);
  friend bool operator==(const EventSum& a, const EventSum& b) {
    return a.sum == b.sum && a.count == b.count;
  }
};
std::string EventText(const NaiveEvent& event);
std::string EventText(const reference::TraceEvent& event);
// The first few that one has and the other has not; both must have kept their texts.
std::string Difference(const EventSum& a, const EventSum& b);

// What one run of a sample gave.
struct RunSeen {
  Status status;
  std::vector<Tensor> values;  // of the fetches, when OK
  EventSum events;
  std::vector<Status> errors;         // of Options::all_errors
  std::set<std::string> races;        // of Options::races: pairs of firings, as NaiveOrder has them
  bool races_at_merges_alone = true;  // of two live inputs
  bool limited() const { return status.code() == Code::kResourceExhausted; }
  // Code, node and tag of an error, or the values: what orders are compared by.
  std::string Result() const;
};
std::string ErrorText(const Status& status);

struct ObserveOptions {
  const reference::Rules* rules = &reference::StandardRules();
  ReadyOrder order;
  int64_t max_firings = 3000;
  bool all_errors = false;  // goes on after an error: every error that some order may report
  bool races = false;
  reference::RunOn races_on = reference::RunOn::kOneDevice;
  bool keep_events = false;
  bool trace = true;
};

// Of all that this thread has observed, for rates.
int64_t FiringsSoFar();

// A session that forgets its variables before each observation.
class Observer {
 public:
  // REQUIRES: the sample outlives it.
  explicit Observer(const GraphSample& sample);
  // The runs in order, to the first one that fails.
  std::vector<RunSeen> Observe(const ObserveOptions& options);
  RunSeen ObserveRun(size_t run, const ObserveOptions& options) {
    return ObserveCall(sample_.CallOf(run), options);
  }
  RunSeen ObserveCall(const GraphCall& call, const ObserveOptions& options);
  reference::Session& session() { return *session_; }

 private:
  const GraphSample& sample_;
  std::unique_ptr<reference::Session> session_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_OBSERVE_H_
