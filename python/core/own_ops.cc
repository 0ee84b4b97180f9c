// Tested by own_ops_test.py.

#include "python/core/own_ops.h"

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "graph/op_lines.h"
#include "graph/owned.h"
#include "python/core/attrs.h"
#include "python/core/errors.h"
#include "python/core/feeds.h"
#include "python/core/results.h"

namespace tagflow::python {

// What kernels raised, by node and tag, until the error that a step ends with asks for it. Steps
// run side by side, and kernels on any thread: all under the GIL.
class RaisedByKernels {
 public:
  void Keep(const std::string& node, const std::string& tag, Ref exception) {
    raised_[{node, tag}] = std::move(exception);
  }
  Ref Take(const std::string& node, const std::string& tag) {
    const auto found = raised_.find({node, tag});
    if (found == raised_.end()) return Ref();
    Ref exception = std::move(found->second);
    raised_.erase(found);
    return exception;
  }

 private:
  std::map<std::pair<std::string, std::string>, Ref> raised_;
};

namespace {

PyTypeObject* ops_type = nullptr;

// What a kernel is called with, of whichever engine.
struct Firing {
  const Node& node;
  const Signature& signature;
  std::vector<Tensor> inputs;
  std::string tag;
};

// As TensorFlow's py_func has it.
Code CodeOf(PyObject* exception) {
  const std::pair<PyObject*, Code> codes[] = {
      {PyExc_NotImplementedError, Code::kUnimplemented},
      {PyExc_MemoryError, Code::kResourceExhausted},
      {PyExc_StopIteration, Code::kOutOfRange},
      {PyExc_TypeError, Code::kInvalidArgument},
      {PyExc_ValueError, Code::kInvalidArgument},
  };
  for (const auto& [type, code] : codes) {
    if (PyErr_GivenExceptionMatches(exception, type)) return code;
  }
  return Code::kUnknown;
}

// A Python function as a kernel. The engine calls and frees it without the GIL.
class PythonKernel {
 public:
  PythonKernel(Ref function, std::vector<std::string> attrs,
               std::shared_ptr<RaisedByKernels> raised)
      : function_(std::move(function)), attrs_(std::move(attrs)), raised_(std::move(raised)) {}
  PythonKernel(const PythonKernel&) = delete;
  ~PythonKernel() {
    if (Py_IsInitialized() == 0) {
      function_.release();  // Python has ended, and freed what was its own
      return;
    }
    const WithGil gil;
    function_ = Ref();
  }

  Result<std::vector<Tensor>> Call(Firing firing) const {
    const WithGil gil;
    const Ref args(Arguments(std::move(firing.inputs)));
    const Ref keywords(args ? Keywords(firing.node) : nullptr);
    const Ref given(keywords ? PyObject_Call(function_.get(), args.get(), keywords.get())
                             : nullptr);
    if (!given) return Failed(firing);
    std::optional<std::vector<Tensor>> outputs = Outputs(given.get(), firing);
    if (!outputs) return Failed(firing);
    for (Tensor& output : *outputs) {
      // The function may go on to change an array that it gave.
      TAGFLOW_ASSIGN_OR_RETURN(output, Owned(std::move(output)));
    }
    return *std::move(outputs);
  }

 private:
  static PyObject* Arguments(std::vector<Tensor> inputs) {
    Ref args(PyTuple_New(static_cast<Py_ssize_t>(inputs.size())));
    for (size_t i = 0; args && i < inputs.size(); ++i) {
      PyObject* const value = ObjectFromTensor(std::move(inputs[i]));
      if (value == nullptr || PyTuple_SetItem(args.get(), static_cast<Py_ssize_t>(i), value) != 0) {
        return nullptr;
      }
    }
    return args.release();
  }

  PyObject* Keywords(const Node& node) const {
    Ref keywords(PyDict_New());
    for (const std::string& name : attrs_) {
      const AttrValue* const attr = FindAttr(node, name);
      const Ref value(attr == nullptr ? Ref::To(Py_None).release() : ObjectFromAttr(*attr));
      if (!keywords || !value ||
          PyDict_SetItemString(keywords.get(), name.c_str(), value.get()) != 0) {
        return nullptr;
      }
    }
    return keywords.release();
  }

  // Nothing, with an exception, where it is not what the op gives.
  static std::optional<std::vector<Tensor>> Outputs(PyObject* given, const Firing& firing) {
    const auto& wanted = firing.signature.outputs;
    const Ref values(wanted.size() == 1 ? PyTuple_Pack(1, given) : PySequence_List(given));
    if (!values && wanted.empty() && given == Py_None) {
      PyErr_Clear();
      return std::vector<Tensor>();
    }
    if (!values) return std::nullopt;
    if (PySequence_Size(values.get()) != static_cast<Py_ssize_t>(wanted.size())) {
      PyErr_Format(PyExc_TypeError, "%s has %zu outputs, and its kernel gave %zd values",
                   firing.node.op.c_str(), wanted.size(), PySequence_Size(values.get()));
      return std::nullopt;
    }
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const Ref value(PySequence_GetItem(values.get(), static_cast<Py_ssize_t>(i)));
      std::optional<Tensor> tensor = TensorFromObject(
          value.get(), {"output " + std::to_string(i) + " of " + firing.node.op, wanted[i].dtype});
      if (!tensor) return std::nullopt;
      outputs.push_back(*std::move(tensor));
    }
    return outputs;
  }

  Status Failed(const Firing& firing) const {
    Raised raised = TakeRaised();
    const Status status(raised.code.value_or(CodeOf(raised.exception.get())), raised.text);
    raised_->Keep(firing.node.name, firing.tag, std::move(raised.exception));
    return status;
  }

  Ref function_;
  const std::vector<std::string> attrs_;
  const std::shared_ptr<RaisedByKernels> raised_;
};

using SharedKernel = std::shared_ptr<const PythonKernel>;

reference::Kernel ReferenceKernel(const SharedKernel& kernel) {
  return [kernel](reference::KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs, kernel->Call({context.node, context.signature,
                                                            context.inputs, context.tag}));
    return Status();
  };
}

optimized::Binder EngineKernel(const SharedKernel& kernel) {
  return [kernel](const optimized::Binding& binding) -> Result<optimized::BoundKernel> {
    return optimized::BoundKernel([kernel, node = binding.node, signature = binding.signature](
                                      optimized::KernelContext& context) -> Status {
      Firing firing{node, signature, {}, context.tag()};
      for (int i = 0; i < context.num_inputs(); ++i) firing.inputs.push_back(context.input(i));
      TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, kernel->Call(std::move(firing)));
      for (size_t i = 0; i < outputs.size(); ++i) {
        context.output(static_cast<int>(i)) = std::move(outputs[i]);
      }
      return Status();
    });
  };
}

//   (name, lines, function, attrs, is_stateful) -> None
PyObject* AddOp(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    PyObject *name, *lines, *function, *attrs;
    int is_stateful;
    std::string name_text;
    std::vector<std::string> line_texts, attr_texts;
    if (!PyArg_ParseTuple(args, "OOOOp", &name, &lines, &function, &attrs, &is_stateful) ||
        !ReadText(name, "a name", name_text) || !ReadTexts(lines, "specs", line_texts) ||
        !ReadTexts(attrs, "attrs", attr_texts)) {
      return nullptr;
    }
    const Status status = Unbox<SharedOps>(self)->Add(name_text, line_texts, Ref::To(function),
                                                      std::move(attr_texts), is_stateful != 0);
    if (!status.ok()) return Raise(status);
    Py_RETURN_NONE;
  });
}

PyMethodDef methods[] = {
    {"add", &AddOp, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

OwnOps::OwnOps() : raised_(std::make_shared<RaisedByKernels>()) {}

Result<std::shared_ptr<OwnOps>> OwnOps::Make() {
  std::shared_ptr<OwnOps> ops(new OwnOps());
  TAGFLOW_RETURN_IF_ERROR(RegisterStandardOps(ops->ops_));
  TAGFLOW_RETURN_IF_ERROR(reference::RegisterStandardKernels(ops->reference_kernels_));
  TAGFLOW_RETURN_IF_ERROR(optimized::RegisterStandardKernels(ops->kernels_));
  return ops;
}

Status OwnOps::Add(const std::string& name, const std::vector<std::string>& lines, Ref function,
                   std::vector<std::string> attrs, bool is_stateful) {
  if (is_fixed_) {
    return FailedPrecondition("a graph was made with these ops: add " + name +
                              " before, or make other Ops");
  }
  TAGFLOW_ASSIGN_OR_RETURN(OpDefBuilder builder, OpOfLines(name, lines));
  if (is_stateful) builder.Stateful();
  TAGFLOW_ASSIGN_OR_RETURN(const OpDef op, builder.Build());
  for (const std::string& attr : attrs) {
    if (op.FindAttr(attr) != nullptr) continue;
    return InvalidArgument("the kernel of " + name + " asks for " + attr +
                           ", which is no attr of it");
  }
  TAGFLOW_RETURN_IF_ERROR(ops_.Register(builder));
  const auto kernel =
      std::make_shared<const PythonKernel>(std::move(function), std::move(attrs), raised_);
  TAGFLOW_RETURN_IF_ERROR(reference_kernels_.Register(name, ReferenceKernel(kernel)));
  return kernels_.Register(name, EngineKernel(kernel));
}

Ref OwnOps::TakeCause(const Status& error) const {
  return raised_->Take(error.node(), error.tag());
}

PyTypeObject* MakeOpsType() {
  ops_type = MakeType<SharedOps>("tagflow._core.Ops", {{Py_tp_methods, methods}});
  return ops_type;
}

bool ReadOps(PyObject* object, SharedOps& ops) {
  if (object == Py_None) return true;
  if (!Py_IS_TYPE(object, ops_type)) {
    PyErr_Format(PyExc_TypeError, "ops are wanted, not %R", Py_TYPE(object));
    return false;
  }
  ops = Unbox<SharedOps>(object);
  ops->Fix();
  return true;
}

PyObject* NewOps(PyObject*, PyObject*) {
  return OrRaise([]() -> PyObject* {
    Result<SharedOps> ops = OwnOps::Make();
    return ops.ok() ? Box(ops_type, *std::move(ops)) : Raise(ops.status());
  });
}

}  // namespace tagflow::python
