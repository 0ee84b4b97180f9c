#ifndef TAGFLOW_FUZZ_GRAPHS_NAIVE_STATIC_H_
#define TAGFLOW_FUZZ_GRAPHS_NAIVE_STATIC_H_

// What the naive executor knows of a call before it runs: the needed nodes, who consumes what,
// which frames there are. Read off the graph, which is valid, by the plainest means.

#include <map>
#include <string>
#include <vector>

#include "fuzz/graphs/naive_ops.h"

namespace tagflow::fuzz {

// Where a Merge's input comes from ([merge.1]).
enum class NaiveSource : uint8_t { kOther, kEnter, kNextIteration };  // kEnter: not a constant one

// "outer[1]/loop[3]" taken apart. REQUIRES: the tag is not the root's
struct NaivePlace {
  std::string parent, name;  // as they are in a tag
  int64_t iteration = 0;
  explicit NaivePlace(const std::string& tag);
};

struct NaiveEdge {
  int node;
  int slot;
};

struct NaiveNode {
  enum class Kind : uint8_t {
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
  };
  const Node* node = nullptr;
  Kind kind = Kind::kOrdinary;
  NaiveOp op = nullptr;              // of ordinary nodes
  std::vector<NaiveSource> sources;  // per data input
  int controls = 0;
  size_t outputs = 0;
  std::vector<std::vector<NaiveEdge>> consumers;  // per output; none of a fed one
  std::vector<std::vector<int>> fetches;          // per output
  std::vector<int> control_consumers;
  std::vector<std::string> frame_path;  // names of the frames it fires in, from the root inwards
  std::string frame_name;               // of an Enter, as it is in a tag
  bool is_constant = false;             // of an Enter
  std::vector<bool> takes_ref;          // per data input
  bool may_lack_value = false;          // what its references lead to ([ref.3])
  std::string key;                      // of Send and Recv, but for the tag
  bool is_source = false;
  bool is_target = false;
};

struct NaiveFrame {
  int enters = 0;
  int next_iterations = 0;
  int64_t parallel = 0;
};

struct NaiveCall {
  std::vector<NaiveNode> nodes;              // the needed ones, fed placeholders left out
  std::map<std::string, NaiveFrame> frames;  // by name: a name has one parent ([frame.3])
  // Per feed.
  std::vector<std::vector<NaiveEdge>> feed_edges;
  std::vector<std::vector<int>> feed_controls;
  std::vector<std::vector<int>> feed_fetches;
  size_t fetches = 0;
  std::vector<std::string> fetch_nodes;
};

// REQUIRES: the sample is valid and has a run.
NaiveCall ReadNaiveCall(const GraphSample& sample);

// Whether the naive executor has that op.
bool IsKnownToNaive(const std::string& op);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_NAIVE_STATIC_H_
