// Send and Recv. See interpreter.h.

#include "reference/interpreter.h"

namespace tagflow::reference {

Result<std::string> Interpreter::Key(const ProgramNode& fired, Iteration& iteration) const {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string tensor, StringAttr(*fired.node, "tensor_name"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string sender, StringAttr(*fired.node, "send_device"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string receiver, StringAttr(*fired.node, "recv_device"));
  return sender + ";" + receiver + ";" + tensor + ";" + rules().rendezvous_tag(TagOf(iteration));
}

Status Interpreter::RunSend(const ProgramNode& fired, Iteration& iteration,
                            std::vector<Token>& inputs, DeathPtr death) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string key, Key(fired, iteration));
  SentToken token;
  token.dead = rules().send_dead(InstanceOf(fired, iteration).arrived);
  if (token.dead) {
    token.death = std::move(death);
  } else {
    token.value = std::move(inputs[0].value);
  }
  return rendezvous_.Send(key, std::move(token));
}

Status Interpreter::StartRecv(const Ready& ready) {
  const ProgramNode& fired = node(ready.node);
  Result<std::string> key = Key(fired, *ready.iteration);
  if (!key.ok()) return key.status();
  if (!rules().recv_waits()) {
    ready_.push_back(ready);
    ready_.back().received = true;
    return Status();
  }
  ++waiting_recvs_;
  Status status = rendezvous_.Recv(*key, [this, ready](const SentToken& sent) {
    --waiting_recvs_;
    Ready received = ready;
    received.received = true;
    if (!sent.dead) received.token.value = sent.value;
    // A Send of another partition is of another graph, whose nodes say nothing here.
    if (sent.death != nullptr && IsOwn(*sent.death->node)) received.token.death = sent.death;
    ready_.push_back(std::move(received));
  });
  return status.WithNode(fired.node->name).WithTag(TagOf(*ready.iteration));
}

Status Interpreter::CheckReceived(const Ready& ready) const {
  const DType sent = ready.token.value.dtype();
  const DType wanted = node(ready.node).signature.outputs[0].dtype;
  if (!ready.token.value.has_value() || sent == wanted) return Status();
  return InvalidArgument("a Recv of " + DTypeName(wanted) + " got " + DTypeName(sent) +
                         "; give what is sent and what is received one tensor_type")
      .WithRule("rendezvous.3");
}

bool Interpreter::IsOwn(const Node& sender) const {
  const NodeId id = program_.graph->Find(sender.name);
  return id != NodeId::kNone && &program_.graph->node(id) == &sender;
}

}  // namespace tagflow::reference
