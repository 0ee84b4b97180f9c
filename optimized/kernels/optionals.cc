// Optionals: OptionalFromValue, OptionalNone, OptionalHasValue, OptionalGetValue.
// Tested by conformance/ops/optional.ops.

#include <string>
#include <utility>
#include <vector>

#include "graph/optional.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

//   components: one or more, of any dtypes
Result<BoundKernel> BindFromValue(const Binding&) {
  return BoundKernel([](KernelContext& context) {
    std::vector<Tensor> components;
    for (int i = 0; i < context.num_inputs(); ++i) components.push_back(context.Take(i));
    context.output(0) = OptionalTensors::Wrap(std::move(components));
    return Status();
  });
}

Result<BoundKernel> BindNone(const Binding&) {
  return BoundKernel([nothing = OptionalTensors::WrapNothing()](KernelContext& context) {
    context.output(0) = nothing;
    return Status();
  });
}

Result<const OptionalTensors*> OptionalInput(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const OptionalTensors* optional = input.rank() == 0 ? OptionalTensors::In(input) : nullptr;
  if (optional != nullptr) return optional;
  return InvalidArgument("the input must be a scalar that holds an optional, but it is " +
                         input.DebugString());
}

Result<BoundKernel> BindHasValue(const Binding&) {
  return BoundKernel([](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const OptionalTensors* optional, OptionalInput(context));
    context.output(0).SetScalar(optional->has_value());
    return Status();
  });
}

// INVALID_ARGUMENT unless components are of these dtypes and shapes.
Status CheckComponents(const std::vector<Tensor>& components, const std::vector<ArgType>& types,
                       const std::vector<PartialShape>& shapes) {
  const size_t count = types.size();
  if (components.size() != count || shapes.size() != count) {
    return InvalidArgument("the optional has " + std::to_string(components.size()) +
                           " components; the op has " + std::to_string(count) + " outputs and " +
                           std::to_string(shapes.size()) + " output_shapes");
  }
  for (size_t i = 0; i < count; ++i) {
    const Tensor& component = components[i];
    if (component.dtype() == types[i].dtype && shapes[i].Accepts(component.dims())) continue;
    return InvalidArgument("component " + std::to_string(i) + " is " +
                           DTypeName(component.dtype()) + DimsString(component.dims()) +
                           ", but the op is for " + DTypeName(types[i].dtype) + " of shape " +
                           shapes[i].ToString());
  }
  return Status();
}

//   Errors: INVALID_ARGUMENT when there is no value, or one of other dtypes or shapes than the
//   attrs output_types and output_shapes say
Result<BoundKernel> BindGetValue(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(binding.node, "output_shapes"));
  return BoundKernel(
      [shapes = list.shapes, types = binding.signature.outputs](KernelContext& context) -> Status {
        TAGFLOW_ASSIGN_OR_RETURN(const OptionalTensors* optional, OptionalInput(context));
        if (!optional->has_value()) return InvalidArgument("the optional has no value");
        const std::vector<Tensor>& components = optional->components();
        TAGFLOW_RETURN_IF_ERROR(CheckComponents(components, types, shapes));
        for (size_t i = 0; i < components.size(); ++i) {
          context.output(static_cast<int>(i)) = components[i];
        }
        return Status();
      });
}

}  // namespace

Status RegisterOptionalKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"OptionalFromValue", BindFromValue},
                                {"OptionalNone", BindNone},
                                {"OptionalHasValue", BindHasValue},
                                {"OptionalGetValue", BindGetValue}});
}

}  // namespace tagflow::optimized
