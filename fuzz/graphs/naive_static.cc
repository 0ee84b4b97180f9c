// Tested by naive_test.cc.

#include "fuzz/graphs/naive_static.h"

#include <algorithm>

namespace tagflow::fuzz {
namespace {

using Kind = NaiveNode::Kind;

Kind KindOf(const std::string& op) {
  static const auto& kinds = *new std::map<std::string, Kind>{
      {"Switch", Kind::kSwitch},
      {"_SwitchN", Kind::kSwitch},
      {"Merge", Kind::kMerge},
      {"Enter", Kind::kEnter},
      {"Exit", Kind::kExit},
      {"NextIteration", Kind::kNextIteration},
      {"LoopCond", Kind::kLoopCond},
      {"ControlTrigger", Kind::kTrigger},
      {"_Send", Kind::kSend},
      {"_HostSend", Kind::kSend},
      {"_HostRecv", Kind::kRecv},
      {"_Recv", Kind::kRecv},
      {"RefSwitch", Kind::kSwitch},
      {"RefMerge", Kind::kMerge},
      {"RefEnter", Kind::kEnter},
      {"RefExit", Kind::kExit},
      {"RefNextIteration", Kind::kNextIteration},
  };
  const auto found = kinds.find(op);
  return found == kinds.end() ? Kind::kOrdinary : found->second;
}

}  // namespace

bool IsKnownToNaive(const std::string& op) {
  return KindOf(op) != Kind::kOrdinary || FindNaiveOp(op) != nullptr;
}

namespace {

// [ref.3]: what takes a reference without asking for its value.
bool MayLackValue(const std::string& op) {
  return op == "RefSwitch" || op == "RefIdentity" || op == "IsVariableInitialized" ||
         op == "Assign";
}

std::string Text(const Node& node, const char* attr) {
  const Result<std::string> text = StringAttr(node, attr);
  return text.ok() ? *text : "";
}

// With a backslash before what means something in a tag.
std::string InTag(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '/' || c == '[' || c == ']' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

class Reader {
 public:
  explicit Reader(const GraphSample& sample)
      : sample_(sample), graph_(sample.graph), index_(graph_.id_limit(), -1) {}

  NaiveCall Read() {
    for (const auto& [name, value] : sample_.runs.at(0)) feeds_.push_back(Output(name));
    for (const std::string& name : sample_.fetches) Need(Output(name));
    for (const std::string& name : sample_.targets) Need(OutputRef{graph_.Find(name), -1});
    std::sort(needed_.begin(), needed_.end());
    for (const NodeId id : needed_) Describe(graph_.node(id));
    FindFrames();
    call_.feed_edges.resize(feeds_.size());
    call_.feed_controls.resize(feeds_.size());
    call_.feed_fetches.resize(feeds_.size());
    for (size_t i = 0; i < call_.nodes.size(); ++i) Connect(static_cast<int>(i));
    MarkFetchesAndTargets();
    return std::move(call_);
  }

 private:
  OutputRef Output(const std::string& name) const {
    const Result<OutputRef> output = FindOutput(graph_, name);
    TAGFLOW_CHECK(output.ok());
    return *output;
  }

  int FeedOf(OutputRef output) const {
    const auto found = std::find(feeds_.begin(), feeds_.end(), output);
    return found == feeds_.end() ? -1 : static_cast<int>(found - feeds_.begin());
  }

  bool IsFedPlaceholder(NodeId id) const {
    const std::string& op = graph_.node(id).op;
    return (op == "Placeholder" || op == "PlaceholderWithDefault") && FeedOf({id, 0}) >= 0;
  }

  // [feed.4]; index_ is -2 for a node already met.
  void Need(OutputRef output) {
    if (FeedOf(output) >= 0 || IsFedPlaceholder(output.node)) return;
    std::vector<NodeId> stack = {output.node};
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      if (IsFedPlaceholder(id) || index_[Index(id)] == -2) continue;
      index_[Index(id)] = -2;
      needed_.push_back(id);
      for (const OutputRef& input : graph_.node(id).inputs) {
        if (FeedOf(input) < 0) stack.push_back(input.node);
      }
      for (const NodeId control : graph_.node(id).control_inputs) stack.push_back(control);
    }
  }

  void Describe(const Node& node) {
    index_[Index(node.id)] = static_cast<int>(call_.nodes.size());
    NaiveNode& described = call_.nodes.emplace_back();
    described.node = &node;
    described.kind = KindOf(node.op);
    if (described.kind == Kind::kOrdinary) described.op = FindNaiveOp(node.op);
    described.controls = static_cast<int>(node.control_inputs.size());
    described.is_source = node.inputs.empty() && node.control_inputs.empty();
    described.may_lack_value = MayLackValue(node.op);
    described.takes_ref.resize(node.inputs.size());
    if (const Result<Signature> signature = ResolveSignature(node); signature.ok()) {
      described.outputs = signature->outputs.size();
      for (size_t i = 0; i < node.inputs.size() && i < signature->inputs.size(); ++i) {
        described.takes_ref[i] = signature->inputs[i].is_ref;
      }
    }
    described.consumers.resize(described.outputs);
    described.fetches.resize(described.outputs);
    for (const OutputRef& input : node.inputs) described.sources.push_back(SourceOf(input));
    described.key = Text(node, "send_device") + ";" + Text(node, "recv_device") + ";" +
                    Text(node, "tensor_name");
    if (described.kind != Kind::kEnter) return;
    described.frame_name = InTag(Text(node, "frame_name"));
    described.is_constant = IsConstant(node);
    NaiveFrame& frame = call_.frames[described.frame_name];
    const Result<int64_t> parallel = IntAttr(node, "parallel_iterations");
    const int64_t allowed = parallel.ok() ? *parallel : 1;
    frame.parallel = frame.enters++ == 0 ? allowed : std::min(frame.parallel, allowed);
  }

  static bool IsConstant(const Node& enter) {
    const Result<bool> constant = BoolAttr(enter, "is_constant");
    return constant.ok() && *constant;
  }

  NaiveSource SourceOf(OutputRef input) const {
    if (FeedOf(input) >= 0) return NaiveSource::kOther;
    const Node& from = graph_.node(input.node);
    const Kind kind = KindOf(from.op);
    if (kind == Kind::kNextIteration) return NaiveSource::kNextIteration;
    return kind == Kind::kEnter && !IsConstant(from) ? NaiveSource::kEnter : NaiveSource::kOther;
  }

  // Paths of frames, from whatever input has one, until nothing changes ([frame.2]).
  void FindFrames() {
    std::vector<bool> known(call_.nodes.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < call_.nodes.size(); ++i) {
        if (!known[i] && FindFrame(call_.nodes[i], known)) {
          known[i] = true;
          changed = true;
        }
      }
    }
    for (const NaiveNode& node : call_.nodes) {
      const bool is_next = node.kind == Kind::kNextIteration && !node.frame_path.empty();
      if (is_next) ++call_.frames.at(node.frame_path.back()).next_iterations;
    }
  }

  bool FindFrame(NaiveNode& node, const std::vector<bool>& known) const {
    if (node.is_source) return true;
    std::vector<NodeId> inputs = node.node->control_inputs;
    for (const OutputRef& input : node.node->inputs) {
      if (FeedOf(input) >= 0) return true;
      inputs.push_back(input.node);
    }
    for (const NodeId input : inputs) {
      if (IsFedPlaceholder(input)) return true;
      const size_t from = static_cast<size_t>(index_[Index(input)]);
      if (!known[from]) continue;
      node.frame_path = call_.nodes[from].frame_path;
      if (call_.nodes[from].kind == Kind::kEnter) {
        node.frame_path.push_back(call_.nodes[from].frame_name);
      }
      if (call_.nodes[from].kind == Kind::kExit) node.frame_path.pop_back();
      return true;
    }
    return false;
  }

  void Connect(int to) {
    const Node& node = *call_.nodes[static_cast<size_t>(to)].node;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const OutputRef input = node.inputs[slot];
      const int feed = FeedOf(input);
      std::vector<NaiveEdge>& edges =
          feed >= 0 ? call_.feed_edges[static_cast<size_t>(feed)]
                    : From(input.node).consumers[static_cast<size_t>(input.index)];
      edges.push_back({to, static_cast<int>(slot)});
    }
    for (const NodeId control : node.control_inputs) {
      std::vector<int>& consumers =
          IsFedPlaceholder(control) ? call_.feed_controls[static_cast<size_t>(FeedOf({control, 0}))]
                                    : From(control).control_consumers;
      consumers.push_back(to);
    }
  }

  NaiveNode& From(NodeId id) { return call_.nodes[static_cast<size_t>(index_[Index(id)])]; }

  void MarkFetchesAndTargets() {
    call_.fetches = sample_.fetches.size();
    for (size_t i = 0; i < call_.fetches; ++i) {
      const OutputRef fetch = Output(sample_.fetches[i]);
      const int feed = FeedOf(fetch);
      std::vector<int>& answers = feed >= 0
                                      ? call_.feed_fetches[static_cast<size_t>(feed)]
                                      : From(fetch.node).fetches[static_cast<size_t>(fetch.index)];
      answers.push_back(static_cast<int>(i));
      call_.fetch_nodes.push_back(graph_.node(fetch.node).name);
    }
    for (const std::string& name : sample_.targets) {
      const NodeId id = graph_.Find(name);
      if (!IsFedPlaceholder(id)) From(id).is_target = true;
    }
  }

  const GraphSample& sample_;
  const Graph& graph_;
  std::vector<OutputRef> feeds_;
  std::vector<NodeId> needed_;
  std::vector<int> index_;
  NaiveCall call_;
};

}  // namespace

NaivePlace::NaivePlace(const std::string& tag) {
  size_t start = 0, bracket = 0;
  for (size_t i = 0; i < tag.size(); ++i) {
    if (tag[i] == '\\')
      ++i;  // what follows is of a name
    else if (tag[i] == '/')
      start = i + 1;
    else if (tag[i] == '[')
      bracket = i;
  }
  if (start > 0) parent = tag.substr(0, start - 1);
  name = tag.substr(start, bracket - start);
  iteration = std::stoll(tag.substr(bracket + 1));
}

NaiveCall ReadNaiveCall(const GraphSample& sample) { return Reader(sample).Read(); }

}  // namespace tagflow::fuzz
