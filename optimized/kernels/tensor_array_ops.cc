// The TensorArrayV3 family, element by element. Every op takes the array's handle, and a float
// `flow` that carries nothing but the order of the accesses.
// Tested by conformance/ops/tensor_array.ops.

#include <string>
#include <utility>

#include "graph/limits.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/step_objects.h"
#include "optimized/kernels/tensor_array_access.h"

namespace tagflow::optimized {
namespace {

constexpr char kTypeName[] = "tensorflow::TensorArray";

Result<TensorArray::Options> OptionsOf(const Node& node) {
  TensorArray::Options options;
  TAGFLOW_ASSIGN_OR_RETURN(options.dtype, TypeAttr(node, "dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(options.element_shape, ShapeAttr(node, "element_shape"));
  TAGFLOW_ASSIGN_OR_RETURN(options.dynamic_size, BoolAttr(node, "dynamic_size"));
  TAGFLOW_ASSIGN_OR_RETURN(options.clear_after_read, BoolAttr(node, "clear_after_read"));
  TAGFLOW_ASSIGN_OR_RETURN(options.identical_element_shapes,
                           BoolAttr(node, "identical_element_shapes"));
  return options;
}

//   size: int32 scalar >= 0; outputs: handle, flow 0
Result<BoundKernel> BindCreate(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorArray::Options options, OptionsOf(binding.node));
  return BoundKernel([options, name = binding.node.name](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, ScalarInt(context.input(0), "size"));
    if (size < 0) return InvalidArgument("Size should be >= 0.");
    if (size > kMostListElements) {
      return ResourceExhausted("a TensorArray has at most " + std::to_string(kMostListElements) +
                               " elements, not " + std::to_string(size));
    }
    auto array = std::make_shared<TensorArray>(NameAtTag(name, context), options, size);
    context.step().Adopt(array);
    context.output(0) = HandleTo(std::move(array), kTypeName);
    context.output(1).SetScalar(0.0f);
    return Status();
  });
}

//   handle, flow_in, and of WithShape the dimensions to put before each element's
Result<BoundKernel> BindGradient(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string source, StringAttr(binding.node, "source"));
  return BoundKernel([source](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
    Dims prepend;
    if (context.num_inputs() > 2) {
      TAGFLOW_ASSIGN_OR_RETURN(prepend, IndexVector(context.input(2)));
      TAGFLOW_RETURN_IF_ERROR(NumElements(prepend).status());
    }
    TAGFLOW_ASSIGN_OR_RETURN(auto gradient, array->Gradient(source, prepend, context.step()));
    context.output(0) = HandleTo(std::move(gradient), kTypeName);
    context.output(1).SetScalar(0.0f);
    return Status();
  });
}

//   handle, index, value, flow_in
Result<BoundKernel> BindWrite(const Binding&) {
  return BoundKernel([](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t index, ScalarInt(context.input(1), "index"));
    TAGFLOW_RETURN_IF_ERROR(array->Write(index, context.Take(2)));
    context.output(0) = context.Take(3);
    return Status();
  });
}

//   handle, index, flow_in
Result<BoundKernel> BindRead(const Binding& binding) {
  return BoundKernel([wanted = binding.output_dtype(0)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t index, ScalarInt(context.input(1), "index"));
    TAGFLOW_RETURN_IF_ERROR(CheckRequested(*array, wanted));
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0), array->Read(index));
    return Status();
  });
}

Result<BoundKernel> BindSize(const Binding&) {
  return BoundKernel([](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, array->Size());
    context.output(0).SetScalar(static_cast<int32_t>(size));
    return Status();
  });
}

Result<BoundKernel> BindClose(const Binding&) {
  return BoundKernel([](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
    array->End();
    return Status();
  });
}

}  // namespace

Status RegisterTensorArrayKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"TensorArrayV3", BindCreate},
                                {"TensorArrayGradV3", BindGradient},
                                {"TensorArrayGradWithShape", BindGradient},
                                {"TensorArrayWriteV3", BindWrite},
                                {"TensorArrayReadV3", BindRead},
                                {"TensorArraySizeV3", BindSize},
                                {"TensorArrayCloseV3", BindClose}});
}

}  // namespace tagflow::optimized
