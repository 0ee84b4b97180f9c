// Mutants of what ops compute, and of what they refuse.

#include "fuzz/mutants/sections.h"

namespace tagflow::fuzz {
namespace {

using reference::Kernel;
using reference::KernelContext;

// The elements in the order they came in, under the shape they should have.
Status TransposeOfNothing(const Kernel& standard, KernelContext& context) {
  const Tensor input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(standard(context));
  context.outputs[0] = input.Reshaped(context.outputs[0].dims());
  return Status();
}

// A reduction without the dimensions of size 1 that it is asked to keep.
Status DimensionsLost(const Kernel& standard, KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(standard(context));
  TAGFLOW_ASSIGN_OR_RETURN(const bool keeps, BoolAttr(context.node, "keep_dims"));
  if (!keeps) return Status();
  Dims dims;
  for (const int64_t dim : context.outputs[0].dims()) {
    if (dim != 1) dims.push_back(dim);
  }
  context.outputs[0] = context.outputs[0].Reshaped(dims);
  return Status();
}

// The input as it is, where no reshape is possible.
Status ReshapeOrNot(const Kernel& standard, KernelContext& context) {
  const Tensor input = context.inputs[0];
  if (!standard(context).ok()) context.outputs[0] = input;
  return Status();
}

Status CodeLost(const Kernel& standard, KernelContext& context) {
  const Status status = standard(context);
  return status.ok() ? status : Internal(status.message());
}

// The variable takes the value that does not fit, and then the op fails.
Status WrittenAndRefused(const Kernel& standard, KernelContext& context) {
  const std::shared_ptr<reference::Variable> variable = context.variables[0];
  const Tensor value = context.inputs[1];
  const Status status = standard(context);
  if (!status.ok() && variable != nullptr) variable->value = value;
  return status;
}

}  // namespace

void AddOpMutants(std::vector<Mutant>& mutants) {
  Add(mutants, "op.1", "a-transpose-moves-nothing", "Transpose changes the shape alone")
      .kernels.emplace_back("Transpose", TransposeOfNothing);
  Mutant& kept = Add(mutants, "op.1", "dimensions-are-never-kept", "reductions ignore keep_dims");
  for (const char* op : {"Sum", "Mean", "Max", "Min", "Prod"})
    kept.kernels.emplace_back(op, DimensionsLost);
  Add(mutants, "op.2", "any-size-can-be-reshaped", "Reshape gives its input where nothing fits")
      .kernels.emplace_back("Reshape", ReshapeOrNot);
  Mutant& codes = Add(mutants, "op.2", "codes-are-lost", "what an op refuses is INTERNAL");
  for (const char* op : {"GatherV2", "ConcatV2", "Fill", "Tile", "Slice"})
    codes.kernels.emplace_back(op, CodeLost);
  Mutant& written = Add(mutants, "op.2", "written-before-refused",
                        "a reference variable keeps what AssignAdd refused");
  for (const char* op : {"AssignAdd", "AssignSub"})
    written.kernels.emplace_back(op, WrittenAndRefused);
}

}  // namespace tagflow::fuzz
