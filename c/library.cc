#include "c/handles.h"
#include "graph/graph.h"
#include "graph/op_lines.h"

// A firing while its kernel runs. The handles of inputs are made when they are asked for, and
// shared with nobody.
struct tagflow_firing {
  const tagflow::Node& node;
  const tagflow::Signature& signature;
  tagflow::optimized::KernelContext& context;
  std::vector<tagflow_tensor> inputs;
  std::vector<bool> has_output;
};

namespace tagflow::c {
namespace {

// An op's binder and its bound kernels share this: the last of them releases the context.
struct Kernel {
  tagflow_kernel function = nullptr;
  void* context = nullptr;
  void (*release)(void*) = nullptr;

  Kernel() = default;
  Kernel(const Kernel&) = delete;
  ~Kernel() {
    if (release != nullptr) release(context);
  }
};

// Takes the error.
Status TakeError(tagflow_error* error) {
  const Status status = error->status;
  tagflow_error_free(error);
  return status;
}

Status Fire(const Kernel& kernel, const Node& node, const Signature& signature,
            optimized::KernelContext& context) {
  tagflow_firing firing{node, signature, context, {}, {}};
  for (int i = 0; i < context.num_inputs(); ++i) firing.inputs.push_back({context.input(i)});
  firing.has_output.resize(signature.outputs.size());
  tagflow_error* const error = kernel.function(kernel.context, &firing);
  if (error != nullptr) return TakeError(error);
  for (size_t i = 0; i < firing.has_output.size(); ++i) {
    if (firing.has_output[i]) continue;
    return Internal("the kernel of " + node.op + " did not set output " + std::to_string(i));
  }
  return Status();
}

optimized::Binder BinderOf(std::shared_ptr<const Kernel> kernel) {
  return [kernel](const optimized::Binding& binding) -> Result<optimized::BoundKernel> {
    return optimized::BoundKernel(
        [kernel, node = binding.node, signature = binding.signature](
            optimized::KernelContext& context) { return Fire(*kernel, node, signature, context); });
  };
}

Status AddOp(Library& library, const tagflow_op& op) {
  if (library.is_fixed) {
    return FailedPrecondition(
        "a graph was loaded with this library: add ops to it before, or to another");
  }
  if (op.name == nullptr || op.kernel == nullptr) {
    return InvalidArgument("tagflow_op.name and .kernel have to be set");
  }
  const std::vector<std::string> lines(op.specs, op.specs + op.num_specs);
  TAGFLOW_ASSIGN_OR_RETURN(OpDefBuilder builder, OpOfLines(op.name, lines));
  if (op.is_stateful != 0) builder.Stateful();
  auto kernel = std::make_shared<Kernel>();
  TAGFLOW_RETURN_IF_ERROR(library.ops.Register(builder));
  TAGFLOW_RETURN_IF_ERROR(library.kernels.Register(op.name, BinderOf(kernel)));
  // Last, so that nothing is released of an op that was refused.
  kernel->function = op.kernel;
  kernel->context = op.context;
  kernel->release = op.release;
  return Status();
}

}  // namespace
}  // namespace tagflow::c

using tagflow::InvalidArgument;
using tagflow::Status;
using tagflow::c::Guard;

tagflow_error* tagflow_library_new(tagflow_library** library) {
  return Guard([&]() -> Status {
    auto made = std::make_unique<tagflow_library>();
    made->library = std::make_shared<tagflow::c::Library>();
    TAGFLOW_RETURN_IF_ERROR(tagflow::RegisterStandardOps(made->library->ops));
    TAGFLOW_RETURN_IF_ERROR(tagflow::optimized::RegisterStandardKernels(made->library->kernels));
    *library = made.release();
    return Status();
  });
}

void tagflow_library_free(tagflow_library* library) { delete library; }

tagflow_error* tagflow_library_add_op(tagflow_library* library, const tagflow_op* op) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto all, tagflow::c::Options(op, "tagflow_op"));
    return tagflow::c::AddOp(*library->library, all);
  });
}

int tagflow_firing_num_inputs(const tagflow_firing* firing) {
  return static_cast<int>(firing->inputs.size());
}

const tagflow_tensor* tagflow_firing_input(tagflow_firing* firing, int i) {
  if (i < 0 || i >= tagflow_firing_num_inputs(firing)) return nullptr;
  return &firing->inputs[static_cast<size_t>(i)];
}

const char* tagflow_firing_node(const tagflow_firing* firing) { return firing->node.name.c_str(); }

tagflow_error* tagflow_firing_attr_int(const tagflow_firing* firing, const char* name,
                                       int64_t* value) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(*value, tagflow::IntAttr(firing->node, name));
    return Status();
  });
}

tagflow_error* tagflow_firing_attr_float(const tagflow_firing* firing, const char* name,
                                         float* value) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(*value, tagflow::FloatAttr(firing->node, name));
    return Status();
  });
}

tagflow_error* tagflow_firing_set_output(tagflow_firing* firing, int i, tagflow_tensor* tensor) {
  const std::unique_ptr<tagflow_tensor> taken(tensor);
  return Guard([&]() -> Status {
    const auto place = static_cast<size_t>(i);
    if (i < 0 || place >= firing->has_output.size()) {
      return InvalidArgument(firing->node.op + " has no output " + std::to_string(i));
    }
    const tagflow::DType wanted = firing->signature.outputs[place].dtype;
    if (taken->tensor.dtype() != wanted) {
      return InvalidArgument("output " + std::to_string(i) + " of " + firing->node.op + " is of " +
                             tagflow::DTypeName(wanted) + ", not of " +
                             tagflow::DTypeName(taken->tensor.dtype()));
    }
    firing->context.output(i) = std::move(taken->tensor);
    firing->has_output[place] = true;
    return Status();
  });
}
