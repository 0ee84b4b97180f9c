// Checkpoints: RestoreV2, SaveV2, MergeV2Checkpoints, and the names of their files.
//
// Tested by conformance/ops/saving.ops.

#include <cstdio>
#include <string>
#include <vector>

#include "graph/saved/bundle_writer.h"
#include "graph/saved/merge_bundles.h"
#include "graph/saved/tensor_bundle.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// Inputs 0, 1 and 2: prefix, one text; tensor_names and shape_and_slices, [count].
Status CheckNames(const KernelContext& context, size_t count) {
  const Tensor &prefix = context.inputs[0], &names = context.inputs[1];
  const Tensor& slices = context.inputs[2];
  if (prefix.num_elements() != 1) {
    return InvalidArgument("Input prefix should have a single element, got " +
                           std::to_string(prefix.num_elements()) + " instead.");
  }
  for (const Tensor* texts : {&names, &slices}) {
    if (texts->rank() == 1 && static_cast<size_t>(texts->num_elements()) == count) continue;
    return InvalidArgument("there must be as many names and slices as tensors: " +
                           std::to_string(count));
  }
  return Status();
}

//   tensors: n; a slice that is "" is all of a tensor
Status RestoreV2(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckNames(context, context.outputs.size()));
  TAGFLOW_ASSIGN_OR_RETURN(const auto bundle,
                           TensorBundle::Open(*context.inputs[0].data<std::string>()));
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    const std::string& name = context.inputs[1].data<std::string>()[i];
    const std::string& slice = context.inputs[2].data<std::string>()[i];
    TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, bundle->Read(name, slice));
    const DType wanted = context.signature.outputs[i].dtype;
    if (tensor.dtype() != wanted) {
      return InvalidArgument("tensor '" + name + "' of the checkpoint is " +
                             DTypeName(tensor.dtype()) + ", and is wanted as " + DTypeName(wanted));
    }
    context.outputs[i] = std::move(tensor);
  }
  return Status();
}

//   tensors: n, from input 3; with a slice one is a piece of a larger tensor
Status SaveV2(KernelContext& context) {
  constexpr size_t kFirst = 3;
  const size_t count = context.inputs.size() - kFirst;
  TAGFLOW_RETURN_IF_ERROR(CheckNames(context, count));
  TAGFLOW_ASSIGN_OR_RETURN(const auto writer,
                           BundleWriter::Create(*context.inputs[0].data<std::string>()));
  for (size_t i = 0; i < count; ++i) {
    const std::string& name = context.inputs[1].data<std::string>()[i];
    const std::string& slice = context.inputs[2].data<std::string>()[i];
    TAGFLOW_RETURN_IF_ERROR(writer->Add(name, context.inputs[kFirst + i], slice));
  }
  return writer->Finish();
}

//   checkpoint_prefixes: [n]; destination_prefix: scalar
Status Merge(KernelContext& context) {
  const Tensor &prefixes = context.inputs[0], &destination = context.inputs[1];
  if (prefixes.rank() != 1) {
    return InvalidArgument("Input checkpoint_prefixes should be an 1-D tensor, got " +
                           DimsString(prefixes.dims()) + " instead.");
  }
  if (destination.rank() != 0) {
    return InvalidArgument("Input destination_prefix should be a scalar tensor, got " +
                           DimsString(destination.dims()) + " instead.");
  }
  MergeOptions options;
  TAGFLOW_ASSIGN_OR_RETURN(options.deletes_folders, BoolAttr(context.node, "delete_old_dirs"));
  TAGFLOW_ASSIGN_OR_RETURN(options.allows_missing, BoolAttr(context.node, "allow_missing_files"));
  const auto texts = prefixes.flat<std::string>();
  return MergeBundles({texts.begin(), texts.end()}, *destination.data<std::string>(), options);
}

Status CheckScalars(const KernelContext& context, const std::vector<const char*>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    const Tensor& input = context.inputs[i];
    if (input.rank() == 0) continue;
    return InvalidArgument(std::string(names[i]) + " must be a scalar, got shape " +
                           DimsString(input.dims()));
  }
  return Status();
}

// At least five digits, as printf has them: "-0003".
std::string FiveDigits(int32_t number) {
  char text[16];
  std::snprintf(text, sizeof(text), "%05d", number);
  return text;
}

//   basename, shard, num_shards: scalars; output: "basename-00003-of-00012"
Status ShardedFilename(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckScalars(context, {"basename", "shard", "num_shards"}));
  context.outputs[0] = Tensor::Scalar(*context.inputs[0].data<std::string>() + "-" +
                                      FiveDigits(*context.inputs[1].data<int32_t>()) + "-of-" +
                                      FiveDigits(*context.inputs[2].data<int32_t>()));
  return Status();
}

//   basename, num_shards: scalars; output: "basename", five question marks, "00012"
Status ShardedFilespec(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckScalars(context, {"basename", "num_shards"}));
  context.outputs[0] =
      Tensor::Scalar(*context.inputs[0].data<std::string>() + "-" + std::string(5, '?') + "-of-" +
                     FiveDigits(*context.inputs[1].data<int32_t>()));
  return Status();
}

}  // namespace

Status RegisterSavingKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RestoreV2", RestoreV2},
                                {"SaveV2", SaveV2},
                                {"MergeV2Checkpoints", Merge},
                                {"ShardedFilename", ShardedFilename},
                                {"ShardedFilespec", ShardedFilespec}});
}

}  // namespace tagflow::reference
