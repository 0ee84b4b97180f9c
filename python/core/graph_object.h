#ifndef TAGFLOW_PYTHON_CORE_GRAPH_OBJECT_H_
#define TAGFLOW_PYTHON_CORE_GRAPH_OBJECT_H_

// tagflow._core.Graph: a graph, and the signatures of the model that it came from.

#include <memory>

#include "graph/saved/saved_model.h"
#include "python/core/object.h"
#include "python/core/own_ops.h"

namespace tagflow::python {

struct Model : SavedModelGraph {
  SharedOps ops;  // that the graph is made of; null: Tagflow's own
};
using SharedModel = std::shared_ptr<const Model>;

PyTypeObject* MakeGraphType();
// Raises the error where it is one. ops: that the graph is made of; null: Tagflow's own
PyObject* BoxModel(Result<SavedModelGraph> model, SharedOps ops = nullptr);
// Null, with a TypeError, for another object.
const SharedModel* ModelIn(PyObject* object);

// Functions of the module; docstrings are in tagflow/_core.pyi.
PyObject* LoadPath(PyObject* module, PyObject* args);   // (path, tags, ops) -> Graph
PyObject* LoadBytes(PyObject* module, PyObject* args);  // (bytes, ops) -> Graph

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_GRAPH_OBJECT_H_
