// Tested by build_test.py.

#include "python/core/scope_object.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "python/core/attrs.h"
#include "python/core/dtypes.h"
#include "python/core/errors.h"
#include "python/core/feeds.h"
#include "python/core/graph_object.h"

namespace tagflow::python {
namespace {

PyTypeObject* scope_type = nullptr;
PyTypeObject* output_type = nullptr;

// ---- Output ----

PyObject* OutputName(PyObject* self, void*) { return TextObject(Unbox<Output>(self).name()); }
PyObject* OutputNode(PyObject* self, void*) { return TextObject(Unbox<Output>(self).op().name()); }
PyObject* OutputDType(PyObject* self, void*) {
  return TextObject(NumpyName(Unbox<Output>(self).dtype()));
}
PyObject* OutputShape(PyObject* self, void*) {
  return ObjectFromShape(Unbox<Output>(self).shape());
}

PyGetSetDef output_fields[] = {
    {"name", &OutputName, nullptr, nullptr, nullptr},
    {"node", &OutputNode, nullptr, nullptr, nullptr},
    {"dtype", &OutputDType, nullptr, nullptr, nullptr},
    {"shape", &OutputShape, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// ---- Making nodes ----

// A number written in place becomes what the op's other inputs are; all else keeps its dtype.
std::optional<Input> InputFromObject(PyObject* object) {
  if (Py_IS_TYPE(object, output_type)) return Input(Unbox<Output>(object));
  if (PyList_Check(object)) {
    OutputList list;
    if (!ReadOutputs(object, "a list of inputs", list)) return std::nullopt;
    return Input(std::move(list));
  }
  if (PyBool_Check(object)) return Input(object == Py_True);
  if (PyLong_CheckExact(object)) {
    const long long number = PyLong_AsLongLong(object);
    if (number == -1 && PyErr_Occurred()) return std::nullopt;
    // As numpy and TensorFlow have it, an int is an int32 where nothing else says what it is.
    const auto narrow = static_cast<int>(number);
    return narrow == number ? Input(narrow) : Input(static_cast<int64_t>(number));
  }
  if (PyFloat_CheckExact(object)) return Input(static_cast<float>(PyFloat_AsDouble(object)));
  std::optional<Tensor> tensor = TensorFromObject(object, {"input"});
  if (!tensor) return std::nullopt;
  Result<Tensor> own = tensor->Clone();  // a graph outlives what was lent
  if (own.ok()) return Input(*std::move(own));
  Raise(own.status());
  return std::nullopt;
}

bool ReadAttrs(PyObject* dict, const OpDef* op, AttrMap& attrs) {
  const Ref items(PyDict_Items(dict));
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
    PyObject* const item = PyList_GetItem(items.get(), i);
    std::string name;
    if (!ReadText(PyTuple_GetItem(item, 0), "an attr's name", name)) return false;
    std::optional<AttrValue> value = AttrFromObject(PyTuple_GetItem(item, 1), op, name);
    if (!value) return false;
    attrs.emplace_back(std::move(name), *std::move(value));
  }
  std::ranges::sort(attrs, {}, [](const auto& attr) { return attr.first; });
  return true;
}

//   (op, inputs, attrs) -> (name of the node, list of Output)
PyObject* MakeOp(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    const Scope& scope = Unbox<Scope>(self);
    const char* op = nullptr;
    PyObject *input_list, *attr_dict;
    if (!PyArg_ParseTuple(args, "sO!O!", &op, &PyList_Type, &input_list, &PyDict_Type,
                          &attr_dict)) {
      return nullptr;
    }
    std::vector<Input> inputs;
    for (Py_ssize_t i = 0; i < PyList_Size(input_list); ++i) {
      std::optional<Input> input = InputFromObject(PyList_GetItem(input_list, i));
      if (!input) return nullptr;
      inputs.push_back(*std::move(input));
    }
    AttrMap attrs;
    if (!ReadAttrs(attr_dict, scope.graph().registry().Find(op), attrs)) return nullptr;
    const Operation made = Op(scope, op, std::move(inputs), std::move(attrs));
    if (!CheckScope(scope)) return nullptr;
    std::vector<Output> outputs;
    for (int i = 0; i < made.num_outputs(); ++i) outputs.push_back(made.output(i));
    const Ref name(TextObject(made.name()));
    const Ref list(ListOfOutputs(OutputList(std::move(outputs))));
    return name && list ? PyTuple_Pack(2, name.get(), list.get()) : nullptr;
  });
}

//   (value, dtype or None) -> Output
PyObject* MakeConst(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    const Scope& scope = Unbox<Scope>(self);
    PyObject *value, *dtype;
    if (!PyArg_ParseTuple(args, "OO", &value, &dtype)) return nullptr;
    FeedSlot slot{"value"};
    if (dtype != Py_None) {
      slot.dtype = DTypeFromObject(dtype);
      if (slot.dtype == DType::kInvalid) return nullptr;
    }
    std::optional<Tensor> tensor = TensorFromObject(value, slot);
    if (!tensor) return nullptr;
    Result<Tensor> own = tensor->Clone();
    if (!own.ok()) return Raise(own.status());
    const Output made = Const(scope, *std::move(own));
    return CheckScope(scope) ? Box(output_type, made) : nullptr;
  });
}

// ---- Scopes ----

//   (kind, text) -> Scope: "name", "below" or "device"
PyObject* ScopeWith(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    const Scope& scope = Unbox<Scope>(self);
    const char *kind, *text;
    if (!PyArg_ParseTuple(args, "ss", &kind, &text)) return nullptr;
    const std::string_view word = kind;
    if (word == "name") return BoxScope(scope.WithOpName(text));
    return BoxScope(word == "below" ? scope.SubScope(text) : scope.WithDevice(text));
  });
}

//   (outputs) -> Scope whose nodes wait for these
PyObject* ScopeAfter(PyObject* self, PyObject* object) {
  return OrRaise([&]() -> PyObject* {
    OutputList outputs;
    if (!ReadOutputs(object, "what is waited for", outputs)) return nullptr;
    std::vector<Operation> operations(outputs.begin(), outputs.end());
    return BoxScope(Unbox<Scope>(self).WithControlDependencies(operations));
  });
}

PyObject* FindTensor(PyObject* self, PyObject* object) {
  return OrRaise([&]() -> PyObject* {
    std::string name;
    if (!ReadText(object, "a tensor", name)) return nullptr;
    const Result<Output> found = Unbox<Scope>(self).Find(name);
    return found.ok() ? Box(output_type, *found) : Raise(found.status());
  });
}

//   (ops) -> Graph; ops: those of new_scope
PyObject* FinishGraph(PyObject* self, PyObject* ops_object) {
  return OrRaise([&]() -> PyObject* {
    SharedOps ops;
    if (!ReadOps(ops_object, ops)) return nullptr;
    Result<Graph> graph = Unbox<Scope>(self).Finish();
    if (!graph.ok()) return Raise(graph.status());
    SavedModelGraph model;
    model.graph = *std::move(graph);
    return BoxModel(std::move(model), std::move(ops));
  });
}

PyMethodDef scope_methods[] = {
    {"op", &MakeOp, METH_VARARGS, nullptr},
    {"const", &MakeConst, METH_VARARGS, nullptr},
    {"with_text", &ScopeWith, METH_VARARGS, nullptr},
    {"after", &ScopeAfter, METH_O, nullptr},
    {"find", &FindTensor, METH_O, nullptr},
    {"finish", &FinishGraph, METH_O, nullptr},
    {"cond", &BuildCond, METH_VARARGS, nullptr},
    {"switch_case", &BuildSwitchCase, METH_VARARGS, nullptr},
    {"while_loop", &BuildWhileLoop, METH_VARARGS, nullptr},
    {"map", &BuildMap, METH_VARARGS, nullptr},
    {"scan", &BuildScan, METH_VARARGS, nullptr},
    {"fold", &BuildFold, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject* MakeScopeType() {
  scope_type = MakeType<Scope>("tagflow._core.Scope", {{Py_tp_methods, scope_methods}});
  return scope_type;
}

PyTypeObject* MakeOutputType() {
  output_type = MakeType<Output>("tagflow._core.Output", {{Py_tp_getset, output_fields}});
  return output_type;
}

PyObject* BoxScope(Scope scope) { return Box(scope_type, std::move(scope)); }

PyObject* ListOfOutputs(const OutputList& outputs) {
  Ref list(PyList_New(0));
  for (const Output& output : outputs) {
    const Ref object(Box(output_type, output));
    if (!list || !object || PyList_Append(list.get(), object.get()) != 0) return nullptr;
  }
  return list.release();
}

const Output* OutputIn(PyObject* object, const char* what) {
  if (Py_IS_TYPE(object, output_type)) return &Unbox<Output>(object);
  PyErr_Format(PyExc_TypeError, "%s: a tensor of the graph is wanted, not %R", what, object);
  return nullptr;
}

bool ReadOutputs(PyObject* object, const char* what, OutputList& outputs) {
  const Ref items(PySequence_List(object));
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
    const Output* const output = OutputIn(PyList_GetItem(items.get(), i), what);
    if (output == nullptr) return false;
    outputs.push_back(*output);
  }
  return true;
}

bool CheckScope(const Scope& scope) {
  if (PyErr_Occurred()) return false;
  return scope.ok() || Raise(scope.status()) != nullptr;
}

PyObject* NewScope(PyObject*, PyObject* ops_object) {
  return OrRaise([&]() -> PyObject* {
    SharedOps ops;
    if (!ReadOps(ops_object, ops)) return nullptr;
    return BoxScope(ops == nullptr ? Scope::Root() : Scope::Root(ops->ops()));
  });
}

}  // namespace tagflow::python
