// Summaries: empty ones, and writers that write nothing.                            Spec: [op.3]
//
// Tested by conformance/ops/summary.ops.

#include <string>
#include <utility>

#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

Status EmptySummary(KernelContext& context) {
  context.outputs[0] = Tensor::Scalar(std::string());
  return Status();
}

//   output: a handle
Status Writer(KernelContext& context) {
  ResourceHandle handle;
  TAGFLOW_ASSIGN_OR_RETURN(handle.container, StringAttr(context.node, "container"));
  TAGFLOW_ASSIGN_OR_RETURN(handle.name, StringAttr(context.node, "shared_name"));
  if (handle.container.empty()) handle.container = "localhost";
  if (handle.name.empty()) handle.name = context.node.name;
  handle.type_name = "tensorflow::SummaryWriterInterface";
  context.outputs[0] = Tensor::Scalar(std::move(handle));
  return Status();
}

Status Nothing(KernelContext&) { return Status(); }

}  // namespace

Status RegisterSummaryKernels(KernelRegistry& registry) {
  for (const char* op :
       {"ScalarSummary", "HistogramSummary", "MergeSummary", "TensorSummary", "TensorSummaryV2"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, EmptySummary));
  }
  for (const char* op : {"CreateSummaryFileWriter", "FlushSummaryWriter", "CloseSummaryWriter",
                         "WriteSummary", "WriteScalarSummary", "WriteHistogramSummary",
                         "WriteGraphSummary", "WriteRawProtoSummary", "ImportEvent"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, Nothing));
  }
  return registry.Register("SummaryWriter", Writer);
}

}  // namespace tagflow::reference
