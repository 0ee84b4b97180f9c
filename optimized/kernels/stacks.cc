// The Stack and StackV2 families: last in, first out.
//
// Spec: [resource.2]

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/text_handle.h"

namespace tagflow::optimized {
namespace {

constexpr char kTypeName[] = "tensorflow::Stack";

class Stack final : public StepObject {
 public:
  Stack(std::string name, DType dtype, size_t max_size)
      : StepObject(std::move(name)), dtype_(dtype), max_size_(max_size) {}

  // Errors: INVALID_ARGUMENT: full, closed, a value of another dtype
  Status Push(const Tensor& value) {
    if (value.dtype() != dtype_) {
      return Error("holds " + DTypeName(dtype_) + ": Must have type " + DTypeName(dtype_) +
                   " but got " + DTypeName(value.dtype()));
    }
    std::lock_guard lock(mutex_);
    if (closed_) return Closed();
    if (values_.size() >= max_size_) {
      return Error("overflowed its max_size (" + std::to_string(max_size_) + ")");
    }
    values_.push_back(value);
    return Status();
  }

  // Errors: INVALID_ARGUMENT: empty, closed; INTERNAL, as TensorFlow has it: another dtype
  Result<Tensor> Pop(DType wanted) {
    std::lock_guard lock(mutex_);
    if (closed_) return Closed();
    if (wanted != dtype_) {
      return Internal("Stack[" + name() + "] holds " + DTypeName(dtype_) +
                      ", but elem_type of the pop is " + DTypeName(wanted));
    }
    if (values_.empty()) return Error("is empty when calling Pop().");
    Tensor value = std::move(values_.back());
    values_.pop_back();
    return value;
  }

  void End() override {
    std::vector<Tensor> freed;  // without the lock: a value may be a handle to this stack
    std::lock_guard lock(mutex_);
    closed_ = true;
    freed.swap(values_);
  }

 private:
  Status Error(const std::string& text) const {
    return InvalidArgument("Stack[" + name() + "] " + text);
  }
  Status Closed() const { return Error("has already been closed."); }

  const DType dtype_;
  const size_t max_size_;
  std::mutex mutex_;
  std::vector<Tensor> values_;  // guarded by mutex_
  bool closed_ = false;         // guarded by mutex_
};

Result<Stack*> StackOf(const KernelContext& context) { return ObjectOf<Stack>(context, "a stack"); }

//   max_size: int32 scalar, negative: no limit; attr elem_type: of every element
Result<BoundKernel> BindCreate(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(binding.node, "elem_type"));
  return BoundKernel([dtype, form = HandleForm(binding)](KernelContext& context) -> Status {
    int64_t max_size = -1;  // of the older form, which takes none
    if (context.num_inputs() > 0) {
      TAGFLOW_ASSIGN_OR_RETURN(max_size, ScalarInt(context.input(0), "max_size"));
    }
    const size_t limit =
        max_size < 0 ? std::numeric_limits<size_t>::max() : static_cast<size_t>(max_size);
    auto stack = std::make_shared<Stack>(NameAtTag(form.node, context), dtype, limit);
    context.step().Adopt(stack);
    return GiveHandle(context, form, std::move(stack), kTypeName, "_stacks");
  });
}

//   handle, elem; output: elem, so that a push can be put into the path of a value
Result<BoundKernel> BindPush(const Binding&) {
  return BoundKernel([](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(Stack * stack, StackOf(context));
    TAGFLOW_RETURN_IF_ERROR(stack->Push(context.input(1)));
    context.output(0) = context.Take(1);
    return Status();
  });
}

//   handle; output: what was pushed last
Result<BoundKernel> BindPop(const Binding& binding) {
  return BoundKernel([wanted = binding.output_dtype(0)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(Stack * stack, StackOf(context));
    TAGFLOW_ASSIGN_OR_RETURN(context.output(0), stack->Pop(wanted));
    return Status();
  });
}

Result<BoundKernel> BindClose(const Binding&) {
  return BoundKernel([](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(Stack * stack, StackOf(context));
    stack->End();
    return Status();
  });
}

}  // namespace

Status RegisterStackKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StackV2", BindCreate},
                                {"StackPushV2", BindPush},
                                {"StackPopV2", BindPop},
                                {"StackCloseV2", BindClose},
                                {"Stack", BindCreate},
                                {"StackPush", BindPush},
                                {"StackPop", BindPop},
                                {"StackClose", BindClose}});
}

}  // namespace tagflow::optimized
