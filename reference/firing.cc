// One firing: inputs in, node run, outputs out. See interpreter.h.

#include "graph/tag.h"
#include "reference/interpreter.h"

namespace tagflow::reference {
namespace {

bool Empty(const Token& token) { return !token.value.has_value() && token.variable == nullptr; }

Status CheckPredicate(const Tensor& predicate) {
  if (predicate.num_elements() == 1 && predicate.rank() == 0) return Status();
  return InvalidArgument("The predicate must be a scalar, but it has shape " +
                         DimsString(predicate.dims()))
      .WithRule("switch.2");
}

Status CheckOutputs(const ProgramNode& node, const KernelContext& context) {
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    const Tensor& output = context.outputs[i];
    const bool is_ref = context.output_variables[i] != nullptr;
    if (!is_ref && !output.has_value()) {
      return Internal("Missing " + std::to_string(i) + "-th output from op " + node.node->op);
    }
    const DType dtype = is_ref ? context.output_variables[i]->dtype : output.dtype();
    if (dtype != node.signature.outputs[i].dtype) {
      return Internal("output " + std::to_string(i) + " of op " + node.node->op + " is " +
                      DTypeName(dtype) + ", its signature says " +
                      DTypeName(node.signature.outputs[i].dtype));
    }
  }
  return Status();
}

}  // namespace

Status Interpreter::FireOne() {
  const size_t choice = options_.order ? options_.order(ready_) : 0;
  Ready ready = std::move(ready_[choice]);
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(choice));
  if (node(ready.node).role == Role::kRecv && !ready.received) return StartRecv(ready);
  Status status = Fire(ready);
  if (status.ok() || !options_.collect_errors) return status;
  errors_.push_back(std::move(status));
  return Status();
}

Status Interpreter::Locate(Status status) const {
  if (ready_.empty()) return status;
  const Ready& next = ready_.front();
  return status.WithNode(node(next.node).node->name).WithTag(next.iteration->tag);
}

Status Interpreter::Fire(Ready& ready) {
  const ProgramNode& fired = node(ready.node);
  Iteration& iteration = *ready.iteration;
  Instance& instance = InstanceOf(fired, iteration);
  current_ = next_firing_++;
  accesses_.clear();
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
  if (ready.received) {
    outputs.tokens.push_back(std::move(ready.token));
  } else if (rules().runs(fired.role, outputs.dead)) {
    Status status = Run(fired, iteration, std::move(inputs), outputs);
    if (!status.ok()) return status.WithNode(fired.node->name).WithTag(iteration.tag);
  }
  if (outputs.dead) MarkDead(fired, iteration, instance, outputs);
  outputs.tokens.resize(fired.signature.outputs.size());
  for (Token& token : outputs.tokens) token.from = current_;
  Trace(fired, iteration, input_firings, outputs);

  const int64_t firing = current_;
  Frame& frame = *iteration.frame;
  TAGFLOW_RETURN_IF_ERROR(Emit(ready.node, iteration, outputs));
  if (options_.history != nullptr) {
    options_.history->firings[static_cast<size_t>(firing)].accesses = std::move(accesses_);
  }
  --iteration.unfinished;
  return Settle(frame);
}

Status Interpreter::Run(const ProgramNode& fired, Iteration& iteration, std::vector<Token> inputs,
                        Outputs& outputs) {
  if (!outputs.dead) TAGFLOW_RETURN_IF_ERROR(ReadReferences(fired, inputs));
  switch (fired.role) {
    case Role::kSwitch:
      return RunSwitch(fired, iteration, inputs, outputs);
    case Role::kMerge:
      RunMerge(fired, InstanceOf(fired, iteration).arrived, inputs, outputs);
      return Status();
    case Role::kLoopCond:
      TAGFLOW_RETURN_IF_ERROR(CheckPredicate(inputs[0].value));
      [[fallthrough]];
    case Role::kEnter:
    case Role::kExit:
    case Role::kNextIteration:
      outputs.tokens.push_back(std::move(inputs[0]));
      return Status();
    case Role::kTrigger:
      return Status();
    case Role::kSend:
      return RunSend(fired, iteration, inputs);
    case Role::kRecv:
    case Role::kOrdinary:
      return RunKernel(fired, iteration, inputs, outputs);
  }
  return Status();
}

Status Interpreter::RunSwitch(const ProgramNode& fired, Iteration& iteration,
                              std::vector<Token>& inputs, Outputs& outputs) {
  const Tensor& predicate = inputs[1].value;
  TAGFLOW_RETURN_IF_ERROR(CheckPredicate(predicate));
  const int last = static_cast<int>(fired.signature.outputs.size()) - 1;
  int port;
  std::string reason;
  if (predicate.dtype() == DType::kBool) {
    port = rules().switch_port(predicate.scalar<bool>());
    reason = predicate.scalar<bool>() ? "predicate true" : "predicate false";
  } else {  // _SwitchN: an index out of range chooses the last
    const int32_t index = predicate.scalar<int32_t>();
    port = index < 0 || index > last ? last : index;
    reason = "index " + std::to_string(index);
  }
  outputs.tokens.resize(fired.signature.outputs.size());
  outputs.tokens[static_cast<size_t>(port)] = std::move(inputs[0]);
  outputs.death = Die(*fired.node, iteration, std::move(reason), nullptr);
  return Status();
}

void Interpreter::RunMerge(const ProgramNode&, const Arrivals& arrived, std::vector<Token>& inputs,
                           Outputs& outputs) {
  outputs.tokens.push_back(std::move(inputs[static_cast<size_t>(arrived.first_live)]));
  Token index;
  index.value = Tensor::Scalar<int32_t>(rules().merge_value_index(arrived));
  outputs.tokens.push_back(std::move(index));
}

Status Interpreter::RunKernel(const ProgramNode& fired, Iteration& iteration,
                              std::vector<Token>& inputs, Outputs& outputs) {
  const size_t num_outputs = fired.signature.outputs.size();
  KernelContext context{*fired.node, fired.signature, {},       {}, {}, {},
                        resources_,  iteration.tag,   accesses_};
  for (Token& input : inputs) {
    context.inputs.push_back(std::move(input.value));
    context.variables.push_back(std::move(input.variable));
  }
  context.outputs.resize(num_outputs);
  context.output_variables.resize(num_outputs);
  TAGFLOW_RETURN_IF_ERROR((*fired.kernel)(context));
  TAGFLOW_RETURN_IF_ERROR(CheckOutputs(fired, context));
  for (size_t i = 0; i < num_outputs; ++i) {
    Token& token = outputs.tokens.emplace_back();
    token.value = std::move(context.outputs[i]);
    token.variable = std::move(context.output_variables[i]);
  }
  return Status();
}

Result<std::string> Interpreter::Key(const ProgramNode& fired, const Iteration& iteration) const {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string tensor, StringAttr(*fired.node, "tensor_name"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string sender, StringAttr(*fired.node, "send_device"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string receiver, StringAttr(*fired.node, "recv_device"));
  return sender + ";" + receiver + ";" + tensor + ";" + rules().rendezvous_tag(iteration.tag);
}

Status Interpreter::RunSend(const ProgramNode& fired, Iteration& iteration,
                            std::vector<Token>& inputs) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string key, Key(fired, iteration));
  SentToken token;
  token.dead = rules().send_dead(InstanceOf(fired, iteration).arrived);
  if (!token.dead) token.value = std::move(inputs[0].value);
  return rendezvous_.Send(key, std::move(token));
}

Status Interpreter::StartRecv(const Ready& ready) {
  const ProgramNode& fired = node(ready.node);
  Result<std::string> key = Key(fired, *ready.iteration);
  if (!key.ok()) return key.status();
  ++waiting_recvs_;
  Status status = rendezvous_.Recv(*key, [this, ready](const SentToken& sent) {
    --waiting_recvs_;
    Ready received = ready;
    received.received = true;
    if (!sent.dead) received.token.value = sent.value;
    ready_.push_back(std::move(received));
  });
  return status.WithNode(fired.node->name).WithTag(ready.iteration->tag);
}

Status Interpreter::ReadReferences(const ProgramNode& fired, std::vector<Token>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    Token& input = inputs[i];
    if (input.variable == nullptr) continue;
    const bool is_ref = fired.signature.inputs[i].is_ref;
    const bool allows = fired.node->def->allows_uninitialized_input || fired.role == Role::kSwitch;
    if (!input.variable->value.has_value()) {
      TAGFLOW_RETURN_IF_ERROR(rules().uninitialized(input.variable->name, is_ref && allows));
    }
    if (!rules().reads_at_firing(true, is_ref)) continue;
    accesses_.push_back({input.variable.get(), Access::kWhole, false, input.variable->name});
    input.value = input.variable->value;
    input.variable = nullptr;
  }
  return Status();
}

void Interpreter::MarkDead(const ProgramNode& fired, Iteration& iteration, const Instance& instance,
                           Outputs& outputs) {
  outputs.tokens.clear();
  outputs.death = Die(*fired.node, iteration, "", instance.death);
}

const Death* Interpreter::Die(const Node& source, Iteration& iteration, std::string reason,
                              const Death* because) {
  return &iteration.deaths.emplace_back(Death{&source, iteration.tag, std::move(reason), because});
}

void Interpreter::Record(const ProgramNode& fired, Iteration& iteration, const Instance& instance,
                         const std::vector<Token>& inputs) {
  if (options_.history == nullptr) return;
  Firing firing;
  firing.node = fired.node;
  firing.tag = iteration.tag;
  firing.after = instance.control_firings;
  firing.after.insert(firing.after.end(), iteration.begun_by.begin(), iteration.begun_by.end());
  // A live Merge did not wait for its other inputs.
  const bool live_merge = fired.role == Role::kMerge && instance.arrived.live_data > 0;
  for (size_t slot = 0; slot < inputs.size(); ++slot) {
    if (live_merge && static_cast<int>(slot) != instance.arrived.first_live) continue;
    if (inputs[slot].from >= 0) firing.after.push_back(inputs[slot].from);
  }
  options_.history->firings.push_back(std::move(firing));
  iteration.firings.push_back(current_);
}

void Interpreter::Trace(const ProgramNode& fired, const Iteration& iteration,
                        const std::vector<int64_t>& inputs, const Outputs& outputs) const {
  if (!options_.trace) return;
  TraceEvent event{current_, fired.node, iteration.tag, outputs.dead, inputs, {}};
  for (const Token& token : outputs.tokens) {
    TraceEvent::Output& output = event.outputs.emplace_back();
    output.dead = outputs.dead || Empty(token);
    output.value = token.value;
    if (token.variable != nullptr) output.reference = token.variable->name;
  }
  options_.trace(event);
}

}  // namespace tagflow::reference
