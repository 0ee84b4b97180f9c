#include "reference/bodies.h"

#include "graph/unknown_ops.h"

namespace tagflow::reference {

Result<const Body*> Bodies::Find(const Graph& caller, const Node& node,
                                 const NameAttrList& function, const std::string& name) {
  std::unique_ptr<Body>& body = bodies_[{&node, name}];
  if (body != nullptr) return static_cast<const Body*>(body.get());
  TAGFLOW_ASSIGN_OR_RETURN(FunctionBody made, InstantiateFunction(caller, function, name));
  auto ready = std::make_unique<Body>(Body{std::move(made), {}});
  StandInForUnknownOps(ready->function.graph);
  CallSpec call;
  for (const NodeId arg : ready->function.args) call.feeds.push_back({arg, 0});
  call.fetches = ready->function.returns;
  call.targets = ready->function.effects;
  TAGFLOW_ASSIGN_OR_RETURN(ready->program,
                           PrepareProgram(ready->function.graph, std::move(call), kernels_));
  body = std::move(ready);
  return static_cast<const Body*>(body.get());
}

}  // namespace tagflow::reference
