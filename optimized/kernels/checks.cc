// Ops that are there to refuse: placeholders that nobody feeds, Assert, Abort, CheckNumerics.

#include <cstring>
#include <string>

#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/summarize.h"

namespace tagflow::optimized {
namespace {

// Only reached when nobody feeds it.
Result<BoundKernel> BindPlaceholder(const Binding& binding) {
  std::string text = "You must feed a value for placeholder tensor '" + binding.node.name +
                     "' with dtype " + DTypeName(binding.output_dtype(0));
  const Result<PartialShape> shape = ShapeAttr(binding.node, "shape");
  if (shape.ok() && shape->known_rank()) text += " and shape " + shape->ToString();
  return BoundKernel([text](KernelContext&) { return InvalidArgument(text); });
}

//   condition: bool scalar; data: any, printed up to `summarize` elements each
//   Errors: INVALID_ARGUMENT "assertion failed: [1 2 3...] [text]"
Result<BoundKernel> BindAssert(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t summarize, IntAttr(binding.node, "summarize"));
  return BoundKernel([summarize](KernelContext& context) -> Status {
    const Tensor& condition = context.input(0);
    if (condition.rank() != 0) {
      return InvalidArgument("In[0] should be a scalar: " + DimsString(condition.dims()));
    }
    if (condition.inline_value<bool>()) return Status();
    std::string text = "assertion failed:";
    for (int i = 1; i < context.num_inputs(); ++i) {
      text += " [" + Summarize(context.input(i), summarize) + "]";
    }
    return InvalidArgument(text);
  });
}

// TensorFlow ends the process here; nothing a graph holds may do that to ours.
Result<BoundKernel> BindAbort(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool exits, BoolAttr(binding.node, "exit_without_error"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string message, StringAttr(binding.node, "error_msg"));
  const std::string text = exits ? "Abort asks for the process to exit" : "Abort: " + message;
  return BoundKernel([text](KernelContext&) { return Status(Code::kAborted, text); });
}

// ---- CheckNumerics ----

struct Found {
  bool has_inf = false;
  bool has_nan = false;
};

// By the bits of IEEE numbers: without its sign, an infinity is all ones in the exponent and a NaN
// more than that.
template <typename Bits>
Found FindNonFinite(const Tensor& tensor, Bits infinity) {
  const Bits sign = static_cast<Bits>(Bits(1) << (8 * sizeof(Bits) - 1));
  const char* data = static_cast<const char*>(tensor.raw_data());
  Found found;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    Bits bits;
    std::memcpy(&bits, data + i * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
    bits &= static_cast<Bits>(~sign);
    found.has_inf |= bits == infinity;
    found.has_nan |= bits > infinity;
  }
  return found;
}

Found FindNonFinite(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kHalf:
      return FindNonFinite<uint16_t>(tensor, 0x7c00);
    case DType::kBFloat16:
      return FindNonFinite<uint16_t>(tensor, 0x7f80);
    case DType::kFloat:
      return FindNonFinite<uint32_t>(tensor, 0x7f800000);
    default:
      return FindNonFinite<uint64_t>(tensor, 0x7ff0000000000000);
  }
}

//   tensor: floating numbers;  output: the same
//   Errors: INVALID_ARGUMENT "<message> : Tensor had NaN values" and the like; UNIMPLEMENTED
//   (dtype)
Result<BoundKernel> BindCheckNumerics(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kFloats));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string message, StringAttr(binding.node, "message"));
  return BoundKernel([message](KernelContext& context) -> Status {
    const auto [has_inf, has_nan] = FindNonFinite(context.input(0));
    if (has_inf || has_nan) {
      return InvalidArgument(message + " : Tensor had " + (has_inf ? "Inf" : "") +
                             (has_inf && has_nan ? " and " : "") + (has_nan ? "NaN" : "") +
                             " values");
    }
    context.output(0) = context.Take(0);
    return Status();
  });
}

}  // namespace

Status RegisterCheckKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Abort", BindAbort},
                                   {"Assert", BindAssert},
                                   {"CheckNumerics", BindCheckNumerics},
                                   {"CheckNumericsV2", BindCheckNumerics},
                                   {"Placeholder", BindPlaceholder},
                                   {"PlaceholderV2", BindPlaceholder},
                               });
}

}  // namespace tagflow::optimized
