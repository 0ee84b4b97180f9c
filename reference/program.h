#ifndef TAGFLOW_REFERENCE_PROGRAM_H_
#define TAGFLOW_REFERENCE_PROGRAM_H_

// A graph made ready for one call: the needed nodes with their roles, kernels, consumers and feeds
// resolved. Immutable once made; holds no rule of execution.

#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/validate.h"
#include "reference/kernel.h"

namespace tagflow::reference {

// The role a node plays in the tag rules, its Ref form included. Everything the rules do not name
// is ordinary.
enum class Role {
  kOrdinary,
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kTrigger,
  kSend,
  kRecv,
  kFunctional,  // its body is a function: If, While, Case, a call
};
Role RoleOf(const Node& node);

// Where a data input's token comes from, as far as Merge is concerned.
enum class SourceKind { kOrdinary, kEnter, kConstantEnter, kNextIteration };

struct DataEdge {
  int node;  // index into Program::nodes
  int slot;
};

// To the control input that stands at `slot` among the node's.
struct ControlEdge {
  int node;
  int slot;
};

struct ProgramNode {
  const Node* node = nullptr;
  Role role = Role::kOrdinary;
  Signature signature;
  const Kernel* kernel = nullptr;                // of ordinary nodes
  std::vector<SourceKind> sources;               // per data input
  std::vector<std::vector<DataEdge>> consumers;  // per output; a fed output has none
  std::vector<ControlEdge> control_consumers;
  std::vector<std::vector<int>> fetches;  // per output: which fetches it answers
  int num_control = 0;
  int frame = FrameTree::kRoot;  // static frame the node fires in
  int place = 0;                 // among the nodes of its frame
  int first_input = 0;           // of its data inputs among all inputs of its frame
  bool is_source = false;        // nothing to wait for: fires once in the root
  bool is_target = false;
  // Of Enter nodes.
  std::string frame_name;
  int child_frame = -1;
  bool is_constant = false;
};

// The size of one iteration's token store, per static frame.
struct FrameExtent {
  int nodes = 0;
  int inputs = 0;
  int next_iterations = 0;  // NextIteration nodes
};

struct FeedEdges {
  std::vector<DataEdge> consumers;
  std::vector<ControlEdge> control_consumers;  // of a fed placeholder
  std::vector<int> fetches;
};

struct Program {
  const Graph* graph = nullptr;
  CallSpec call;
  std::vector<bool> needed;  // by node id
  FrameTree frames;
  std::vector<ProgramNode> nodes;
  std::vector<FrameExtent> extents;           // per static frame
  std::vector<std::vector<int>> frame_nodes;  // per static frame, by place
  std::vector<FeedEdges> feeds;               // per feed of the call
};

// Errors: those of ValidateCall; UNIMPLEMENTED naming the nodes whose ops have no kernel and that
// no Switch can kill (the others fail when they fire live); INVALID_ARGUMENT naming the
// placeholders that must be fed. `graph` must outlive the program.
Result<Program> PrepareProgram(const Graph& graph, CallSpec call, const KernelRegistry& kernels);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_PROGRAM_H_
