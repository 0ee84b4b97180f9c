// Members of Step: the end. What was fetched, what is dead and why, what is still owed.
//                                                                         Spec: [fetch.*] [step.2]

#include <algorithm>

#include "optimized/errors.h"
#include "optimized/rendezvous/rendezvous.h"
#include "optimized/tokens/explain.h"
#include "optimized/tokens/step.h"
#include "optimized/tokens/watchdog.h"

namespace tagflow::optimized::tokens {
namespace {

constexpr size_t kMaxListed = 8;

std::string At(const Tag& tag) { return tag.is_root() ? "" : " at tag " + ToString(tag); }

Status LostTrack(const std::string& what, const std::vector<std::string>& lost,
                 const std::string& waits) {
  std::string text;
  for (size_t i = 0; i < std::min(lost.size(), kMaxListed); ++i) text += "; " + lost[i];
  return Internal("the engine has lost track of a step, and " + what +
                  " is still owed. This is a bug of the engine: please report it with the graph" +
                  text + waits);
}

}  // namespace

template <typename Sync>
Result<std::vector<Tensor>> Step<Sync>::Finish() {
  EndCalls();
  if (Status error = errors_.Report(); !error.ok()) {
    // Whoever is at the other end waits for nothing any more.
    if (control_->rendezvous != nullptr) control_->rendezvous->Abort(error);
    return error;
  }
  std::vector<Tensor> values;
  values.reserve(fetched_.size());
  for (size_t i = 0; i < fetched_.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor value, TakeFetch(i));
    values.push_back(std::move(value));
  }
  TAGFLOW_RETURN_IF_ERROR(CheckTargets());
  if (!WaitingRecvs().empty()) return Owed("a Recv");
  return values;
}

template <typename Sync>
Result<Tensor> Step<Sync>::TakeFetch(size_t i) {
  const OutputRef output = plan_.call.fetches[i];
  const std::string& producer = plan_.graph->node(output.node).name;
  Fetched& fetched = fetched_[i];
  switch (fetched.state) {
    case Fetched::State::kMissing:
      return Owed("fetch '" + OutputName(*plan_.graph, output) + "'").WithNode(producer);
    case Fetched::State::kDead:
      return DeadFetch(OutputName(*plan_.graph, output), ExplainDeath(plan_, *root_.oldest, output))
          .WithNode(producer);
    case Fetched::State::kLive:
      break;
  }
  if (!fetched.value.has_value()) {
    return UninitializedVariable(fetched.uninitialized).WithNode(producer);
  }
  return std::move(fetched.value);
}

template <typename Sync>
Status Step<Sync>::CheckTargets() const {
  for (size_t i = 0; i < plan_.targets.size(); ++i) {
    if (target_fired_[i].load() || !IsOwed(plan_.targets[i])) continue;
    const std::string& name = plan_.graph->node(plan_.targets[i].node).name;
    return Owed("target '" + name + "'").WithNode(name);
  }
  return Status();
}

// A target that did not fire is owed, unless it is in a loop and every frame around it has ended.
template <typename Sync>
bool Step<Sync>::IsOwed(const TargetPlan& target) const {
  int outermost = FrameTree::kRoot;
  for (int around = target.frame; around > FrameTree::kRoot;
       around = plan_.frames[static_cast<size_t>(around)].parent) {
    outermost = around;
    for (const auto& frame : frames_.frames()) {
      if (frame->static_frame == around && frame->is_alive) return true;
    }
  }
  return outermost == FrameTree::kRoot || !frames_.HasBegun(outermost);
}

// Called when an iteration ends; whether something may be left in its slots, since some instance of
// it starves or died with its class.
template <typename Sync>
bool Step<Sync>::NoteStarved(const IterationT& iteration) {
  if (!iteration.IsHalfFed()) [[likely]]
    return false;
  std::lock_guard lock(starved_mutex_);
  if (starved_.size() < kMaxListed) ListHalfFed(iteration, starved_);
  return true;
}

template <typename Sync>
void Step<Sync>::ListHalfFed(const IterationT& iteration, std::vector<std::string>& waits) const {
  const FramePlan& plan = iteration.frame->plan;
  for (uint32_t place = 0; place < plan.num_nodes && waits.size() < kMaxListed; ++place) {
    const PlanNode& node = iteration.nodes[place];
    if (node.role == Role::kMerge) {
      if (iteration.index > 0 && node.detail >= plan.num_later_merges) continue;
      const uint64_t word = iteration.merges[node.detail].word.load();
      const uint64_t initial = plan.merges[iteration.index == 0 ? 0 : 1][node.detail];
      if (!MergeArrivals::HalfFed(word, initial)) continue;
    } else if (place >= plan.num_words ||
               !Arrivals::HalfFed(iteration.words[place].load(), plan.initial_word(place)) ||
               DiedInClass(plan_, iteration, node)) {
      continue;
    }
    waits.push_back(Missing(iteration, node));
  }
  for (const uint32_t dead_class : plan.classes) {
    const PlanNode& node = plan_.nodes[dead_class];
    if (!Arrivals::HalfFed(iteration.words[node.detail].load(), plan.initial_word(node.detail))) {
      continue;
    }
    waits.push_back(Missing(iteration, node));
  }
}

// "'add' at tag f[1] waits for 1 of 'x', 'y'": which of them it is, nothing keeps.
template <typename Sync>
std::string Step<Sync>::Missing(const IterationT& iteration, const PlanNode& node) const {
  const Node& source = *plan_.info(node).node;
  std::string inputs;
  for (OutputRef input : source.inputs) {
    inputs += (inputs.empty() ? "'" : ", '") + OutputName(*plan_.graph, input) + "'";
  }
  for (NodeId control : source.control_inputs) {
    inputs += (inputs.empty() ? "'^" : ", '^") + plan_.graph->node(control).name + "'";
  }
  uint32_t missing = 0;
  if (node.role == Role::kMerge) {
    missing = MergeArrivals::ControlsMissing(iteration.merges[node.detail].word.load());
  } else if (node.role != Role::kDeadClass) {
    missing = iteration.words[&node - iteration.nodes].load() / Arrivals::Step(1);
  }
  const std::string count = missing == 0 ? "the rest" : std::to_string(missing);
  return "'" + source.name + "'" + At(TagOf(iteration)) + " waits for " + count + " of " + inputs;
}

template <typename Sync>
std::string Step<Sync>::Waiting() const {
  std::vector<std::string> waits = starved_;
  ListHalfFed(*root_.oldest, waits);
  for (const auto& frame : frames_.frames()) {
    if (!frame->is_alive) continue;
    for (const IterationT* at = frame->oldest; at != nullptr; at = at->next.load()) {
      ListHalfFed(*at, waits);
    }
    if (const int32_t missing = frame->enters_missing.load(); missing > 0) {
      waits.push_back("frame '" + frame->plan.name + "'" + At(TagOf(*frame->parent)) +
                      " waits for " + std::to_string(missing) + " of its Enters");
    }
  }
  std::sort(waits.begin(), waits.end());
  // First what the others may wait for.
  std::vector<std::string> messages;
  for (const ReadyT& waiter : WaitingRecvs()) {
    messages.push_back("a Recv waits for the key " + KeyText(waiter.node(), *waiter.iteration));
  }
  std::sort(messages.begin(), messages.end());
  waits.insert(waits.begin(), messages.begin(), messages.end());
  if (waits.empty()) return "; nothing that leads there ever ran";
  const size_t listed = std::min(waits.size(), kMaxListed);
  std::string text;
  for (size_t i = 0; i < listed; ++i) text += (i == 0 ? ": " : "; ") + waits[i];
  if (waits.size() > listed) text += "; and " + std::to_string(waits.size() - listed) + " more";
  return text;
}

// What is owed when nothing can run any more: the graph's doing, unless the watchdog finds ours.
template <typename Sync>
Status Step<Sync>::Owed(const std::string& what) const {
  // Workers that see the flag drop what is due, and none of them may have been about to fire.
  if (stop_->is_set() && !stop_->status().ok()) return stop_->status();
  EndedStep<Sync> ended{plan_, frames_, *root_.oldest, {}, {}};
  for (const ReadyT& waiter : WaitingRecvs()) {
    ended.waiting_recvs.push_back(waiter.iteration);
  }
  for (size_t i = 0; i < fetched_.size(); ++i) {
    if (fetched_[i].state != Fetched::State::kMissing) continue;
    ended.missing_fetches.push_back(plan_.call.fetches[i]);
  }
  const std::vector<std::string> lost = FindLost(ended);
  return lost.empty() ? StillOwed(what, Waiting()) : LostTrack(what, lost, Waiting());
}

template Result<std::vector<Tensor>> Step<Sequential>::Finish();
template Result<std::vector<Tensor>> Step<Concurrent>::Finish();
template bool Step<Sequential>::NoteStarved(const IterationT&);
template bool Step<Concurrent>::NoteStarved(const IterationT&);

}  // namespace tagflow::optimized::tokens
