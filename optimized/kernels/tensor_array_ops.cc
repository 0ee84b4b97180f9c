// The families of TensorArrays, element by element. Every op takes the array's handle, and a float
// `flow` that carries nothing but the order of the accesses.
// Tested by conformance/ops/tensor_array.ops.

#include <string>
#include <utility>

#include "graph/limits.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/registration.h"
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
  if (node.op == "TensorArrayV3") {
    TAGFLOW_ASSIGN_OR_RETURN(options.identical_element_shapes,
                             BoolAttr(node, "identical_element_shapes"));
  }
  return options;
}

// The handle, and where there is an output 1 the flow, 0.
Status GiveArray(KernelContext& context, const HandleForm& form, bool has_flow,
                 std::shared_ptr<StepObject> array, const char* container) {
  if (has_flow) context.output(1).SetScalar(0.0f);
  return GiveHandle(context, form, std::move(array), kTypeName, container);
}

//   size: int32 scalar >= 0; outputs: handle, flow 0
Result<BoundKernel> BindCreate(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorArray::Options options, OptionsOf(binding.node));
  const bool has_flow = binding.signature.outputs.size() > 1;
  return BoundKernel([options, has_flow,
                      form = HandleForm(binding)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, ScalarInt(context.input(0), "size"));
    if (size < 0) return InvalidArgument("Size should be >= 0.");
    if (size > kMostListElements) {
      return ResourceExhausted("a TensorArray has at most " + std::to_string(kMostListElements) +
                               " elements, not " + std::to_string(size));
    }
    auto array = std::make_shared<TensorArray>(NameAtTag(form.node, context), options, size);
    context.step().Adopt(array);
    return GiveArray(context, form, has_flow, std::move(array), "_tensor_arrays");
  });
}

//   handle, flow_in, and of WithShape the dimensions to put before each element's
Result<BoundKernel> BindGradient(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string source, StringAttr(binding.node, "source"));
  const bool has_flow = binding.signature.outputs.size() > 1;
  return BoundKernel(
      [source, has_flow, form = HandleForm(binding)](KernelContext& context) -> Status {
        TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
        Dims prepend;
        if (context.num_inputs() > 2) {
          TAGFLOW_ASSIGN_OR_RETURN(prepend, IndexVector(context.input(2)));
          TAGFLOW_RETURN_IF_ERROR(NumElements(prepend).status());
        }
        TAGFLOW_ASSIGN_OR_RETURN(auto gradient, array->Gradient(source, prepend, context.step()));
        return GiveArray(context, form, has_flow, std::move(gradient), "_tensor_grads");
      });
}

//   handle, index, value, flow_in
Result<BoundKernel> BindWrite(const Binding&) {
  const ElementPart part = {
      .kind = CellsKind::kArray, .access = "ArrayWrite", .index = 1, .value = 2, .handed_on = 3};
  return BindPart(part, [](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t index, ScalarInt(context.input(1), "index"));
    TAGFLOW_RETURN_IF_ERROR(array->Write(index, context.Take(2)));
    context.output(0) = context.Take(3);
    return Status();
  });
}

//   handle, index, flow_in
Result<BoundKernel> BindRead(const Binding& binding) {
  const DType wanted = binding.output_dtype(0);
  const ElementPart part = {
      .kind = CellsKind::kArray, .access = "ArrayRead", .index = 1, .element = 0, .dtype = wanted};
  return BindPart(part, [wanted](KernelContext& context) -> Status {
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
  for (const std::string version : {"", "V2", "V3"}) {
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, {{"TensorArray" + version, BindCreate},
                                                   {"TensorArrayGrad" + version, BindGradient},
                                                   {"TensorArrayWrite" + version, BindWrite},
                                                   {"TensorArrayRead" + version, BindRead},
                                                   {"TensorArraySize" + version, BindSize},
                                                   {"TensorArrayClose" + version, BindClose}}));
  }
  return registry.Register("TensorArrayGradWithShape", BindGradient);
}

}  // namespace tagflow::optimized
