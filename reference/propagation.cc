// Where tokens go, and how frames and iterations begin and end. See interpreter.h.

#include <algorithm>

#include "graph/tag.h"
#include "reference/interpreter.h"

namespace tagflow::reference {

// The name is escaped as in graph/tag.h.
std::string Interpreter::TagPrefix(const Frame& frame) const {
  std::string step = ToString(Tag{{{*frame.name, 0}}});
  step.resize(step.size() - std::string("[0]").size());
  const std::string& parent = TagOf(*frame.parent);
  return parent.empty() ? step : parent + "/" + step;
}

const std::string& Interpreter::TagOf(Iteration& iteration) const {
  const Frame& frame = *iteration.frame;
  if (iteration.tag_text.empty() && frame.parent != nullptr) {
    iteration.tag_text = rules().iteration_tag(TagPrefix(frame), iteration.index);
  }
  return iteration.tag_text;
}

Interpreter::Interpreter(const Program& program, Resources& resources, Rendezvous& rendezvous,
                         const InterpreterOptions& options)
    : program_(program), resources_(resources), rendezvous_(rendezvous), options_(options) {
  fetched_.resize(program.call.fetches.size());
  fetch_arrived_.resize(program.call.fetches.size());
  target_fired_.resize(program.nodes.size());
  frame_began_.resize(program.frames.frames.size());
}

Status Interpreter::Start(const std::vector<Tensor>& feeds) {
  TAGFLOW_RETURN_IF_ERROR(BeginIteration(root_));
  root_.iterations[0]->tag_text = options_.tag;
  const Status fed = Feed(feeds);
  RecordFeeds();
  TAGFLOW_RETURN_IF_ERROR(fed);
  for (size_t i = 0; i < program_.nodes.size(); ++i) {
    if (program_.nodes[i].is_source) MakeReadyIfDue(static_cast<int>(i), *root_.iterations[0]);
  }
  return Status();
}

Status Interpreter::Feed(const std::vector<Tensor>& feeds) {
  Iteration& root = *root_.iterations[0];
  for (size_t i = 0; i < feeds.size(); ++i) {
    Token token;
    token.value = feeds[i];
    token.dead = rules().feed_dead();
    for (int fetch : program_.feeds[i].fetches) TAGFLOW_RETURN_IF_ERROR(Fetch(fetch, token));
    for (DataEdge edge : program_.feeds[i].consumers)
      TAGFLOW_RETURN_IF_ERROR(Arrive(edge, token, root));
    for (ControlEdge edge : program_.feeds[i].control_consumers)
      ArriveControl(edge, token.dead, nullptr, -1, root);
  }
  return Status();
}

Status Interpreter::Emit(int index, Iteration& iteration, Outputs& outputs) {
  switch (node(index).role) {
    case Role::kEnter:
      return EmitEnter(index, iteration, outputs);
    case Role::kExit:
      return EmitExit(index, iteration, outputs);
    case Role::kNextIteration:
      return EmitNext(index, iteration, outputs);
    default:
      return Deliver(index, outputs, iteration);
  }
}

Status Interpreter::EmitEnter(int index, Iteration& iteration, Outputs& outputs) {
  const ProgramNode& enter = node(index);
  Frame& frame = FindOrBeginFrame(enter, iteration);
  frame.end_after.push_back(current_);
  for (const auto& [k, begun] : frame.iterations) {
    const bool reaches =
        enter.is_constant ? rules().enter_reaches(true, k) : k == rules().enter_iteration();
    if (reaches) TAGFLOW_RETURN_IF_ERROR(Deliver(index, outputs, *begun));
  }
  if (enter.is_constant) frame.constants.emplace_back(index, outputs);
  frame.enters_missing -= rules().enter_counts(outputs.dead);
  return Settle(frame);
}

Status Interpreter::EmitExit(int index, Iteration& iteration, Outputs& outputs) {
  Frame& frame = *iteration.frame;
  ExitRecord& exit = frame.exits[index];
  if (!rules().exit_forwards(outputs.dead)) {
    if (!exit.state.saw_dead || iteration.index < exit.died_in) {
      exit.death = outputs.death;
      exit.died_in = iteration.index;
    }
    exit.state.saw_dead = true;
    return Status();
  }
  if (exit.state.sent_live) {
    return rules().exit_second_live().WithNode(node(index).node->name).WithTag(TagOf(iteration));
  }
  exit.state.sent_live = true;
  return Deliver(index, outputs, *frame.parent);
}

Status Interpreter::EmitNext(int index, Iteration& iteration, Outputs& outputs) {
  if (!rules().next_forwards(outputs.dead)) return Status();
  Frame& frame = *iteration.frame;
  const int64_t target = rules().next_iteration(iteration.index);
  if (target <= frame.newest) {
    auto found = frame.iterations.find(target);
    return found == frame.iterations.end() ? Status() : Deliver(index, outputs, *found->second);
  }
  frame.deferred.emplace_back(index, std::move(outputs));
  const int64_t live = static_cast<int64_t>(frame.iterations.size());
  return rules().may_begin(live, frame.parallel_iterations) ? BeginIteration(frame) : Status();
}

Status Interpreter::Deliver(int index, const Outputs& outputs, Iteration& iteration) {
  const ProgramNode& source = node(index);
  bool any_value = false;
  for (size_t i = 0; i < source.consumers.size(); ++i) {
    Token token = i < outputs.tokens.size() ? outputs.tokens[i] : Token();
    const bool has_value = token.value.has_value() || token.variable != nullptr;
    any_value = any_value || has_value;
    token.dead = rules().data_token_dead(outputs.dead, has_value);
    token.from = outputs.from;
    if (token.dead) {
      token.death = outputs.death;
      if (token.death == nullptr) token.death = Die(*source.node, iteration);
    }
    if (!rules().token_sent(token.dead)) continue;
    for (int fetch : source.fetches[i]) TAGFLOW_RETURN_IF_ERROR(Fetch(fetch, token));
    for (DataEdge edge : source.consumers[i])
      TAGFLOW_RETURN_IF_ERROR(Arrive(edge, token, iteration));
  }
  const bool dead = rules().control_token_dead(outputs.dead, any_value);
  if (!rules().token_sent(dead)) return Status();
  for (ControlEdge edge : source.control_consumers)
    ArriveControl(edge, dead, outputs.death, outputs.from, iteration);
  return Status();
}

// A fetch is a consumer: it reads a reference when the token arrives ([ref.2], [ref.3]).
Status Interpreter::Fetch(int fetch, const Token& token) {
  Token& fetched = fetched_[static_cast<size_t>(fetch)];
  fetched = token;
  fetch_arrived_[static_cast<size_t>(fetch)] = true;
  if (token.variable == nullptr) return Status();
  accesses_.push_back({token.variable.get(), Access::kValue, false, token.variable->name});
  fetched.value = token.variable->value;
  if (fetched.value.has_value()) return Status();
  const OutputRef output = program_.call.fetches[static_cast<size_t>(fetch)];
  Status read = rules()
                    .uninitialized(token.variable->name, false)
                    .WithNode(program_.graph->node(output.node).name);
  return Collected(std::move(read));  // the others who take the token may fail, too
}

Status Interpreter::Arrive(DataEdge edge, const Token& token, Iteration& iteration) {
  const ProgramNode& consumer = node(edge.node);
  Instance& instance = InstanceOf(consumer, iteration);
  Arrivals& arrived = instance.arrived;
  if (consumer.role == Role::kMerge && !token.dead) {
    TAGFLOW_RETURN_IF_ERROR(ArriveLive(edge, token, iteration));
  }
  (token.dead ? arrived.dead_data : arrived.live_data) += 1;
  if (!arrived.fired)
    iteration.inputs[static_cast<size_t>(consumer.first_input + edge.slot)] = token;
  if (consumer.role == Role::kMerge) DropLiveInputs(consumer, iteration);
  MakeReadyIfDue(edge.node, iteration);
  return Status();
}

Status Interpreter::ArriveLive(DataEdge edge, const Token& token, Iteration& iteration) {
  const ProgramNode& merge = node(edge.node);
  Arrivals& arrived = InstanceOf(merge, iteration).arrived;
  const bool may_be_second = arrived.live_data > 0 || NeedsOf(merge, iteration).data > 1;
  if (!may_be_second && options_.history == nullptr) {
    arrived.first_live = edge.slot;
    return Status();
  }
  const bool index_is_taken = !merge.consumers[1].empty() || !merge.fetches[1].empty();
  std::vector<Tensor>& values = iteration.live_inputs[merge.place].values;
  std::string why = "all its inputs had come";
  const auto equal = std::ranges::find_if(values, [&](const Tensor& value) {
    why = rules().merge_inputs_differ(value, token.value, index_is_taken);
    return why.empty();
  });
  const auto number = static_cast<size_t>(equal - values.begin());
  if (equal == values.end()) values.push_back(index_is_taken ? Tensor() : token.value);
  RecordLiveInput(merge, token, number, iteration);
  if (arrived.live_data == 0) {
    arrived.first_live = edge.slot;
  } else if (!why.empty()) {
    return rules()
        .merge_second_live(arrived.first_live, edge.slot, why)
        .WithNode(merge.node->name)
        .WithTag(TagOf(iteration));
  }
  return Status();
}

// Values are kept no longer than others may come to be compared with them.
void Interpreter::DropLiveInputs(const ProgramNode& merge, Iteration& iteration) const {
  const auto found = iteration.live_inputs.find(merge.place);
  if (found == iteration.live_inputs.end()) return;
  const Arrivals& arrived = InstanceOf(merge, iteration).arrived;
  if (arrived.data() < NeedsOf(merge, iteration).data) return;
  found->second.values.clear();
  if (options_.history == nullptr) iteration.live_inputs.erase(found);
}

void Interpreter::ArriveControl(ControlEdge edge, bool dead, const DeathPtr& death, int64_t from,
                                Iteration& iteration) {
  Instance& instance = InstanceOf(node(edge.node), iteration);
  (dead ? instance.arrived.dead_control : instance.arrived.live_control) += 1;
  const bool is_first = instance.control_death == nullptr || edge.slot < instance.control_slot;
  if (dead && is_first) {
    instance.control_death = death;
    instance.control_slot = edge.slot;
  }
  if (options_.history != nullptr && from >= 0) instance.control_firings.push_back(from);
  MakeReadyIfDue(edge.node, iteration);
}

void Interpreter::MakeReadyIfDue(int index, Iteration& iteration) {
  const ProgramNode& consumer = node(index);
  Arrivals& arrived = InstanceOf(consumer, iteration).arrived;
  if (!rules().may_fire(arrived)) return;
  const Needs needs = NeedsOf(consumer, iteration);
  const bool due = consumer.role == Role::kMerge
                       ? rules().merge_live(needs, arrived) || rules().merge_dead(needs, arrived)
                       : rules().ready(needs, arrived);
  if (!due) return;
  arrived.fired = true;
  ++iteration.unfinished;
  ready_.push_back(Ready{index, &iteration, false, {}});
}

Needs Interpreter::NeedsOf(const ProgramNode& consumer, const Iteration& iteration) const {
  Needs needs{static_cast<int>(consumer.sources.size()), consumer.num_control};
  if (consumer.role == Role::kMerge) {
    needs.data = static_cast<int>(std::count_if(
        consumer.sources.begin(), consumer.sources.end(),
        [&](SourceKind source) { return rules().merge_present(source, iteration.index); }));
  }
  return needs;
}

Instance& Interpreter::InstanceOf(const ProgramNode& source, Iteration& iteration) const {
  return iteration.instances[static_cast<size_t>(source.place)];
}

// The tag of an iteration as frames in it are found by: in short, with its frame's number for all
// of the tag up to there, but whole under other rules, which may look into it.
std::string Interpreter::KeyTagOf(Iteration& iteration) const {
  const Frame& around = *iteration.frame;
  if (options_.rules != &StandardRules() || around.parent == nullptr) return TagOf(iteration);
  return rules().iteration_tag(std::to_string(around.number), iteration.index);
}

Frame& Interpreter::FindOrBeginFrame(const ProgramNode& enter, Iteration& parent) {
  const std::string key = rules().frame_key(KeyTagOf(parent), enter.frame_name);
  std::unique_ptr<Frame>& frame = frames_[key];
  if (frame != nullptr) return *frame;
  const StaticFrame& description = program_.frames.frames[static_cast<size_t>(enter.child_frame)];
  frame = std::make_unique<Frame>();
  frame->static_frame = enter.child_frame;
  frame_began_[static_cast<size_t>(enter.child_frame)] = true;
  frame->key = key;
  frame->number = next_frame_++;
  frame->name = &enter.frame_name;
  frame->parent = &parent;
  frame->enters_missing = static_cast<int>(description.enters.size());
  frame->parallel_iterations = description.parallel_iterations;
  ++parent.live_frames;
  TAGFLOW_CHECK(BeginIteration(*frame).ok());  // nothing is delivered yet
  return *frame;
}

Status Interpreter::BeginIteration(Frame& frame) {
  const FrameExtent& extent = program_.extents[static_cast<size_t>(frame.static_frame)];
  const int64_t index = ++frame.newest;
  Iteration& iteration = *(frame.iterations[index] = std::make_unique<Iteration>());
  iteration.frame = &frame;
  iteration.index = index;
  if (frame.parent != nullptr) {
    iteration.tag = std::make_shared<TagLink>(TagLink{frame.parent->tag, frame.name, index});
  }
  iteration.instances.resize(static_cast<size_t>(extent.nodes));
  iteration.inputs.resize(static_cast<size_t>(extent.inputs));
  if (frame.parallel_iterations == 1 && frame.last_iteration_end >= 0) {
    iteration.begun_by.push_back(frame.last_iteration_end);
  }
  std::vector<std::pair<int, Outputs>> deferred = std::move(frame.deferred);
  // Of several NextIterations another may begin it in another order.
  if (!deferred.empty() && extent.next_iterations == 1)
    iteration.begun_by.push_back(deferred.front().second.tokens.front().from);
  frame.deferred.clear();
  for (const auto& [next, outputs] : deferred)
    TAGFLOW_RETURN_IF_ERROR(Deliver(next, outputs, iteration));
  for (const auto& [enter, outputs] : frame.constants) {
    if (rules().enter_reaches(true, index))
      TAGFLOW_RETURN_IF_ERROR(Deliver(enter, outputs, iteration));
  }
  return Status();
}

Status Interpreter::Settle(Frame& frame) {
  if (frame.parent == nullptr) return Status();  // the root ends with the step ([step.1])
  while (!frame.iterations.empty()) {
    Iteration& oldest = *frame.iterations.begin()->second;
    if (!rules().iteration_ended(
            {oldest.index, oldest.unfinished, oldest.live_frames, frame.enters_missing}))
      break;
    EndIteration(frame, oldest);
    const int64_t live = static_cast<int64_t>(frame.iterations.size());
    if (!frame.deferred.empty() && rules().may_begin(live, frame.parallel_iterations)) {
      TAGFLOW_RETURN_IF_ERROR(BeginIteration(frame));
    }
  }
  const int64_t live = static_cast<int64_t>(frame.iterations.size());
  return rules().frame_ended({frame.enters_missing, live}) ? EndFrame(frame) : Status();
}

void Interpreter::EndIteration(Frame& frame, Iteration& iteration) {
  NoteStarved(frame, iteration);
  std::vector<int64_t> after = std::move(iteration.firings);
  if (frame.last_iteration_end >= 0) after.push_back(frame.last_iteration_end);
  frame.last_iteration_end =
      options_.history == nullptr ? -1 : RecordEnd(TagOf(iteration), std::move(after));
  auto ended = frame.iterations.extract(iteration.index);
  if (options_.rules != &StandardRules()) ended_iterations_.push_back(std::move(ended.mapped()));
}

Status Interpreter::EndFrame(Frame& frame) {
  const auto found = frames_.find(frame.key);
  if (found == frames_.end() || found->second.get() != &frame) return Status();  // ended before
  std::unique_ptr<Frame> ended = std::move(found->second);
  frames_.erase(found);
  if (options_.rules != &StandardRules()) ended_frames_.push_back(std::move(ended));
  Iteration& parent = *frame.parent;
  frame.end_after.push_back(frame.last_iteration_end);
  const int64_t end =
      options_.history == nullptr ? -1 : RecordEnd(TagPrefix(frame), std::move(frame.end_after));
  if (end >= 0) parent.firings.push_back(end);
  const int64_t cause = current_;
  if (end >= 0) current_ = end;  // dead Exits come after everything in the frame
  for (const auto& [index, exit] : frame.exits) {
    if (!rules().exit_owes_dead(exit.state)) continue;
    const Outputs dead{true, exit.death, {}, current_};
    TAGFLOW_RETURN_IF_ERROR(Deliver(index, dead, parent));
  }
  current_ = cause;
  --parent.live_frames;
  return Settle(*parent.frame);
}

}  // namespace tagflow::reference
