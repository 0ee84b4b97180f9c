// Ops that pass their input on or check something: identities, constants, placeholders, Assert.

#include <cmath>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/summarize.h"
#include "reference/kernels/truth.h"

namespace tagflow::reference {
namespace {

Status NoOp(KernelContext&) { return Status(); }

// Every output is the input at its place, shared.
Status Identity(KernelContext& context) {
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    context.outputs[i] = std::move(context.inputs[i]);
  }
  return Status();
}

// The input, in a buffer of its own.
Status Copy(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], context.inputs[0].Clone());
  return Status();
}

//   tensor: floating numbers;  output: the same
//   Errors: INVALID_ARGUMENT "<message> : Tensor had NaN values" and the like; UNIMPLEMENTED
//   (dtype)
Status CheckNumerics(KernelContext& context) {
  const Tensor& tensor = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, tensor.dtype(), kFloating));
  bool has_inf = false, has_nan = false;
  WithComputingType(tensor.dtype(), [&]<typename C>(Computing<C>) {
    if constexpr (FloatElement<C>) {
      for (const C& value : Load<C>(tensor)) {
        has_inf = has_inf || std::isinf(static_cast<double>(value));
        has_nan = has_nan || std::isnan(static_cast<double>(value));
      }
    }
  });
  if (has_inf || has_nan) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::string message, StringAttr(context.node, "message"));
    return InvalidArgument(message + " : Tensor had " + (has_inf ? "Inf" : "") +
                           (has_inf && has_nan ? " and " : "") + (has_nan ? "NaN" : "") +
                           " values");
  }
  return Identity(context);
}

Status Const(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], TensorAttr(context.node, "value"));
  const DType wanted = context.signature.outputs[0].dtype;
  if (context.outputs[0].dtype() == wanted) return Status();
  return InvalidArgument("the attr value is " + DTypeName(context.outputs[0].dtype()) +
                         ", but the attr dtype is " + DTypeName(wanted));
}

// Only reached when nobody feeds it.
Status Placeholder(KernelContext& context) {
  std::string text = "You must feed a value for placeholder tensor '" + context.node.name +
                     "' with dtype " + DTypeName(context.signature.outputs[0].dtype);
  Result<PartialShape> shape = ShapeAttr(context.node, "shape");
  if (shape.ok() && shape->known_rank()) text += " and shape " + shape->ToString();
  return InvalidArgument(text);
}

//   condition: bool scalar; data: any, printed up to `summarize` elements each
//   Errors: INVALID_ARGUMENT "assertion failed: [1 2 3...] [text]"
Status Assert(KernelContext& context) {
  const Tensor& condition = context.inputs[0];
  if (condition.rank() != 0) {
    return InvalidArgument("In[0] should be a scalar: " + DimsString(condition.dims()));
  }
  if (condition.scalar<bool>()) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t summarize, IntAttr(context.node, "summarize"));
  std::string text = "assertion failed:";
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    text += " [" + Summarize(context.inputs[i], summarize) + "]";
  }
  return InvalidArgument(text);
}

// TensorFlow ends the process here; nothing a graph holds may do that to ours.
Status Abort(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool without_error, BoolAttr(context.node, "exit_without_error"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, StringAttr(context.node, "error_msg"));
  return Status(Code::kAborted,
                without_error ? "Abort asks for the process to exit" : "Abort: " + text);
}

bool HasBoolean(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt8:
    case DType::kFloat:
    case DType::kDouble:
    case DType::kString:
      return true;
    default:
      return false;
  }
}

Status ToBool(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool holds, Truth(context.inputs[0]));
  context.outputs[0] = Tensor::Scalar(holds);
  return Status();
}

Status RefIdentity(KernelContext& context) {
  context.output_variables[0] = std::move(context.variables[0]);
  return Status();
}

//   index: int32 scalar in [0, n); inputs: n references
Status RefSelect(KernelContext& context) {
  if (context.inputs[0].rank() != 0) {
    return InvalidArgument("Index must be a scalar, but it has shape " +
                           DimsString(context.inputs[0].dims()));
  }
  const int32_t index = context.inputs[0].scalar<int32_t>();
  const int64_t count = static_cast<int64_t>(context.variables.size()) - 1;
  if (index < 0 || index >= count) {
    return InvalidArgument("Index must be in the range [0, " + std::to_string(count) +
                           ") but got " + std::to_string(index));
  }
  context.output_variables[0] = context.variables[static_cast<size_t>(index) + 1];
  return Status();
}

}  // namespace

Result<bool> Truth(const Tensor& tensor) {
  if (tensor.rank() > 0) return tensor.num_elements() > 0;
  if (!HasBoolean(tensor.dtype())) {
    return InvalidArgument(DTypeName(tensor.dtype()) + " cannot be converted to a boolean");
  }
  return WithComputingType(tensor.dtype(),
                           [&]<typename C>(Computing<C>) { return Load<C>(tensor)[0] != C(); });
}

Status RegisterBasicKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"NoOp", NoOp},
                                {"Identity", Identity},
                                {"IdentityN", Identity},
                                {"StopGradient", Identity},
                                {"PreventGradient", Identity},
                                {"PlaceholderWithDefault", Identity},
                                {"GuaranteeConst", Identity},
                                {"Snapshot", Copy},
                                {"DeepCopy", Copy},
                                {"CheckNumerics", CheckNumerics},
                                {"CheckNumericsV2", CheckNumerics},
                                {"Const", Const},
                                {"Placeholder", Placeholder},
                                {"PlaceholderV2", Placeholder},
                                {"Assert", Assert},
                                {"Abort", Abort},
                                {"ToBool", ToBool},
                                {"RefIdentity", RefIdentity},
                                {"RefSelect", RefSelect}});
}

}  // namespace tagflow::reference
