#include "reference/partitioned.h"

#include <algorithm>
#include <random>

namespace tagflow::reference {

// What one partition has of a call. Places are in the whole call's feeds and fetches.
struct PartitionedSession::Part {
  std::vector<std::string> feeds, fetches, targets;
  std::vector<size_t> feed_places, fetch_places;
  Program program;
};

namespace {

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

std::string CallKey(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                    const std::vector<std::string>& targets) {
  std::string key;
  for (const auto& [name, value] : feeds) key += name + "\n";
  for (const std::string& fetch : fetches) key += "fetch " + fetch + "\n";
  for (const std::string& target : targets) key += "target " + target + "\n";
  return key;
}

// Orders drawn from the options' seed, unless they name one.
struct Orders {
  explicit Orders(const RunOptions& options) : order(options.order) {
    if (options.seed == 0) return;
    auto random = std::make_shared<std::mt19937_64>(options.seed);
    if (!order) order = [random](const auto& ready) { return (*random)() % ready.size(); };
    turn = [random](size_t count) { return (*random)() % count; };
  }
  Order order;
  std::function<size_t(size_t)> turn;
};

// Lets a message arrive, if one is under way.
bool DeliverOne(Rendezvous& rendezvous, const Delivery& delivery) {
  const std::vector<std::string> keys = rendezvous.Deliverable();
  if (keys.empty()) return false;
  rendezvous.Deliver(keys[delivery(keys)]);
  return true;
}

}  // namespace

PartitionedSession::PartitionedSession(std::vector<const Graph*> partitions, Resources* resources,
                                       const Rules& rules)
    : partitions_(std::move(partitions)),
      resources_(resources == nullptr ? own_resources_ : *resources),
      rules_(rules) {}

PartitionedSession::~PartitionedSession() = default;

MessageCounts PartitionedSession::messages() const {
  return {static_cast<int64_t>(sent_.size()),
          std::ranges::count_if(sent_, [](const Message& message) { return message.dead; })};
}

Result<const PartitionedSession::Parts*> PartitionedSession::Prepare(
    const NamedTensors& feeds, const std::vector<std::string>& fetches,
    const std::vector<std::string>& targets) {
  std::unique_ptr<Parts>& known = calls_[CallKey(feeds, fetches, targets)];
  if (known != nullptr) return static_cast<const Parts*>(known.get());
  auto parts = std::make_unique<Parts>(partitions_.size());
  for (size_t place = 0; place < feeds.size(); ++place) {
    TAGFLOW_ASSIGN_OR_RETURN(const size_t i, Holder(partitions_, feeds[place].first));
    (*parts)[i].feeds.push_back(feeds[place].first);
    (*parts)[i].feed_places.push_back(place);
  }
  for (size_t place = 0; place < fetches.size(); ++place) {
    TAGFLOW_ASSIGN_OR_RETURN(const size_t i, Holder(partitions_, fetches[place]));
    (*parts)[i].fetches.push_back(fetches[place]);
    (*parts)[i].fetch_places.push_back(place);
  }
  for (const std::string& target : targets) {
    TAGFLOW_ASSIGN_OR_RETURN(const size_t i, Holder(partitions_, target));
    (*parts)[i].targets.push_back(target);
  }
  for (size_t i = 0; i < partitions_.size(); ++i) {
    Part& part = (*parts)[i];
    AddSends(*partitions_[i], part.targets);
    TAGFLOW_ASSIGN_OR_RETURN(CallSpec call,
                             ResolveCall(*partitions_[i], part.feeds, part.fetches, part.targets));
    TAGFLOW_ASSIGN_OR_RETURN(
        part.program, PrepareProgram(*partitions_[i], std::move(call), KernelRegistry::Standard()));
  }
  known = std::move(parts);
  return static_cast<const Parts*>(known.get());
}

Result<std::vector<Tensor>> PartitionedSession::RunParts(const Parts& parts,
                                                         const NamedTensors& feeds,
                                                         const RunOptions& options,
                                                         const Delivery& delivery) {
  Rendezvous rendezvous(/*holds=*/delivery != nullptr);
  Orders orders(options);
  InterpreterOptions interpreter_options;
  interpreter_options.rules = &rules_;
  interpreter_options.order = orders.order;
  interpreter_options.trace = options.trace;
  Limits limits{options.max_firings, options.deadline_s, options.cancelled,
                options.progress,    orders.turn,        nullptr};
  if (delivery) limits.arrive = [&] { return DeliverOne(rendezvous, delivery); };
  std::vector<std::unique_ptr<Interpreter>> interpreters;
  std::vector<Interpreter*> all;
  Status status;
  for (const Part& part : parts) {
    interpreters.push_back(
        std::make_unique<Interpreter>(part.program, resources_, rendezvous, interpreter_options));
    all.push_back(interpreters.back().get());
    std::vector<Tensor> values;
    for (const size_t place : part.feed_places) values.push_back(feeds[place].second);
    if (status.ok()) status = all.back()->Start(values);
  }
  if (status.ok()) status = RunToEnd(all, limits);
  resources_.EndStep();
  sent_ = rendezvous.sent();
  TAGFLOW_RETURN_IF_ERROR(status);
  size_t fetches = 0;
  for (const Part& part : parts) fetches += part.fetches.size();
  std::vector<Tensor> values(fetches);
  for (size_t i = 0; i < parts.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> fetched, all[i]->Finish());
    for (size_t k = 0; k < fetched.size(); ++k) {
      values[parts[i].fetch_places[k]] = std::move(fetched[k]);
    }
  }
  return values;
}

Result<std::vector<Tensor>> PartitionedSession::Run(const NamedTensors& feeds,
                                                    const std::vector<std::string>& fetches,
                                                    const std::vector<std::string>& targets,
                                                    const RunOptions& options,
                                                    const Delivery& delivery) {
  TAGFLOW_ASSIGN_OR_RETURN(const Parts* parts, Prepare(feeds, fetches, targets));
  return RunParts(*parts, feeds, options, delivery);
}

}  // namespace tagflow::reference
