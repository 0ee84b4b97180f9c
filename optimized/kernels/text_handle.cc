// Tested by conformance/ops/stack.ops, tensor_array.ops and table.ops.

#include "optimized/kernels/text_handle.h"

#include <vector>

namespace tagflow::optimized {
namespace {

// The variable that a token refers to; null where it is none.
Variable* Referenced(const Tensor& input) {
  if (input.dtype() != DType::kResource || input.num_elements() != 1) return nullptr;
  const ResourceHandle& handle = *input.data<ResourceHandle>();
  Resource* const object = handle.object.get();
  // Handles of variables, which are no references, have a type.
  const bool is_variable = object != nullptr && typeid(*object) == typeid(Variable);
  return is_variable && handle.type_name.empty() ? static_cast<Variable*>(object) : nullptr;
}

}  // namespace

bool IsTextHandle(const Tensor& input) {
  return input.dtype() == DType::kString || Referenced(input) != nullptr;
}

Result<TextHandle> TextHandleOf(const KernelContext& context) {
  const Variable* const variable = Referenced(context.input(0));
  const Tensor texts = variable == nullptr ? context.input(0) : variable->value();
  if (!texts.has_value()) {
    return InvalidArgument("a handle must be two texts, but is a variable without a value");
  }
  if (texts.dtype() != DType::kString || texts.num_elements() != 2) {
    return InvalidArgument("a handle must be two texts, but is " + DTypeName(texts.dtype()) +
                           DimsString(texts.dims()));
  }
  const auto both = texts.flat<std::string>();
  return TextHandle(both[0], both[1]);
}

Result<StepObject*> NamedObject(const KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const TextHandle handle, TextHandleOf(context));
  StepObject* const object = context.services().step->FindNamed(handle);
  if (object != nullptr) return object;
  return NotFound("there is no '" + handle.second + "' in container '" + handle.first +
                  "': no node has made it in this step");
}

Status GiveTextHandle(KernelContext& context, const HandleForm& form, const TextHandle& handle) {
  Tensor texts = Tensor::Vector(std::vector<std::string>{handle.first, handle.second});
  if (!form.is_reference) {
    context.output(0) = std::move(texts);
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(
      auto variable, context.step().CreateVariable(NameAtTag("handle of " + form.node, context)));
  variable->WithAnywhere([&](Variable::Contents& contents) {
    contents = {DType::kString, PartialShape(Dims{2}), std::move(texts)};
  });
  context.set_output_variable(0, std::move(variable));
  return Status();
}

Status GiveHandle(KernelContext& context, const HandleForm& form,
                  std::shared_ptr<StepObject> object, const char* type_name,
                  const char* container) {
  if (!form.is_text) {
    context.output(0) = HandleTo(std::move(object), type_name);
    return Status();
  }
  const TextHandle handle(container, object->name());
  context.step().Name(handle, std::move(object));
  return GiveTextHandle(context, form, handle);
}

}  // namespace tagflow::optimized
