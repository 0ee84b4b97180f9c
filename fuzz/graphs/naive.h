#ifndef TAGFLOW_FUZZ_GRAPHS_NAIVE_H_
#define TAGFLOW_FUZZ_GRAPHS_NAIVE_H_

// A second executor, written from the judgements of docs/small_step.md and from nothing else: the
// oracle for graphs that no syntax tree stands behind. It shares no code with the reference and
// none of its shape: tokens sit in a map from (node, printed tag), every enabled transition is
// found by looking, and the two rules that fire by themselves are tried until neither applies.
//
// It computes on scalars of int32, int64 and bool, on handles of variables, stacks and arrays, and
// on references, with the few ops that the generators of this folder use.
//
// Cost: a look at every enabled instance and every frame per firing; meant for small graphs.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/graphs/sample.h"
#include "graph/graph.h"
#include "graph/status.h"

namespace tagflow::fuzz {

struct NaiveValue {
  DType dtype = DType::kInvalid;
  int64_t number = 0;         // of int32, int64 and bool; 0 of an array's flow
  std::string variable = "";  // whose handle or reference it is
  bool is_ref = false;        // a reference to a variable of the dtype
  friend bool operator==(const NaiveValue&, const NaiveValue&) = default;
};

struct NaiveToken {
  bool dead = false;
  NaiveValue value;  // of a live one
  int from = -1;     // the moment it was sent at (NaiveOrder); of a fed one, none
};

using NaiveVariables = std::map<std::string, NaiveValue>;

// One firing.
struct NaiveEvent {
  const Node* node = nullptr;
  std::string tag;
  bool dead = false;
  std::vector<NaiveToken> outputs;
};

struct NaiveOutcome {
  Code code = Code::kOk;
  std::string node;                 // to blame, where one is
  bool ended = false;               // nothing was left to fire: no error stopped the step, no limit
  std::vector<NaiveToken> fetched;  // when OK, all live
  std::vector<NaiveEvent> events;   // in order of firing
  std::set<std::string> races;      // when it ended: pairs of firings (NaiveOrder)
};

// Which of `count` enabled transitions is taken: an index below it.
using NaivePick = std::function<size_t(size_t count)>;

class Naive {
 public:
  // Works out what the call needs. `sample` must be valid and outlive this; nothing is checked.
  explicit Naive(const GraphSample& sample);
  ~Naive();
  Naive(const Naive&) = delete;
  Naive& operator=(const Naive&) = delete;

  // UNIMPLEMENTED, naming the node, when the call needs an op that this knows nothing of.
  Status Supported() const;
  // One step with the feeds of sample.runs[run], from `variables` and into them. After
  // `max_firings` it gives up with RESOURCE_EXHAUSTED.
  NaiveOutcome Run(size_t run, NaiveVariables& variables, const NaivePick& pick,
                   int64_t max_firings) const;

 private:
  struct Static;
  std::unique_ptr<const Static> static_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_NAIVE_H_
