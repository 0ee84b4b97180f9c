#ifndef TAGFLOW_TRANSFORM_STRUCTURE_EMITTER_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_EMITTER_H_

// From a tree to a graph with functions: each block becomes a body, that of the root the graph
// itself.
//
// Calls itself as deep as blocks are nested (kMostNestedRegions).
// Tested by recover_functions_test.cc.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/partial_shape.h"
#include "transform/simplify/call_view.h"
#include "transform/structure/body.h"
#include "transform/structure/recover_tree.h"

namespace tagflow::recovery {

class Emitter {
 public:
  // REQUIRES: made has a tree, and outlives this
  explicit Emitter(RecoveredTree& made);

  Graph Run(CallSpec& call) &&;

 private:
  // An argument of a loop, or of a branch; or what these give.
  struct LoopArg {
    OutputRef inside;             // of the variable's Merge, or the constant's Enter
    OutputRef outside;            // what the Enter takes
    NodeId next = NodeId::kNone;  // kNone: a constant
    DType dtype = DType::kInvalid;
  };

  const Node& Original(NodeId id) const { return of_.graph.node(id); }
  Value KeyOf(OutputRef output, PlaceId user) const;
  OutputRef Find(const Body& body, OutputRef output, PlaceId user) const;
  PlaceId PlaceOfPart(int frame, bool repeats) const;

  void EmitFeeds(Body& root);
  void EmitBlock(BlockId block, Body& body);
  void EmitWaits(BlockId block, Body& body);
  void EmitNode(NodeId id, Body& body);
  NodeId CopyOf(const Node& node, Body& body) const;
  void EmitReal(const Node& node, Body& body);
  void EmitLoopCond(const Node& node, Body& body);
  void EmitJoin(const Node& merge, Body& body);
  void EmitLeave(const Node& exit, Body& body);
  void EmitUnit(int unit, Body& body);
  void EmitAgain(const std::set<NodeId>& nodes, int frame, bool after, Body& body);

  void EmitChoice(int32_t index, Body& body);
  struct Given {
    Value value;  // what it is, where the choice is
    NodeId join = NodeId::kNone;
    bool is_index = false;  // of the join
    size_t branch = 0;      // of an export
    ArgType type;
  };
  std::vector<Given> ResultsOf(const Choice& choice, int32_t index, BlockId home) const;
  OutputRef BranchResult(const Given& result, const Choice& choice, size_t branch, Body& body);
  std::string NameOfChoice(const Choice& choice, Body& body, bool& takes_place) const;

  void EmitLoop(int32_t index, Body& body);
  std::vector<LoopArg> ArgsOf(int frame) const;
  bool IsTotal(const Node& node) const;
  NameAttrList MakeTest(const Loop& loop, const std::vector<LoopArg>& args, const std::string& name,
                        bool& is_stateful);
  NameAttrList MakeBody(const Loop& loop, int32_t index, const std::vector<LoopArg>& args,
                        const std::string& name, bool& is_stateful);

  // Predicates are scalars: the tensor, or a node that checks it.    Spec: [switch.2]
  OutputRef Scalar(OutputRef original, OutputRef tensor, Body& body) const;
  bool IsScalar(OutputRef original) const;
  NameAttrList AddFunction(const Body& body, const std::string& name, bool& is_stateful);

  CallSpec EmittedCall(const Body& root) const;

  RecoveredTree& made_;
  Recovery& of_;
  const Roles& roles_;
  const Tree& tree_;
  const CallView view_;
  std::vector<std::vector<PartialShape>> shapes_;  // by node id; empty: nothing is known
  std::vector<std::vector<NodeId>> members_;       // by unit
  FunctionLibrary library_;
};

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_EMITTER_H_
