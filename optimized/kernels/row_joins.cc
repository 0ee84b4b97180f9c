// Tested by conformance/ops/list.ops, conformance/ops/tensor_array.ops.
#include "optimized/kernels/row_joins.h"

#include "optimized/kernels/change.h"
#include "optimized/kernels/families.h"

namespace tagflow::optimized {
namespace {

bool IsOfList(const std::string& op) { return op.starts_with("TensorList"); }

}  // namespace

bool LeaveGaps(DimsView dims, const std::vector<JoinedPiece>& pieces) {
  const Result<int64_t> all = NumElements(dims);
  int64_t gaps = all.ok() ? *all : 0;
  for (const JoinedPiece& piece : pieces) gaps -= piece.value.num_elements();
  return gaps > 0;
}

Status JoinOnHost(KernelContext& context, DType dtype, DimsView dims,
                  const std::vector<JoinedPiece>& pieces) {
  if (LeaveGaps(dims, pieces)) {
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0), Tensor::Allocate(dtype, dims));
  } else {
    TAGFLOW_RETURN_IF_ERROR(context.Allocate(0, dtype, dims).status());
  }
  for (const JoinedPiece& piece : pieces) CopyInto(piece.value, context.output(0), piece.first);
  return Status();
}

std::vector<std::string> RowJoinOps() {
  std::vector<std::string> ops = {"TensorListStack", "TensorListGather", "TensorListConcat",
                                  "TensorListConcatV2", "TensorArrayPack"};
  for (const std::string version : {"", "V2", "V3"}) {
    ops.push_back("TensorArrayGather" + version);
    ops.push_back("TensorArrayConcat" + version);
  }
  return ops;
}

Result<BoundKernel> BindRowJoin(const Binding& binding, JoinPieces join) {
  return IsOfList(binding.node.op) ? BindListJoin(binding, join) : BindArrayJoin(binding, join);
}

Status RegisterRowJoinKernels(KernelRegistry& registry) {
  const Binder bind = [](const Binding& binding) { return BindRowJoin(binding, JoinOnHost); };
  for (const std::string& op : RowJoinOps()) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(op, bind));
  }
  return Status();
}

}  // namespace tagflow::optimized
