#ifndef TAGFLOW_TRANSFORM_LOWER_NODE_LOWERING_H_
#define TAGFLOW_TRANSFORM_LOWER_NODE_LOWERING_H_

// One functional node that primitives take the place of. What may fail comes first, so that a node
// is left whole.
//
// Tested by lower_test.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "transform/lower/inliner.h"

namespace tagflow {

class NodeLowering {
 public:
  NodeLowering(Graph& graph, Inliner& inliner, LoweringTask task);
  virtual ~NodeLowering() = default;
  //   Errors: as LowerFunctions notes them
  Status Run();

 protected:
  using Outputs = std::vector<OutputRef>;
  virtual Status Lower() = 0;

  const Node& node() const { return graph_.node(task_.node); }
  //   Errors: INVALID_ARGUMENT where the attr names none
  Result<NameAttrList> FunctionAttr(const char* name) const;

  // New nodes, named "node/name".
  NodeId Add(const std::string& name, const char* op, Outputs inputs,
             const std::vector<NodeId>& control = {});
  NodeId AddTyped(const std::string& name, const char* op, DType dtype, Outputs inputs,
                  const std::vector<NodeId>& control = {});
  NodeId AddIdentityN(const std::string& name, const std::vector<ArgType>& types, Outputs inputs,
                      const std::vector<NodeId>& control);
  NodeId AddMerge(const std::string& name, DType dtype, Outputs inputs);
  // A scalar bool, as ToBool has it.
  OutputRef Predicate(const std::string& name, OutputRef from, DType dtype,
                      const std::vector<NodeId>& control = {});

  // The inputs as the bodies get them: all live, or none, and behind what the node waits for.
  // Leaves `pivot_`, which fires where they are live; kNone: they always are.
  Outputs Gate();
  // The node as the end of what it stands for; control inputs may be kNone, and repeated.
  //   is_pure: it has no effects that whoever takes a result would have to wait for
  void Become(Outputs results, const std::vector<NodeId>& control, bool is_pure);

  Graph& graph_;
  Inliner& inliner_;
  const LoweringTask task_;
  std::string name_, device_, op_;
  Signature signature_;
  NodeId pivot_ = NodeId::kNone;
};

// Of If and Case; of While and For; of SymbolicGradient.
std::unique_ptr<NodeLowering> NewBranchLowering(Graph& graph, Inliner& inliner, LoweringTask task);
std::unique_ptr<NodeLowering> NewWhileLowering(Graph& graph, Inliner& inliner, LoweringTask task);
std::unique_ptr<NodeLowering> NewGradientLowering(Graph& graph, Inliner& inliner,
                                                  LoweringTask task);

bool IsIf(std::string_view op);
bool IsCase(std::string_view op);
bool IsWhile(std::string_view op);
bool IsFor(std::string_view op);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_LOWER_NODE_LOWERING_H_
