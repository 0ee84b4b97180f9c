// What reads and writes checkpoints, and names their files.
//
// Tested by conformance/ops/saving.ops.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/saved/bundle_writer.h"
#include "graph/saved/merge_bundles.h"
#include "graph/saved/tensor_bundle.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

bool IsVector(const Tensor& tensor, size_t size) {
  return tensor.rank() == 1 && static_cast<size_t>(tensor.num_elements()) == size;
}

// The first three inputs of SaveV2 and RestoreV2.
struct Names {
  const std::string* prefix;
  const std::string* names;  // of each tensor
  const std::string* slices;
};

Result<Names> NamesOf(const KernelContext& context, size_t count) {
  const Tensor& prefix = context.input(0);
  const Tensor& names = context.input(1);
  const Tensor& slices = context.input(2);
  if (prefix.num_elements() != 1) {
    return InvalidArgument("Input prefix should have a single element, got " +
                           std::to_string(prefix.num_elements()) + " instead.");
  }
  if (!IsVector(names, count) || !IsVector(slices, count)) {
    return InvalidArgument("there must be as many names and slices as tensors: " +
                           std::to_string(count));
  }
  return Names{prefix.data<std::string>(), names.data<std::string>(), slices.data<std::string>()};
}

Status Restore(const std::vector<DType>& dtypes, KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Names given, NamesOf(context, dtypes.size()));
  TAGFLOW_ASSIGN_OR_RETURN(const auto bundle, TensorBundle::Open(*given.prefix));
  for (size_t i = 0; i < dtypes.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, bundle->Read(given.names[i], given.slices[i]));
    if (tensor.dtype() != dtypes[i]) {
      return InvalidArgument("tensor '" + given.names[i] + "' of the checkpoint is " +
                             DTypeName(tensor.dtype()) + ", and is wanted as " +
                             DTypeName(dtypes[i]));
    }
    context.output(static_cast<int>(i)) = std::move(tensor);
  }
  return Status();
}

Result<BoundKernel> BindRestore(const Binding& binding) {
  std::vector<DType> dtypes;
  for (const ArgType& type : binding.signature.outputs) dtypes.push_back(type.dtype);
  return BoundKernel(
      [dtypes = std::move(dtypes)](KernelContext& context) { return Restore(dtypes, context); });
}

Status Save(KernelContext& context) {
  constexpr int kFixed = 3;
  const int count = context.num_inputs() - kFixed;
  TAGFLOW_ASSIGN_OR_RETURN(const Names given, NamesOf(context, static_cast<size_t>(count)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto writer, BundleWriter::Create(*given.prefix));
  for (int i = 0; i < count; ++i) {
    TAGFLOW_RETURN_IF_ERROR(
        writer->Add(given.names[i], context.input(kFixed + i), given.slices[i]));
  }
  return writer->Finish();
}

Result<BoundKernel> BindMerge(const Binding& binding) {
  MergeOptions options;
  TAGFLOW_ASSIGN_OR_RETURN(options.deletes_folders, BoolAttr(binding.node, "delete_old_dirs"));
  TAGFLOW_ASSIGN_OR_RETURN(options.allows_missing, BoolAttr(binding.node, "allow_missing_files"));
  return BoundKernel([options](KernelContext& context) -> Status {
    const Tensor& prefixes = context.input(0);
    const Tensor& destination = context.input(1);
    if (prefixes.rank() != 1) {
      return InvalidArgument("Input checkpoint_prefixes should be an 1-D tensor, got " +
                             DimsString(prefixes.dims()) + " instead.");
    }
    if (destination.rank() > 0) {
      return InvalidArgument("Input destination_prefix should be a scalar tensor, got " +
                             DimsString(destination.dims()) + " instead.");
    }
    const auto from = prefixes.flat<std::string>();
    return MergeBundles(std::vector<std::string>(from.begin(), from.end()),
                        destination.scalar<std::string>(), options);
  });
}

// "-" and at least five digits, the sign among them.
void AppendNumber(std::string& text, int32_t number) {
  constexpr size_t kWidth = 5;
  const std::string digits = std::to_string(number).substr(number < 0 ? 1 : 0);
  const std::string sign = number < 0 ? "-" : "";
  text += "-" + sign;
  text.append(kWidth - std::min(kWidth, sign.size() + digits.size()), '0');
  text += digits;
}

// The name of one of several files, or the pattern of all of them: input by input.
template <bool kOfAll>
Status NameOfFile(KernelContext& context) {
  constexpr const char* kInputs[] = {"basename", kOfAll ? "num_shards" : "shard", "num_shards"};
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (context.input(i).rank() == 0) continue;
    return InvalidArgument(std::string(kInputs[i]) + " must be a scalar, got shape " +
                           DimsString(context.input(i).dims()));
  }
  std::string name = context.input(0).scalar<std::string>();
  if (kOfAll) {
    name += "-" + std::string(5, '?');
  } else {
    AppendNumber(name, context.input(1).scalar<int32_t>());
  }
  name += "-of";
  AppendNumber(name, context.input(context.num_inputs() - 1).scalar<int32_t>());
  context.output(0) = Tensor::Scalar(std::move(name));
  return Status();
}

}  // namespace

Status RegisterSavingKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RestoreV2", BindRestore},
                                {"SaveV2", Bind<Save>},
                                {"MergeV2Checkpoints", BindMerge},
                                {"ShardedFilename", Bind<NameOfFile<false>>},
                                {"ShardedFilespec", Bind<NameOfFile<true>>}});
}

}  // namespace tagflow::optimized
