// Optionals: OptionalFromValue, OptionalNone, OptionalHasValue, OptionalGetValue.

#include <utility>

#include "graph/optional.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

//   components: one or more, of any dtypes
Status FromValue(KernelContext& context) {
  context.outputs[0] = OptionalTensors::Wrap(std::move(context.inputs));
  return Status();
}

Status None(KernelContext& context) {
  context.outputs[0] = OptionalTensors::WrapNothing();
  return Status();
}

Result<const OptionalTensors*> OptionalInput(const KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const OptionalTensors* optional = input.rank() == 0 ? OptionalTensors::In(input) : nullptr;
  if (optional != nullptr) return optional;
  return InvalidArgument("the input must be a scalar that holds an optional, but it is " +
                         input.DebugString());
}

Status HasValue(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const OptionalTensors* optional, OptionalInput(context));
  context.outputs[0] = Tensor::Scalar(optional->has_value());
  return Status();
}

//   Errors: INVALID_ARGUMENT when there is no value, or one of other dtypes or shapes than the
//   attrs output_types and output_shapes say
Status GetValue(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const OptionalTensors* optional, OptionalInput(context));
  if (!optional->has_value()) return InvalidArgument("the optional has no value");
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList shapes, ListAttr(context.node, "output_shapes"));
  const std::vector<Tensor>& components = optional->components();
  const size_t count = context.outputs.size();
  if (components.size() != count || shapes.shapes.size() != count) {
    return InvalidArgument("the optional has " + std::to_string(components.size()) +
                           " components; the op has " + std::to_string(count) + " outputs and " +
                           std::to_string(shapes.shapes.size()) + " output_shapes");
  }
  for (size_t i = 0; i < count; ++i) {
    const DType dtype = context.signature.outputs[i].dtype;
    if (components[i].dtype() == dtype && shapes.shapes[i].Accepts(components[i].dims())) continue;
    return InvalidArgument("component " + std::to_string(i) + " is " +
                           DTypeName(components[i].dtype()) + DimsString(components[i].dims()) +
                           ", but the op is for " + DTypeName(dtype) + " of shape " +
                           shapes.shapes[i].ToString());
  }
  context.outputs = components;
  return Status();
}

}  // namespace

Status RegisterOptionalKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"OptionalFromValue", FromValue},
                                {"OptionalNone", None},
                                {"OptionalHasValue", HasValue},
                                {"OptionalGetValue", GetValue}});
}

}  // namespace tagflow::reference
