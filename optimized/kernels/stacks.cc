// The Stack and StackV2 families: last in, first out.
//
// Spec: [resource.2]

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/text_handle.h"
#include "optimized/native/tensor_type.h"

namespace tagflow::optimized {
namespace {

constexpr char kTypeName[] = "tensorflow::Stack";

class Stack final : public StepObject {
 public:
  Stack(std::string name, DType dtype, int64_t max_size)
      : StepObject(std::move(name)), dtype_(dtype), max_size_(max_size) {
    cells_.kind = CellsKind::kStack;
    cells_.stack = this;
    cells_.turn_up = [](StackCells* cells) {
      try {
        return static_cast<OwnCells*>(cells)->stack->TurnUp();
      } catch (const std::bad_alloc&) {
        return false;
      }
    };
    cells_.turn_down = [](StackCells* cells) {
      return static_cast<OwnCells*>(cells)->stack->TurnDown();
    };
  }

  // Errors: INVALID_ARGUMENT: full, closed, a value of another dtype
  Status Push(const Tensor& value) {
    if (value.dtype() != dtype_) {
      return Error("holds " + DTypeName(dtype_) + ": Must have type " + DTypeName(dtype_) +
                   " but got " + DTypeName(value.dtype()));
    }
    std::lock_guard lock(mutex_);
    if (closed_) return Closed();
    if (cells_.size == cells_.capacity && !TurnUp()) {
      return Error("overflowed its max_size (" + std::to_string(max_size_) + ")");
    }
    part()[cells_.size] = value;
    ++cells_.size;
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
    if (cells_.size == 0 && !TurnDown()) return Error("is empty when calling Pop().");
    --cells_.size;
    return std::move(part()[cells_.size]);
  }

  void End() override {
    std::vector<std::unique_ptr<Tensor[]>>
        freed;  // without the lock: a value may be a handle to it
    std::lock_guard lock(mutex_);
    closed_ = true;
    freed.swap(parts_);
    cells_.size = cells_.capacity = 0;
    part_ = -1;
  }

  Cells* TryOpen(const TensorType* type) override {
    if (type != nullptr && type->dtype != dtype_) return nullptr;
    if (!mutex_.try_lock()) return nullptr;
    cells_.header = HeaderOf(dtype_, type);
    if (!closed_) return &cells_;
    mutex_.unlock();
    return nullptr;
  }
  void Shut() override { mutex_.unlock(); }

 private:
  struct OwnCells : StackCells {
    Stack* stack = nullptr;
  };
  static constexpr int64_t kFirstPart = 16, kMostInPart = 256;

  Status Error(const std::string& text) const {
    return InvalidArgument("Stack[" + name() + "] " + text);
  }
  Status Closed() const { return Error("has already been closed."); }

  // Later parts are larger, and what is in one stays where it is.
  static int64_t SizeOfPart(int64_t number) {
    return number > 3 ? kMostInPart : std::min(kMostInPart, kFirstPart << (2 * number));
  }
  Tensor* part() { return parts_[static_cast<size_t>(part_)].get(); }
  // On to the next part, or back to the one before; whether there is one.
  bool TurnUp() {
    const int64_t before = before_ + cells_.size;
    if (before >= max_size_) return false;
    const int64_t size = SizeOfPart(part_ + 1);
    if (static_cast<size_t>(part_ + 1) == parts_.size()) {
      parts_.push_back(std::make_unique<Tensor[]>(static_cast<size_t>(size)));
    }
    ++part_;
    before_ = before;
    PointTo(0, std::min(size, max_size_ - before));
    return true;
  }
  bool TurnDown() {
    if (part_ <= 0) return false;
    --part_;
    const int64_t size = SizeOfPart(part_);
    before_ -= size;
    PointTo(size, size);
    return true;
  }
  void PointTo(int64_t size, int64_t capacity) {
    cells_.cells = reinterpret_cast<Cell*>(part());
    cells_.size = size;
    cells_.capacity = capacity;
  }

  const DType dtype_;
  const int64_t max_size_;
  std::mutex mutex_;
  // What follows is guarded by mutex_.
  std::vector<std::unique_ptr<Tensor[]>> parts_;
  int64_t part_ = -1;   // the number of the one that the end is in; -1: none
  int64_t before_ = 0;  // values in those before it
  OwnCells cells_;      // of it
  bool closed_ = false;
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
    const int64_t limit = max_size < 0 ? std::numeric_limits<int64_t>::max() : max_size;
    auto stack = std::make_shared<Stack>(NameAtTag(form.node, context), dtype, limit);
    context.step().Adopt(stack);
    return GiveHandle(context, form, std::move(stack), kTypeName, "_stacks");
  });
}

//   handle, elem; output: elem, so that a push can be put into the path of a value
Result<BoundKernel> BindPush(const Binding&) {
  const ElementPart part = {
      .kind = CellsKind::kStack, .access = "StackPush", .value = 1, .handed_on = 1};
  return BindPart(part, [](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(Stack * stack, StackOf(context));
    TAGFLOW_RETURN_IF_ERROR(stack->Push(context.input(1)));
    context.output(0) = context.Take(1);
    return Status();
  });
}

//   handle; output: what was pushed last
Result<BoundKernel> BindPop(const Binding& binding) {
  const DType wanted = binding.output_dtype(0);
  const ElementPart part = {
      .kind = CellsKind::kStack, .access = "StackPop", .element = 0, .dtype = wanted};
  return BindPart(part, [wanted](KernelContext& context) -> Status {
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
