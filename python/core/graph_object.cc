// Tested by graph_test.py.

#include "python/core/graph_object.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/builder/scope.h"
#include "graph/io/export.h"
#include "graph/io/import.h"
#include "python/core/dtypes.h"
#include "python/core/errors.h"
#include "transform/gradients/gradients.h"
#include "transform/lower/lower.h"

namespace tagflow::python {
namespace {

PyTypeObject* graph_type = nullptr;

const Model& ModelOf(PyObject* self) { return *Unbox<SharedModel>(self); }

template <typename F>
auto Unlocked(F compute) {
  const WithoutGil without;
  return compute();
}

PyObject* ToBytes(PyObject* self, PyObject*) {
  return OrRaise([&]() -> PyObject* {
    const Result<std::string> bytes =
        Unlocked([&] { return ExportGraphToBytes(ModelOf(self).graph); });
    return bytes.ok() ? BytesObject(*bytes) : Raise(bytes.status());
  });
}

PyObject* ToText(PyObject* self, PyObject*) {
  return OrRaise([&]() -> PyObject* {
    const Result<std::string> text =
        Unlocked([&] { return ExportGraphToText(ModelOf(self).graph); });
    return text.ok() ? TextObject(*text) : Raise(text.status());
  });
}

PyObject* DictOf(const std::map<std::string, std::string>& names) {
  Ref dict(PyDict_New());
  if (!dict) return nullptr;
  for (const auto& [name, tensor] : names) {
    const Ref value(TextObject(tensor));
    if (!value || PyDict_SetItemString(dict.get(), name.c_str(), value.get()) != 0) return nullptr;
  }
  return dict.release();
}

PyObject* Signatures(PyObject* self, PyObject*) {
  Ref all(PyDict_New());
  if (!all) return nullptr;
  for (const auto& [name, signature] : ModelOf(self).signatures) {
    const Ref inputs(DictOf(signature.inputs));
    const Ref outputs(DictOf(signature.outputs));
    const Ref both(inputs && outputs ? PyTuple_Pack(2, inputs.get(), outputs.get()) : nullptr);
    if (!both || PyDict_SetItemString(all.get(), name.c_str(), both.get()) != 0) return nullptr;
  }
  return all.release();
}

PyObject* NodeObject(const Graph& graph, const Node& node) {
  std::vector<std::string> inputs;
  for (const OutputRef input : node.inputs) inputs.push_back(OutputName(graph, input));
  for (const NodeId input : node.control_inputs) inputs.push_back("^" + graph.node(input).name);
  const Ref name(TextObject(node.name));
  const Ref op(TextObject(node.op));
  const Ref device(TextObject(node.device));
  const Ref list(ListOfTexts(inputs));
  if (!name || !op || !device || !list) return nullptr;
  return PyTuple_Pack(4, name.get(), op.get(), device.get(), list.get());
}

PyObject* Nodes(PyObject* self, PyObject*) {
  return OrRaise([&]() -> PyObject* {
    const Graph& graph = ModelOf(self).graph;
    Ref list(PyList_New(0));
    for (const NodeId id : graph.NodeIds()) {
      const Ref node(NodeObject(graph, graph.node(id)));
      if (!list || !node || PyList_Append(list.get(), node.get()) != 0) return nullptr;
    }
    return list.release();
  });
}

PyObject* NumNodes(PyObject* self, PyObject*) {
  return PyLong_FromSize_t(ModelOf(self).graph.num_nodes());
}

// How many outputs a node has. Errors: NOT_FOUND, naming nodes of like names
PyObject* NumOutputs(PyObject* self, PyObject* object) {
  return OrRaise([&]() -> PyObject* {
    const Graph& graph = ModelOf(self).graph;
    std::string name;
    if (!ReadText(object, "a node's name", name)) return nullptr;
    const NodeId id = graph.Find(name);
    if (id == NodeId::kNone) return Raise(FindOutput(graph, name).status());
    const Result<Signature> signature = ResolveSignature(graph.node(id));
    if (!signature.ok()) return Raise(signature.status().WithNode(name));
    return PyLong_FromSize_t(signature->outputs.size());
  });
}

Result<OutputList> FindAll(const Scope& scope, const std::vector<std::string>& names) {
  OutputList found;
  for (const std::string& name : names) {
    TAGFLOW_ASSIGN_OR_RETURN(const Output output, scope.Find(name));
    found.push_back(output);
  }
  return found;
}

// A copy of the model with gradients, and what these are called: "" where there is none.
Result<std::pair<SavedModelGraph, std::vector<std::string>>> Differentiated(
    const SavedModelGraph& model, const std::vector<std::string> (&names)[3],
    const GradientOptions& options) {
  Graph graph = model.graph.Clone();
  LowerFunctions(graph);
  TAGFLOW_ASSIGN_OR_RETURN(const Scope root, Scope::Open(std::move(graph)));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList ys, FindAll(root, names[0]));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList xs, FindAll(root, names[1]));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList grad_ys, FindAll(root, names[2]));
  TAGFLOW_ASSIGN_OR_RETURN(const OutputList gradients, Gradients(root, ys, xs, grad_ys, options));
  std::vector<std::string> found;
  for (const Output& gradient : gradients) {
    found.push_back(gradient.valid() ? gradient.name() : std::string());
  }
  SavedModelGraph made{Graph(), model.signatures, model.init};
  TAGFLOW_ASSIGN_OR_RETURN(made.graph, root.Finish());
  return std::pair(std::move(made), std::move(found));
}

PyObject* WithGradients(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    PyObject *ys, *xs, *grad_ys;
    int zeros, stacks;
    if (!PyArg_ParseTuple(args, "OOOpp", &ys, &xs, &grad_ys, &zeros, &stacks)) return nullptr;
    std::vector<std::string> names[3];
    if (!ReadTexts(ys, "ys", names[0]) || !ReadTexts(xs, "xs", names[1]) ||
        !ReadTexts(grad_ys, "grad_ys", names[2])) {
      return nullptr;
    }
    GradientOptions options;
    options.zeros_for_unreached = zeros != 0;
    options.history = stacks != 0 ? History::kStacks : History::kLists;
    auto made = Unlocked([&] { return Differentiated(ModelOf(self), names, options); });
    if (!made.ok()) return Raise(made.status());
    const Ref graph(BoxModel(std::move(made->first), ModelOf(self).ops));
    const Ref gradients(ListOfTexts(made->second));
    return graph && gradients ? PyTuple_Pack(2, graph.get(), gradients.get()) : nullptr;
  });
}

PyMethodDef methods[] = {
    {"to_bytes", &ToBytes, METH_NOARGS, nullptr},
    {"to_text", &ToText, METH_NOARGS, nullptr},
    {"signatures", &Signatures, METH_NOARGS, nullptr},
    {"nodes", &Nodes, METH_NOARGS, nullptr},
    {"num_nodes", &NumNodes, METH_NOARGS, nullptr},
    {"num_outputs", &NumOutputs, METH_O, nullptr},
    {"with_gradients", &WithGradients, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject* MakeGraphType() {
  graph_type = MakeType<SharedModel>("tagflow._core.Graph", {{Py_tp_methods, methods}});
  return graph_type;
}

PyObject* BoxModel(Result<SavedModelGraph> model, SharedOps ops) {
  if (!model.ok()) return Raise(model.status());
  auto boxed = std::make_shared<Model>(*std::move(model));
  boxed->ops = std::move(ops);
  return Box(graph_type, SharedModel(std::move(boxed)));
}

const SharedModel* ModelIn(PyObject* object) {
  if (Py_IS_TYPE(object, graph_type)) return &Unbox<SharedModel>(object);
  PyErr_Format(PyExc_TypeError, "a graph is wanted, not %R", Py_TYPE(object));
  return nullptr;
}

PyObject* LoadPath(PyObject*, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    PyObject *path, *tags, *ops_object;
    std::string path_text;
    SavedModelOptions options;
    SharedOps ops;
    if (!PyArg_ParseTuple(args, "OOO", &path, &tags, &ops_object) ||
        !ReadText(path, "a path", path_text) || !ReadTexts(tags, "tags", options.tags) ||
        !ReadOps(ops_object, ops)) {
      return nullptr;
    }
    if (ops != nullptr) options.registry = &ops->ops();
    return BoxModel(Unlocked([&] { return ReadModel(path_text, options); }), ops);
  });
}

PyObject* LoadBytes(PyObject*, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    PyObject *bytes, *ops_object;
    char* data = nullptr;
    Py_ssize_t size = 0;
    SharedOps ops;
    if (!PyArg_ParseTuple(args, "OO", &bytes, &ops_object) ||
        PyBytes_AsStringAndSize(bytes, &data, &size) != 0 || !ReadOps(ops_object, ops)) {
      return nullptr;
    }
    const ImportOptions options{.registry = ops == nullptr ? nullptr : &ops->ops()};
    auto model = Unlocked([&]() -> Result<SavedModelGraph> {
      SavedModelGraph made;
      const std::string_view text(data, static_cast<size_t>(size));
      TAGFLOW_ASSIGN_OR_RETURN(made.graph, ImportGraphFromBytes(text, options));
      return made;
    });
    return BoxModel(std::move(model), std::move(ops));
  });
}

}  // namespace tagflow::python
