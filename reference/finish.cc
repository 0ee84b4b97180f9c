// The end of a step: what was fetched, what is dead and why, what is still owed. See interpreter.h.

#include <algorithm>

#include "reference/interpreter.h"

namespace tagflow::reference {
namespace {

constexpr size_t kMaxListed = 8;

std::string At(const std::string& tag) { return tag.empty() ? "" : " at tag " + tag; }

// "'add' at tag f[1] has 1 of 2 inputs; missing: 'x:0'"
std::string Missing(const Program& program, const ProgramNode& node, const Iteration& iteration,
                    const std::string& tag) {
  const Arrivals& arrived = iteration.instances[static_cast<size_t>(node.place)].arrived;
  std::string missing;
  for (size_t slot = 0; slot < node.sources.size(); ++slot) {
    const Token& token = iteration.inputs[static_cast<size_t>(node.first_input) + slot];
    if (token.dead || token.value.has_value() || token.variable != nullptr) continue;
    missing +=
        (missing.empty() ? "'" : ", '") + OutputName(*program.graph, node.node->inputs[slot]) + "'";
  }
  if (arrived.control() < node.num_control) {
    missing += (missing.empty() ? "" : ", ") +
               std::to_string(node.num_control - arrived.control()) + " of its " +
               std::to_string(node.num_control) + " control inputs";
  }
  return "'" + node.node->name + "'" + At(tag) + " waits for " + missing;
}

bool IsHalfFed(const ProgramNode& node, const Iteration& iteration) {
  const Arrivals& arrived = iteration.instances[static_cast<size_t>(node.place)].arrived;
  return !arrived.fired && arrived.data() + arrived.control() > 0;
}

}  // namespace

void Interpreter::NoteStarved(const Frame& frame, Iteration& iteration) {
  for (int index : program_.frame_nodes[static_cast<size_t>(frame.static_frame)]) {
    if (starved_.size() >= kMaxListed) return;
    if (IsHalfFed(node(index), iteration))
      starved_.push_back(Missing(program_, node(index), iteration, TagOf(iteration)));
  }
}

TargetState Interpreter::StateOfTarget(const ProgramNode& target) const {
  TargetState state;
  state.in_root = target.frame <= FrameTree::kRoot;
  int frame = target.frame;
  while (frame > FrameTree::kRoot) {
    for (const auto& [key, instance] : frames_) {
      state.one_lives = state.one_lives || instance->static_frame == frame;
    }
    state.outermost_began = frame_began_[static_cast<size_t>(frame)];
    frame = program_.frames.frames[static_cast<size_t>(frame)].parent;
  }
  return state;
}

std::string Interpreter::Waiting() const {
  std::vector<std::string> waits = starved_;
  auto add_frame = [&](const Frame& frame) {
    for (const auto& [k, iteration] : frame.iterations) {
      for (int index : program_.frame_nodes[static_cast<size_t>(frame.static_frame)]) {
        if (IsHalfFed(node(index), *iteration))
          waits.push_back(Missing(program_, node(index), *iteration, TagOf(*iteration)));
      }
    }
    if (frame.enters_missing > 0) {
      waits.push_back("frame " + TagPrefix(frame) + " waits for " +
                      std::to_string(frame.enters_missing) + " of its Enters");
    }
  };
  add_frame(root_);
  for (const auto& [key, frame] : frames_) add_frame(*frame);
  for (const std::string& key : rendezvous_.WaitingKeys())
    waits.push_back("a Recv waits for the key " + key);
  if (waits.empty()) return "; nothing that leads there ever ran";
  std::sort(waits.begin(), waits.end());
  std::string text;
  for (size_t i = 0; i < std::min(waits.size(), kMaxListed); ++i)
    text += (i == 0 ? ": " : "; ") + waits[i];
  if (waits.size() > kMaxListed)
    text += "; and " + std::to_string(waits.size() - kMaxListed) + " more";
  return text;
}

Result<std::vector<Tensor>> Interpreter::Finish() const {
  std::vector<Tensor> values;
  for (size_t i = 0; i < fetched_.size(); ++i) {
    const std::string name = OutputName(*program_.graph, program_.call.fetches[i]);
    const std::string& producer = program_.graph->node(program_.call.fetches[i].node).name;
    if (!fetch_arrived_[i])
      return rules().owed("fetch '" + name + "'", Waiting()).WithNode(producer);
    const Token& token = fetched_[i];
    if (token.dead) {
      const std::string why =
          token.death == nullptr ? ""
                                 : Explain(*program_.graph, program_.call.fetches[i], *token.death);
      return rules().dead_fetch(name, why).WithNode(producer);
    }
    if (!token.value.has_value() && token.variable == nullptr)
      return Internal("the fetched tensor is live but has no value").WithNode(producer);
    values.push_back(token.value);
  }
  for (size_t i = 0; i < program_.nodes.size(); ++i) {
    if (program_.nodes[i].is_target && !target_fired_[i] &&
        rules().target_owed(StateOfTarget(program_.nodes[i]))) {
      const std::string& name = program_.nodes[i].node->name;
      TAGFLOW_RETURN_IF_ERROR(rules().owed("target '" + name + "'", Waiting()).WithNode(name));
    }
  }
  if (waiting_recvs_ > 0) TAGFLOW_RETURN_IF_ERROR(rules().owed("a Recv", Waiting()));
  return values;
}

}  // namespace tagflow::reference
