#ifndef TAGFLOW_GRAPH_CALL_CHECKS_H_
#define TAGFLOW_GRAPH_CALL_CHECKS_H_

// What a session asks of a call beyond the graph's own rules (graph/validate.h): that its feeds
// fit, that nothing is missing that must be fed, that the devices asked for are there.

#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// Whether the value may be fed to the output: its dtype, and a placeholder's shape.
//   Errors: INVALID_ARGUMENT naming feed and node
Status CheckFeed(const Graph& graph, OutputRef output, const std::string& name,
                 const Tensor& value);

// INVALID_ARGUMENT naming, in one message, all the needed placeholders that are not fed.
Status CheckPlaceholdersFed(const Graph& graph, const CallSpec& call,
                            const std::vector<bool>& needed);

// Every needed node asks for a device that is offered. offered: empty for no check
//   Errors: those of CheckDeviceIsThere, with the node                    Spec: [graph.4]
Status CheckDevices(const Graph& graph, const CallSpec& call, const std::vector<bool>& needed,
                    const std::vector<std::string>& offered);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_CALL_CHECKS_H_
