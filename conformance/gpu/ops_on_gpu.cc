#include "conformance/gpu/ops_on_gpu.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "graph/test_node.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/session.h"
#include "transform/placement/kernel_dtype.h"

namespace tagflow::conformance {
namespace {

constexpr char kKind[] = "GPU", kGpu[] = "/device:GPU:0", kCpu[] = "/device:CPU:0";

const optimized::KernelRegistry& Kernels() { return *optimized::GpuDevices()->kernels(); }

class Runner : public OpRunner {
 public:
  Result<std::vector<Value>> Run(const std::string& op, std::vector<Value> inputs,
                                 AttrMap attrs) override {
    const Result<Node> node = NodeOf(op, inputs, attrs);
    if (node.ok() && HasKernel(*node)) {
      Result<std::vector<Value>> outputs = RunOnGpu(*node, inputs);
      if (outputs.ok()) return outputs;
      return WithoutNode(outputs.status());
    }
    return host_->Run(op, std::move(inputs), std::move(attrs));
  }
  std::string Text(const Value& value) const override { return host_->Text(value); }
  void SetNode(const std::string& name) override {
    name_ = name;
    host_->SetNode(name);
  }
  void EndStep() override { host_->EndStep(); }

 private:
  // UNIMPLEMENTED for inputs that are no plain tensors.
  Result<Node> NodeOf(const std::string& op, const std::vector<Value>& inputs,
                      const AttrMap& attrs) const {
    std::vector<DType> dtypes;
    for (const Value& input : inputs) dtypes.push_back(input.tensor.dtype());
    if (!std::ranges::all_of(dtypes, IsPlainDType)) return Unimplemented("not plain");
    return TestNode(name_, op, dtypes, attrs);
  }

  // A session says which node it was, which a kernel does not know.
  static Status WithoutNode(const Status& status) {
    return Status(status.code(), status.message());
  }

  // Whether the GPU has one, which takes all of the node's dtypes.
  static bool HasKernel(const Node& node) {
    // What they make ends with a step, and each row of a script is a step of its own here.
    if (node.op == "StackV2" || node.op == "TensorArrayV3") return false;
    const auto* const kernel = Kernels().FindFor({node.op, kKind, KernelDType(node)});
    const Result<Signature> signature = ResolveSignature(node);
    if (kernel == nullptr || !signature.ok()) return false;
    return kernel->bind({node, *signature}).status().code() != Code::kUnimplemented;
  }

  // A node that is alone in its session, but for what it is fed.
  struct Made {
    Node node;
    std::vector<std::string> feeds;
    std::vector<std::string> fetches;
    std::unique_ptr<optimized::Session> session;
  };

  static Result<Made> Make(const Node& node, const std::vector<Value>& inputs) {
    TAGFLOW_ASSIGN_OR_RETURN(const Signature signature, ResolveSignature(node));
    Made made{node, {}, {}, nullptr};
    Graph graph;
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId id, graph.AddNode(node.name, node.op));
    for (const Value& input : inputs) {
      made.feeds.push_back(graph.UniqueName("x"));
      TAGFLOW_ASSIGN_OR_RETURN(const NodeId fed, graph.AddNode(made.feeds.back(), "Placeholder"));
      graph.SetAttr(fed, "dtype", input.tensor.dtype());
      graph.mutable_node(id).inputs.push_back({fed, 0});
    }
    graph.mutable_node(id).attrs = node.attrs;
    graph.mutable_node(id).device = kGpu;
    optimized::SessionOptions options;
    options.devices = {kCpu, kGpu};
    options.device_kinds = {optimized::GpuDevices()};
    TAGFLOW_ASSIGN_OR_RETURN(made.session, optimized::Session::Create(std::move(graph), options));
    for (size_t i = 0; i < signature.outputs.size(); ++i) {
      made.fetches.push_back(node.name + ":" + std::to_string(i));
    }
    return made;
  }

  // Where the same node was before, if it may have left something there.
  Result<std::shared_ptr<const Made>> FindOrMake(const Node& node,
                                                 const std::vector<Value>& inputs) {
    const auto is_same = [&node](const auto& made) {
      return made->node.name == node.name && made->node.op == node.op &&
             made->node.attrs == node.attrs;
    };
    const auto found = std::ranges::find_if(with_state_, is_same);
    if (found != with_state_.end()) return *found;
    TAGFLOW_ASSIGN_OR_RETURN(Made made, Make(node, inputs));
    auto kept = std::make_shared<const Made>(std::move(made));
    if (node.def->is_stateful) with_state_.push_back(kept);
    return kept;
  }

  Result<std::vector<Value>> RunOnGpu(const Node& node, const std::vector<Value>& inputs) {
    TAGFLOW_ASSIGN_OR_RETURN(const auto made, FindOrMake(node, inputs));
    optimized::NamedTensors feeds;
    for (size_t i = 0; i < inputs.size(); ++i) feeds.emplace_back(made->feeds[i], inputs[i].tensor);
    TAGFLOW_ASSIGN_OR_RETURN(const auto fetched,
                             made->session->Run(feeds, made->fetches, {node.name}, {}));
    std::vector<Value> outputs;
    for (const Tensor& output : fetched) outputs.push_back({output, nullptr});
    return outputs;
  }

  std::vector<std::shared_ptr<const Made>> with_state_;
  std::string name_ = "node";
  const std::unique_ptr<OpRunner> host_ = OptimizedOpsShared().make();
};

}  // namespace

OpEngine OpsOnGpu() {
  return {"gpu", false, optimized::KernelRegistry::Standard().Ops(),
          [] { return std::make_unique<Runner>(); }};
}

bool IsOpOfGpu(const std::string& op) {
  return std::ranges::any_of(Kernels().Targets(),
                             [&op](const auto& target) { return target.op == op; });
}

}  // namespace tagflow::conformance
