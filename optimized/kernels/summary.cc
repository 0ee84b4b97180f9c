// What would tell people how a training goes gives empty summaries, and writes nothing.
//                                                                                   Spec: [op.3]
// Tested by conformance/ops/summary.ops.

#include <string>
#include <utility>

#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

Status Summarize(KernelContext& context) {
  context.output(0) = Tensor::Scalar(std::string());
  return Status();
}

Status DoNothing(KernelContext&) { return Status(); }

Result<BoundKernel> BindWriter(const Binding& binding) {
  ResourceHandle handle;
  handle.type_name = "tensorflow::SummaryWriterInterface";
  TAGFLOW_ASSIGN_OR_RETURN(handle.name, StringAttr(binding.node, "shared_name"));
  TAGFLOW_ASSIGN_OR_RETURN(handle.container, StringAttr(binding.node, "container"));
  if (handle.name.empty()) handle.name = binding.node.name;
  if (handle.container.empty()) handle.container = "localhost";
  return BoundKernel([value = Tensor::Scalar(std::move(handle))](KernelContext& context) {
    context.output(0) = value;
    return Status();
  });
}

}  // namespace

Status RegisterSummaryKernels(KernelRegistry& registry) {
  for (const char* op :
       {"ScalarSummary", "HistogramSummary", "MergeSummary", "TensorSummary", "TensorSummaryV2"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, Bind<Summarize>));
  }
  for (const char* op : {"CreateSummaryFileWriter", "FlushSummaryWriter", "CloseSummaryWriter",
                         "WriteSummary", "WriteScalarSummary", "WriteHistogramSummary",
                         "WriteGraphSummary", "WriteRawProtoSummary", "ImportEvent"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, Bind<DoNothing>));
  }
  return registry.Register("SummaryWriter", BindWriter);
}

}  // namespace tagflow::optimized
