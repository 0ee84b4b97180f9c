// One firing: inputs in, node run, outputs out. See interpreter.h.

#include "graph/tag.h"
#include "reference/interpreter.h"

namespace tagflow::reference {
namespace {

// A live token has a value ([token.1]); only a broken rule can send one without.
Status CheckInputs(const ProgramNode& fired, const std::vector<Token>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool there = fired.signature.inputs[i].is_ref ? inputs[i].variable != nullptr
                                                        : inputs[i].value.has_value();
    if (!there) return Internal("input " + std::to_string(i) + " is live but has no value");
  }
  return Status();
}

}  // namespace

Status Interpreter::FireOne() {
  const size_t choice = options_.order ? options_.order(ready_) : 0;
  Ready ready = std::move(ready_[choice]);
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(choice));
  if (node(ready.node).role == Role::kRecv && !ready.received) return Collected(StartRecv(ready));
  const int64_t firing = next_firing_;
  Status status = Fire(ready);
  // What a firing touched counts, also of one that failed, and what was touched by tokens that had
  // waited for an iteration that it let begin.
  if (options_.history != nullptr)
    options_.history->firings[static_cast<size_t>(firing)].accesses = std::move(accesses_);
  if (options_.accesses != nullptr) {
    options_.accesses->insert(options_.accesses->end(), accesses_.begin(), accesses_.end());
  }
  return Collected(std::move(status));
}

Status Interpreter::Collected(Status status) {
  if (status.ok() || !options_.collect_errors) return status;
  errors_.push_back(std::move(status));
  return Status();
}

Status Interpreter::Locate(Status status) const {
  if (ready_.empty()) return status;
  const Ready& next = ready_.front();
  return status.WithNode(node(next.node).node->name).WithTag(TagOf(*next.iteration));
}

Status Interpreter::Fire(Ready& ready) {
  const ProgramNode& fired = node(ready.node);
  Iteration& iteration = *ready.iteration;
  Instance& instance = InstanceOf(fired, iteration);
  current_ = next_firing_++;
  accesses_.clear();
  reads_.clear();
  if (fired.is_target) target_fired_[static_cast<size_t>(ready.node)] = true;

  const auto first = iteration.inputs.begin() + fired.first_input;
  std::vector<Token> inputs(
      std::make_move_iterator(first),
      std::make_move_iterator(first + static_cast<std::ptrdiff_t>(fired.sources.size())));
  Record(fired, iteration, instance, inputs);
  std::vector<int64_t> input_firings;
  if (options_.trace) {
    for (const Token& input : inputs) input_firings.push_back(input.from);
  }

  Outputs outputs;
  if (fired.role == Role::kMerge) {
    outputs.dead = rules().merge_output_dead(instance.arrived);
  } else if (fired.role == Role::kTrigger) {
    outputs.dead = rules().trigger_dead(instance.arrived);
  } else {
    outputs.dead = rules().dead(instance.arrived);
  }
  const DeathPtr death = outputs.dead ? DieOfInputs(fired, iteration, instance, inputs) : nullptr;
  outputs.death = death;
  if (ready.received) {
    const Status status = CheckReceived(ready);
    if (!status.ok()) return status.WithNode(fired.node->name).WithTag(TagOf(iteration));
    if (ready.token.death != nullptr) {
      outputs.death = Die(*fired.node, iteration);
      outputs.death->because.emplace_back(-1, std::move(ready.token.death));
    }
    outputs.tokens.push_back(std::move(ready.token));
  } else if (rules().runs(fired.role, outputs.dead, instance.arrived)) {
    Status status = Run(fired, iteration, std::move(inputs), outputs);
    if (!status.ok()) return status.WithNode(fired.node->name).WithTag(TagOf(iteration));
  }
  if (outputs.dead) {
    outputs.tokens.clear();
    outputs.death = death;
  }
  outputs.tokens.resize(fired.signature.outputs.size());
  for (Token& token : outputs.tokens) token.from = current_;
  outputs.from = current_;
  Trace(fired, iteration, input_firings, outputs);

  Frame& frame = *iteration.frame;
  TAGFLOW_RETURN_IF_ERROR(Emit(ready.node, iteration, outputs));
  --iteration.unfinished;
  return Settle(frame);
}

Status Interpreter::Run(const ProgramNode& fired, Iteration& iteration, std::vector<Token> inputs,
                        Outputs& outputs) {
  if (!outputs.dead) TAGFLOW_RETURN_IF_ERROR(ReadReferences(fired, inputs));
  if (fired.role != Role::kMerge && fired.role != Role::kSend)
    TAGFLOW_RETURN_IF_ERROR(CheckInputs(fired, inputs));
  switch (fired.role) {
    case Role::kSwitch:
      return RunSwitch(fired, iteration, inputs, outputs);
    case Role::kMerge:
      return RunMerge(InstanceOf(fired, iteration).arrived, inputs, outputs);
    case Role::kLoopCond:
      TAGFLOW_RETURN_IF_ERROR(rules().check_predicate(inputs[0].value));
      [[fallthrough]];
    case Role::kEnter:
    case Role::kExit:
    case Role::kNextIteration:
      outputs.tokens.push_back(std::move(inputs[0]));
      return Status();
    case Role::kTrigger:
      return Status();
    case Role::kSend:
      return RunSend(fired, iteration, inputs, outputs.death);
    case Role::kFunctional:
      return RunFunctional(fired, iteration, inputs, outputs);
    case Role::kRecv:
    case Role::kOrdinary:
      return RunKernel(fired, iteration, inputs, outputs);
  }
  return Status();
}

Status Interpreter::RunSwitch(const ProgramNode& fired, Iteration& iteration,
                              std::vector<Token>& inputs, Outputs& outputs) {
  const Tensor& predicate = inputs[1].value;
  TAGFLOW_RETURN_IF_ERROR(rules().check_predicate(predicate));
  if (predicate.num_elements() == 0)
    return Internal("a predicate without elements decides nothing");
  const int last = static_cast<int>(fired.signature.outputs.size()) - 1;
  int port;
  std::string reason;
  if (predicate.dtype() == DType::kBool) {
    port = rules().switch_port(*predicate.data<bool>());
    reason = *predicate.data<bool>() ? "predicate true" : "predicate false";
  } else {  // _SwitchN: an index out of range chooses the last
    const int32_t index = *predicate.data<int32_t>();
    port = index < 0 || index > last ? last : index;
    reason = "output " + std::to_string(port) + " was chosen";
  }
  outputs.tokens.resize(fired.signature.outputs.size());
  outputs.tokens[static_cast<size_t>(port)] = std::move(inputs[0]);
  outputs.death = Die(*fired.node, iteration);
  outputs.death->reason = std::move(reason);
  outputs.death->way = port;
  return Status();
}

Status Interpreter::RunMerge(const Arrivals& arrived, std::vector<Token>& inputs,
                             Outputs& outputs) {
  if (arrived.first_live < 0) return Internal("a Merge without a live input is live");
  outputs.tokens.push_back(std::move(inputs[static_cast<size_t>(arrived.first_live)]));
  Token index;
  index.value = Tensor::Scalar<int32_t>(rules().merge_value_index(arrived));
  outputs.tokens.push_back(std::move(index));
  return Status();
}

}  // namespace tagflow::reference
