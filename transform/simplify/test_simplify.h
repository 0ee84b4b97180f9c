#ifndef TAGFLOW_TRANSFORM_SIMPLIFY_TEST_SIMPLIFY_H_
#define TAGFLOW_TRANSFORM_SIMPLIFY_TEST_SIMPLIFY_H_

// For tests of passes: a graph before and after, as text of graph/test_graph.h over the standard
// ops.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "graph/test_graph.h"
#include "graph/validate.h"
#include "transform/simplify/simplify.h"

namespace tagflow {

// Sums, products, differences and comparisons of float and int32 scalars; 1 / 0 fails.
inline Result<std::vector<Tensor>> EvaluateScalars(const Node& node,
                                                   std::span<const Tensor> inputs) {
  if (inputs.size() != 2 || inputs[0].rank() != 0) return Unimplemented("scalars only");
  const bool is_int = inputs[0].dtype() == DType::kInt32;
  const auto value = [&](size_t i) {
    return is_int ? static_cast<float>(inputs[i].scalar<int32_t>()) : inputs[i].scalar<float>();
  };
  if (node.op == "Less") return std::vector{Tensor::Scalar<bool>(value(0) < value(1))};
  float result = 0;
  if (node.op == "Div" && value(1) == 0) return InvalidArgument("a division by zero");
  if (node.op == "Div") result = value(0) / value(1);
  if (node.op == "Add" || node.op == "AddV2") result = value(0) + value(1);
  if (node.op == "Mul") result = value(0) * value(1);
  if (node.op == "Sub") result = value(0) - value(1);
  if (is_int) return std::vector{Tensor::Scalar<int32_t>(static_cast<int32_t>(result))};
  return std::vector{Tensor::Scalar<float>(result)};
}

class Simplified {
 public:
  Simplified(std::string_view text, const std::vector<std::string>& feeds,
             const std::vector<std::string>& fetches, const std::vector<std::string>& targets = {})
      : g_(text, OpRegistry::Standard()), call(g_.Call(feeds, fetches, targets)) {}

  // Runs the pass, and says how often it found something; once more, it finds nothing.
  int64_t Run(Pass pass, const Evaluate& evaluate = EvaluateScalars) {
    CheckValid();
    const int64_t changes = RunPass(pass, g_.mutable_graph(), call, evaluate);
    CheckValid();
    for (int round = 0; round < kMaxRounds; ++round) {
      if (RunPass(pass, g_.mutable_graph(), call, evaluate) == 0) return changes;
    }
    ADD_FAILURE() << PassName(pass) << " does not come to an end";
    return changes;
  }
  void CheckValid() const {
    const Result<ValidatedCall> valid = ValidateCall(g_.graph(), call);
    EXPECT_TRUE(valid.ok()) << valid.status().ToString();
  }

  // "Add(a, b:1, ^c)"; of a Const "Const 3"; "-" where the call does not need the node.
  std::string Line(const std::string& name) const {
    const NodeId id = g_.graph().Find(name);
    if (id == NodeId::kNone || !NeededNodes(g_.graph(), call)[Index(id)]) return "-";
    const Node& node = g_.graph().node(id);
    std::string text = node.op + "(";
    std::string separator;
    for (const OutputRef& input : node.inputs) {
      text += separator + OutputName(g_.graph(), input);
      separator = ", ";
    }
    for (const NodeId control : node.control_inputs) {
      text += separator + "^" + g_.graph().node(control).name;
      separator = ", ";
    }
    return text + ")" + (node.op == "Const" ? " " + TensorAttr(node, "value")->DebugString() : "");
  }
  // The names of the needed nodes, in order of name.
  std::string Needed() const {
    const std::vector<bool> needed = NeededNodes(g_.graph(), call);
    std::vector<std::string> names;
    for (const NodeId id : g_.graph().NodeIds()) {
      if (needed[Index(id)]) names.push_back(g_.graph().node(id).name);
    }
    std::ranges::sort(names);
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
  }
  Graph& graph() { return g_.mutable_graph(); }

 private:
  TestGraph g_;

 public:
  CallSpec call;
};

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_SIMPLIFY_TEST_SIMPLIFY_H_
