#ifndef TAGFLOW_FUZZ_GRAPHS_GRAPH_MAKER_H_
#define TAGFLOW_FUZZ_GRAPHS_GRAPH_MAKER_H_

// Adds nodes to a graph and knows, of each value made, in which frame it is and when it is live: so
// that what is made next is valid, and mostly ends without an error.

#include <string>
#include <utility>
#include <vector>

#include "fuzz/graphs/message.h"
#include "graph/attr_value.h"
#include "graph/graph.h"

namespace tagflow::fuzz {

// In how many iterations of its frame a value is live, at most.
enum class Span : uint8_t {
  kOnce,     // one: all values of the root frame, and what comes from an Enter that is not constant
  kLast,     // the one in which a loop's predicate is false
  kGuarded,  // those in which it is true
  kEndless,  // as many as there are: carried round by NextIteration it keeps the frame alive for
             // ever
};

// What must hold for a value to be live: the predicate on the left is as the right says.
using Conditions = std::vector<std::pair<OutputRef, bool>>;  // sorted

struct Value {
  OutputRef output;
  DType type = DType::kInt32;
  Span span = Span::kOnce;
  Conditions conditions;
  bool is_ref = false;  // a reference to a variable of the type, which most consumers read
};

// Whether at most one of the two can be live under one tag, as far as the conditions tell.
bool Exclude(const Value& a, const Value& b);

struct MakerFrame {
  int parent = -1;
  std::string name;
  int64_t parallel = 1;
  std::vector<Value> values;
  std::vector<NodeId> nodes;  // whose control edges are in this frame
  bool has_loop_cond = false;
  std::vector<OutputRef> pivots;  // predicates of its loops
  Span entered = Span::kOnce;     // the longest span of what its Enters take
};

class GraphMaker {
 public:
  static constexpr int kRoot = 0;

  GraphMaker() { frames.emplace_back(); }

  using Attrs = std::vector<std::pair<const char*, AttrValue>>;

  // A node named after its op, its inputs and nothing else set.
  NodeId AddNode(const std::string& op, const std::vector<OutputRef>& inputs, const Attrs& attrs,
                 const std::string& name_prefix = "");
  // A node of one frame, not an Enter or Exit: its outputs become values of that frame, live when
  // all its inputs are.
  //   outputs: their types
  NodeId AddOp(int frame, const std::string& op, const std::vector<Value>& inputs,
               const std::vector<DType>& outputs, const Attrs& attrs);
  // Control input of `to` from `from`. REQUIRES: no cycle comes of it.
  void AddControl(NodeId to, NodeId from) { graph.mutable_node(to).control_inputs.push_back(from); }

  Value AddConst(int frame, DType type, int64_t value, const NodeId* control = nullptr);
  Value AddIdentity(int frame, const Value& input);
  // The outputs: false, true. They go on under the condition of the predicate.
  std::pair<Value, Value> AddSwitch(int frame, const Value& data, const Value& predicate);
  Value AddMerge(int frame, const std::vector<Value>& inputs, Span span);
  Value AddEnter(int child, const Value& input, bool is_constant, int64_t parallel);
  Value AddExit(int frame, const Value& input);
  Value AddNext(int frame, const Value& input);

  int AddFrame(int parent, int64_t parallel);
  // Makes the value one of those that can be used.
  const Value& Publish(int frame, Value value);
  MakerFrame& frame(int index) { return frames[static_cast<size_t>(index)]; }

  Graph graph;
  std::vector<MakerFrame> frames;

 private:
  // Where there is a frame within a frame of this parent, that path, which it must not be taken for
  // ([frame.1]).
  std::string NameOfFrame(int parent) const;
};

// A Send of the value and its Recv, which waits for `control`; in that order. The frame does not
// know them yet.
std::pair<NodeId, NodeId> AddMessage(GraphMaker& maker, const Value& value, NodeId control,
                                     const MessageKey& key, bool is_on_host);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_GRAPH_MAKER_H_
