#ifndef TAGFLOW_REFERENCE_HISTORY_H_
#define TAGFLOW_REFERENCE_HISTORY_H_

// What a run leaves behind for those who study it: the firings in order, what each came after, and
// what each did to resources. The race detector and the exploration of orders read it.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "reference/kernel.h"

namespace tagflow::reference {

// One firing; or the end of an iteration or frame (node is null), which comes after everything in
// it; or the feeds (node is null, and the first), where a Merge takes some.
struct Firing {
  const Node* node = nullptr;
  std::string tag;
  std::vector<int64_t> after;  // indices of earlier firings
  AccessLog accesses;
};

struct History {
  std::vector<Firing> firings;  // by firing id
};

// One firing as `tagflow run --trace` and `tagflow diff` see it.
struct TraceEvent {
  int64_t firing = 0;
  const Node* node = nullptr;
  std::string tag;
  bool dead = false;
  std::vector<int64_t> inputs;  // the firings its data tokens came from; -1: a feed, or none came
  // One per output.
  struct Output {
    bool dead = false;
    Tensor value;           // no value: dead, or a reference
    std::string reference;  // the variable's name
  };
  std::vector<Output> outputs;
  // Of inputs that came as references and were read, which input, and what was there ([ref.2]).
  std::vector<std::pair<int, Tensor>> reads;
};
using TraceSink = std::function<void(const TraceEvent&)>;

// One line of JSON: {"firing":3,"node":"add","op":"AddV2","tag":"f[1]","dead":false,"inputs":[1,2],
// "outputs":[{"dtype":"int32","shape":[],"value":"int32[] 4"}]}
std::string TraceLine(const TraceEvent& event);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_HISTORY_H_
