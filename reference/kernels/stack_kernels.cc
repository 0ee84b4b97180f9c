// The Stack and StackV2 families: last in, first out. A stack is made by one firing of StackV2 and
// lives until the last handle to it goes or the step ends.
//
// Spec: [resource.2]

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"
#include "reference/kernels/text_handle.h"

namespace tagflow::reference {
namespace {

constexpr char kTypeName[] = "tensorflow::Stack";

struct Stack : StepObject {
  DType dtype = DType::kInvalid;
  size_t max_size = std::numeric_limits<size_t>::max();
  std::vector<Tensor> values;
  bool closed = false;

  void End() override {
    closed = true;
    // Moved out first: a value may be the last handle to this stack.
    auto freed = std::exchange(values, {});
  }
  Status Error(const std::string& text) const {
    return InvalidArgument("Stack[" + name + "] " + text);
  }
};

//   max_size: int32 scalar, negative: no limit; attr elem_type: of every element
Result<int64_t> MaxSizeOf(const KernelContext& context) {
  constexpr int64_t kUnlimited = -1;
  if (context.inputs.empty()) return kUnlimited;  // of the older form
  if (context.inputs[0].rank() == 0) return SingleIndex(context.inputs[0], "max_size");
  return InvalidArgument("Stack size must be a scalar, but had shape: " +
                         DimsString(context.inputs[0].dims()));
}

Status Create(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t max_size, MaxSizeOf(context));
  auto stack = std::make_shared<Stack>();
  TAGFLOW_ASSIGN_OR_RETURN(stack->dtype, TypeAttr(context.node, "elem_type"));
  if (max_size >= 0) stack->max_size = static_cast<size_t>(max_size);
  stack->name = context.node.name + (context.tag.empty() ? "" : " at " + context.tag);
  const std::string name = stack->name;
  auto object = context.resources.Adopt(std::move(stack));
  if (context.node.op == "Stack") return GiveNamed(context, "_stacks", std::move(object));
  ResourceHandle handle;
  handle.name = name;
  handle.type_name = kTypeName;
  handle.object = std::move(object);
  context.outputs[0] = Tensor::Scalar(std::move(handle));
  return Status();
}

// The stack that the first input is the handle of. Every use of a stack changes what a later one
// finds, so each is logged as a write.
Result<Stack*> StackOf(KernelContext& context) {
  if (TakesTextHandle(context)) {
    TAGFLOW_ASSIGN_OR_RETURN(const auto object, NamedObject(context));
    auto* const named = dynamic_cast<Stack*>(object.get());
    if (named == nullptr) return InvalidArgument("'" + object->name + "' is not a stack");
    context.accesses.push_back({named, Access::kWhole, true, named->name});
    return named;
  }
  const Tensor& input = context.inputs[0];
  if (input.num_elements() != 1) {
    return InvalidArgument("the handle of a stack must be a scalar, not of shape " +
                           DimsString(input.dims()));
  }
  const ResourceHandle& handle = *input.data<ResourceHandle>();
  auto* stack = dynamic_cast<Stack*>(handle.object.get());
  if (stack == nullptr) {
    return InvalidArgument(
        "Trying to access a handle's resource using the wrong type: resource '" + handle.name +
        "' is a " + (handle.type_name.empty() ? "nothing" : handle.type_name) + ", not a stack");
  }
  context.accesses.push_back({stack, Access::kWhole, true, stack->name});
  return stack;
}

//   handle, elem; output: elem, so that a push can be put into the path of a value
Status Push(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(Stack * stack, StackOf(context));
  const Tensor& value = context.inputs[1];
  if (value.dtype() != stack->dtype) {
    return stack->Error("holds " + DTypeName(stack->dtype) + ": Must have type " +
                        DTypeName(stack->dtype) + " but got " + DTypeName(value.dtype()));
  }
  if (stack->closed) return stack->Error("has already been closed.");
  if (stack->values.size() >= stack->max_size) {
    return stack->Error("overflowed its max_size (" + std::to_string(stack->max_size) + ")");
  }
  stack->values.push_back(value);
  context.outputs[0] = value;
  return Status();
}

//   handle; output: what was pushed last
Status Pop(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(Stack * stack, StackOf(context));
  if (stack->closed) return stack->Error("has already been closed.");
  const DType dtype = context.signature.outputs[0].dtype;
  if (dtype != stack->dtype) {
    // TensorFlow's code for it; it is the graph that is wrong.
    return Internal("Stack[" + stack->name + "] holds " + DTypeName(stack->dtype) +
                    ", but elem_type of the pop is " + DTypeName(dtype));
  }
  if (stack->values.empty()) return stack->Error("is empty when calling Pop().");
  context.outputs[0] = std::move(stack->values.back());
  stack->values.pop_back();
  return Status();
}

Status Close(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(Stack * stack, StackOf(context));
  stack->End();
  return Status();
}

}  // namespace

Status RegisterStackKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StackV2", Create},
                                {"StackPushV2", Push},
                                {"StackPopV2", Pop},
                                {"StackCloseV2", Close},
                                {"Stack", Create},
                                {"StackPush", Push},
                                {"StackPop", Pop},
                                {"StackClose", Close}});
}

}  // namespace tagflow::reference
