#include "transform/partition/layout.h"

#include <string>

#include "graph/control_ops.h"

namespace tagflow {
namespace {

// Whether a firing of it can be told from none by something else than its tokens.
bool KeepsState(const Node& node) {
  if (ControlOpOf(node.op) != ControlOp::kNone) return false;
  if (node.def != nullptr && node.def->is_stateful) return true;
  const Result<Signature> signature = ResolveSignature(node);
  return signature.ok() && std::ranges::any_of(signature->inputs, [](const ArgType& input) {
           return input.is_ref || input.dtype == DType::kResource;
         });
}

class LayoutMaker {
 public:
  LayoutMaker(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
              const FeedSet& fed, const Placement& placement, PartitionFault fault)
      : graph_(graph),
        call_(call),
        valid_(valid),
        fed_(fed),
        placement_(placement),
        copies_enters_(fault != PartitionFault::kEntersCross) {
    const size_t frames = valid.frames.frames.size();
    layout_.home.assign(graph.id_limit(), -1);
    layout_.devices_of.resize(graph.id_limit());
    layout_.participants.resize(frames);
    layout_.stateful.resize(frames);
    layout_.nexts.resize(frames);
    layout_.loop_cond.assign(frames, NodeId::kNone);
  }

  Result<Layout> Make() && {
    for (NodeId id : graph_.NodeIds()) {
      if (valid_.needed[Index(id)]) TAGFLOW_RETURN_IF_ERROR(Place(graph_.node(id)));
    }
    for (const OutputRef& feed : call_.feeds) {
      TAGFLOW_RETURN_IF_ERROR(Place(graph_.node(feed.node)));
    }
    SpreadCopies();
    ChooseHomes();
    ForEachNeeded([this](const Node& node) { NoteInFrame(node); });
    return std::move(layout_);
  }

 private:
  template <typename F>
  void ForEachNeeded(F&& use) {
    for (NodeId id : graph_.NodeIds()) {
      if (valid_.needed[Index(id)]) use(graph_.node(id));
    }
  }

  bool IsCopied(const Node& node) const {
    return IsNextIteration(node) || (IsEnter(node) && copies_enters_);
  }

  Status Place(const Node& node) {
    const size_t i = Index(node.id);
    if (i >= placement_.device_of.size() || placement_.device_of[i].empty()) {
      return Refused(node, "has no device");
    }
    const auto found = std::ranges::find(placement_.devices, placement_.device_of[i]);
    if (found == placement_.devices.end()) {
      return Refused(node, "is placed on '" + placement_.device_of[i] + "', which is not there");
    }
    layout_.home[i] = static_cast<int>(found - placement_.devices.begin());
    if (!IsCopied(node)) Insert(layout_.devices_of[i], layout_.home[i]);
    return Status();
  }

  Status Refused(const Node& node, const std::string& why) const {
    std::string there;
    for (const std::string& device : placement_.devices) there += " '" + device + "'";
    return InvalidArgument("node '" + node.name + "' (op " + node.op + ") " + why +
                           ": place it on one of" + there)
        .WithNode(node.name)
        .WithRule("graph.4");
  }

  // Brings Enters and NextIterations to their consumers, until nothing changes.
  void SpreadCopies() {
    for (const NodeId target : call_.targets) {
      Insert(layout_.devices_of[Index(target)], layout_.home[Index(target)]);
    }
    bool changed = true;
    while (changed) {
      changed = false;
      ForEachNeeded([&](const Node& node) { changed |= BringInputs(node); });
    }
  }

  bool BringInputs(const Node& node) {
    if (fed_.IsFedPlaceholder(node)) return false;
    bool changed = false;
    auto bring = [&](NodeId from) {
      if (!IsCopied(graph_.node(from))) return;
      for (const int device : layout_.devices_of[Index(node.id)]) {
        changed |= Insert(layout_.devices_of[Index(from)], device);
      }
    };
    for (const OutputRef& input : node.inputs) {
      if (!fed_.Contains(input)) bring(input.node);
    }
    for (const NodeId control : node.control_inputs) bring(control);
    return changed;
  }

  void ChooseHomes() {
    for (size_t i = 0; i < layout_.home.size(); ++i) {
      int& home = layout_.home[i];
      Devices& devices = layout_.devices_of[i];
      if (home >= 0 && devices.empty()) devices.push_back(home);
      if (home >= 0 && !Contains(devices, home)) home = devices.front();
    }
  }

  void NoteInFrame(const Node& node) {
    const int inner = valid_.frames.frame_of[Index(node.id)];
    if (inner <= FrameTree::kRoot) return;
    const auto place = static_cast<size_t>(inner);
    if (IsNextIteration(node)) layout_.nexts[place].push_back(node.id);
    // Of several the one that is not a gradient's counter ([frame.9]).
    if (IsLoopCond(node) && (layout_.loop_cond[place] == NodeId::kNone ||
                             node.name.find("LoopCounter") == std::string::npos)) {
      layout_.loop_cond[place] = node.id;
    }
    const bool keeps_state = KeepsState(node);
    for (int f = inner; f != FrameTree::kRoot;
         f = valid_.frames.frames[static_cast<size_t>(f)].parent) {
      for (const int device : layout_.devices_of[Index(node.id)]) {
        Insert(layout_.participants[static_cast<size_t>(f)], device);
        if (keeps_state) Insert(layout_.stateful[static_cast<size_t>(f)], device);
      }
    }
  }

  const Graph& graph_;
  const CallSpec& call_;
  const ValidatedCall& valid_;
  const FeedSet& fed_;
  const Placement& placement_;
  const bool copies_enters_;
  Layout layout_;
};

}  // namespace

bool Insert(Devices& devices, int device) {
  const auto at = std::lower_bound(devices.begin(), devices.end(), device);
  if (at != devices.end() && *at == device) return false;
  devices.insert(at, device);
  return true;
}

Result<Layout> LayOut(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                      const FeedSet& fed, const Placement& placement, PartitionFault fault) {
  return LayoutMaker(graph, call, valid, fed, placement, fault).Make();
}

}  // namespace tagflow
