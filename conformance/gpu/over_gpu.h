#ifndef TAGFLOW_CONFORMANCE_GPU_OVER_GPU_H_
#define TAGFLOW_CONFORMANCE_GPU_OVER_GPU_H_

// For tests and suites: a graph in text on one device.

#include <memory>
#include <string>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/op_on_device.h"
#include "optimized/session.h"

namespace tagflow::conformance {

// Every node of it is on /device:GPU:0 or /device:CPU:0, and the feeds come from the host. The
// nodes on a GPU are noted (RunOnGpu).
inline Result<std::unique_ptr<optimized::Session>> OpenTextOn(const std::string& device,
                                                              const std::string& text) {
  TestGraph graph(text, OpRegistry::Standard());
  for (const NodeId id : graph.graph().NodeIds()) {
    Node& node = graph.mutable_graph().mutable_node(id);
    if (node.op == "Placeholder") continue;
    node.device = device;
    if (device == "/device:GPU:0") {
      optimized::RunOnGpu().insert({node.op, "GPU", KernelDType(node)});
    }
  }
  optimized::SessionOptions options;
  options.devices = {"/device:CPU:0", "/device:GPU:0"};
  options.device_kinds = {optimized::GpuDevices()};
  return optimized::Session::Create(graph.Take(), options);
}

// One step of such a session.   Errors: of the session and the step
inline Result<std::vector<Tensor>> RunTextOn(const std::string& device, const std::string& text,
                                             const optimized::NamedTensors& feeds,
                                             const std::vector<std::string>& fetches) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, OpenTextOn(device, text));
  return session->Run(feeds, fetches);
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_OVER_GPU_H_
