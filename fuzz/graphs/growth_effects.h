#ifndef TAGFLOW_FUZZ_GRAPHS_GROWTH_EFFECTS_H_
#define TAGFLOW_FUZZ_GRAPHS_GROWTH_EFFECTS_H_

// Variables and messages in a graph that grows.
//
// Tested by unstructured_test.cc.

#include <set>
#include <string>
#include <vector>

#include "fuzz/graphs/growth_base.h"
#include "fuzz/graphs/message.h"

namespace tagflow::fuzz {

class EffectGrowth : GrowthBase {
 public:
  using GrowthBase::GrowthBase;

  // A node that reads or changes a variable, as a rule after the last that did.
  void Touch(int frame);
  void SendAndReceive(int frame);

 private:
  struct Variable {
    Value handle;
    std::string name;
    std::string container;
    int last_frame = kRoot;
    NodeId last = NodeId::kNone;  // what touched it last
  };

  void WaitFor(NodeId id, NodeId before);
  Variable NewVariable();
  Value Handle(const Variable& variable);
  Value OtherHandle(const Variable& variable);
  MessageKey NextKey(int frame);

  std::vector<Variable> variables_;
  std::set<int> sending_;  // frames that have a message
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_GROWTH_EFFECTS_H_
