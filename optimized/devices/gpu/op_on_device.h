#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_OP_ON_DEVICE_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_OP_ON_DEVICE_H_

// For tests: one op on one device.

#include <set>
#include <string>
#include <vector>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/kernel.h"
#include "optimized/session.h"
#include "transform/placement/kernel_dtype.h"

namespace tagflow::optimized {

// By op and dtype: what RunOpOn has run on a GPU so far.
inline std::set<KernelTarget>& RunOnGpu() {
  static std::set<KernelTarget> targets;
  return targets;
}

// An output of a node of that op on /device:GPU:0 or /device:CPU:0; attrs: "T=float N=2", inputs:
// fed from the host.   Errors: of the session and the step
inline Result<Tensor> RunOpOn(const std::string& device, const std::string& op,
                              const std::string& attrs, const std::vector<Tensor>& inputs,
                              int output = 0) {
  std::string text, names;
  NamedTensors feeds;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = "x" + std::to_string(i);
    text += name + " = Placeholder() dtype=" + DTypeName(inputs[i].dtype()) + "\n";
    names += (i == 0 ? "" : ", ") + name;
    feeds.emplace_back(name, inputs[i]);
  }
  TestGraph graph(text + "out = " + op + "(" + names + ") " + attrs, OpRegistry::Standard());
  Node& node = graph.mutable_graph().mutable_node(graph.id("out"));
  node.device = device;
  if (device == "/device:GPU:0") RunOnGpu().insert({op, "GPU", KernelDType(node)});
  SessionOptions options;
  options.devices = {"/device:CPU:0", "/device:GPU:0"};
  options.device_kinds = {GpuDevices()};
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, Session::Create(graph.Take(), options));
  TAGFLOW_ASSIGN_OR_RETURN(const auto values,
                           session->Run(feeds, {"out:" + std::to_string(output)}, {}, {}));
  return values[0];
}

// The output of a node of that op on the GPU as text, or the name of its error's code.
inline std::string GivenOnGpu(const std::string& op, const std::string& attrs,
                              const std::vector<Tensor>& inputs, int output = 0) {
  const Result<Tensor> value = RunOpOn("/device:GPU:0", op, attrs, inputs, output);
  return value.ok() ? value->DebugString() : std::string(CodeName(value.status().code()));
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_OP_ON_DEVICE_H_
