// Tested by conformance/ops/stack.ops, tensor_array.ops and table.ops.

#include "reference/kernels/text_handle.h"

#include <utility>
#include <vector>

namespace tagflow::reference {
namespace {

// Under which the step knows it: no container has a blank.
std::string StepName(const TextHandle& handle) { return handle.container + " " + handle.name; }

}  // namespace

bool TakesTextHandle(const KernelContext& context) {
  return context.signature.inputs[0].dtype == DType::kString;
}

Result<TextHandle> TextHandleOf(const KernelContext& context) {
  const bool is_ref = context.signature.inputs[0].is_ref;
  if (is_ref) {
    const Variable& variable = *context.variables[0];
    context.accesses.push_back({&variable, Access::kWhole, false, variable.name});
  }
  const Tensor texts = is_ref ? context.variables[0]->value : context.inputs[0];
  if (texts.dtype() == DType::kString && texts.num_elements() == 2) {
    return TextHandle{texts.data<std::string>()[0], texts.data<std::string>()[1]};
  }
  return InvalidArgument("a handle must be two texts, but is " +
                         (texts.has_value() ? DTypeName(texts.dtype()) + DimsString(texts.dims())
                                            : "a variable without a value"));
}

Result<std::shared_ptr<StepObject>> NamedObject(const KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TextHandle handle, TextHandleOf(context));
  auto object = context.resources.FindNamed(StepName(handle));
  if (object != nullptr) return object;
  return NotFound("there is no '" + handle.name + "' in container '" + handle.container +
                  "': no node has made it in this step");
}

Status GiveTextHandle(KernelContext& context, const TextHandle& handle) {
  const Tensor texts = Tensor::Vector(std::vector<std::string>{handle.container, handle.name});
  if (!context.signature.outputs[0].is_ref) {
    context.outputs[0] = texts;
    return Status();
  }
  const std::string tag = context.tag.empty() ? "" : " at " + context.tag;
  TAGFLOW_ASSIGN_OR_RETURN(
      auto variable, context.resources.CreateStepVariable("handle of " + context.node.name + tag));
  variable->dtype = DType::kString;
  variable->shape = PartialShape(Dims{2});
  variable->value = texts;
  context.output_variables[0] = std::move(variable);
  return Status();
}

Status GiveNamed(KernelContext& context, const std::string& container,
                 std::shared_ptr<StepObject> object) {
  const TextHandle handle = {container, object->name};
  context.resources.Name(StepName(handle), std::move(object));
  return GiveTextHandle(context, handle);
}

}  // namespace tagflow::reference
