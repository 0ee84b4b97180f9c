#include "reference/partitioned.h"

#include <random>

namespace tagflow::reference {
namespace {

// What one partition has of a call.
struct Part {
  std::vector<std::string> feeds, fetches, targets;
  std::vector<Tensor> feed_values;
  std::vector<size_t> fetch_places;  // in the whole call's fetches
  Program program;
  std::unique_ptr<Interpreter> interpreter;
};

bool Holds(const Graph& graph, const std::string& tensor_name) {
  Result<TensorName> name = ParseTensorName(tensor_name);
  return name.ok() && graph.Find(name->node) != NodeId::kNone;
}

Result<size_t> Holder(const std::vector<const Graph*>& graphs, const std::string& name) {
  for (size_t i = 0; i < graphs.size(); ++i) {
    if (Holds(*graphs[i], name)) return i;
  }
  return NotFound("no partition holds a node for '" + name + "'");
}

void AddSends(const Graph& graph, std::vector<std::string>& targets) {
  for (NodeId id : graph.NodeIds()) {
    if (RoleOf(graph.node(id)) == Role::kSend) targets.push_back(graph.node(id).name);
  }
}

Result<std::vector<Part>> Divide(const std::vector<const Graph*>& graphs, const NamedTensors& feeds,
                                 const std::vector<std::string>& fetches,
                                 const std::vector<std::string>& targets) {
  std::vector<Part> parts(graphs.size());
  for (const auto& [name, value] : feeds) {
    TAGFLOW_ASSIGN_OR_RETURN(const size_t i, Holder(graphs, name));
    parts[i].feeds.push_back(name);
    parts[i].feed_values.push_back(value);
  }
  for (size_t place = 0; place < fetches.size(); ++place) {
    TAGFLOW_ASSIGN_OR_RETURN(const size_t i, Holder(graphs, fetches[place]));
    parts[i].fetches.push_back(fetches[place]);
    parts[i].fetch_places.push_back(place);
  }
  for (const std::string& target : targets) {
    TAGFLOW_ASSIGN_OR_RETURN(const size_t i, Holder(graphs, target));
    parts[i].targets.push_back(target);
  }
  for (size_t i = 0; i < graphs.size(); ++i) {
    AddSends(*graphs[i], parts[i].targets);
    TAGFLOW_ASSIGN_OR_RETURN(
        CallSpec call, ResolveCall(*graphs[i], parts[i].feeds, parts[i].fetches, parts[i].targets));
    TAGFLOW_ASSIGN_OR_RETURN(
        parts[i].program, PrepareProgram(*graphs[i], std::move(call), KernelRegistry::Standard()));
  }
  return parts;
}

}  // namespace

Result<std::vector<Tensor>> PartitionedSession::Run(const NamedTensors& feeds,
                                                    const std::vector<std::string>& fetches,
                                                    const std::vector<std::string>& targets,
                                                    const RunOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<Part> parts, Divide(partitions_, feeds, fetches, targets));
  Rendezvous rendezvous;
  InterpreterOptions interpreter_options;
  interpreter_options.order = options.order;
  interpreter_options.trace = options.trace;
  Limits limits{options.max_firings, options.deadline_s, options.cancelled, options.progress,
                nullptr};
  if (options.seed != 0) {
    auto random = std::make_shared<std::mt19937_64>(options.seed);
    interpreter_options.order = [random](const std::deque<Ready>& ready) {
      return (*random)() % ready.size();
    };
    limits.turn = [random](size_t count) { return (*random)() % count; };
  }
  std::vector<Interpreter*> interpreters;
  for (Part& part : parts) {
    part.interpreter =
        std::make_unique<Interpreter>(part.program, resources_, rendezvous, interpreter_options);
    interpreters.push_back(part.interpreter.get());
    TAGFLOW_RETURN_IF_ERROR(part.interpreter->Start(part.feed_values));
  }
  Status status = RunToEnd(interpreters, limits);
  resources_.EndStep();
  messages_ = {rendezvous.messages(), rendezvous.dead_messages()};
  TAGFLOW_RETURN_IF_ERROR(status);
  std::vector<Tensor> values(fetches.size());
  for (Part& part : parts) {
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> fetched, part.interpreter->Finish());
    for (size_t i = 0; i < fetched.size(); ++i)
      values[part.fetch_places[i]] = std::move(fetched[i]);
  }
  return values;
}

}  // namespace tagflow::reference
