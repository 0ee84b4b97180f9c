#ifndef TAGFLOW_PYTHON_CORE_GRAPH_OBJECT_H_
#define TAGFLOW_PYTHON_CORE_GRAPH_OBJECT_H_

// tagflow._core.Graph: a graph, and the signatures of the model that it came from.

#include <memory>

#include "graph/saved/saved_model.h"
#include "python/core/object.h"

namespace tagflow::python {

using SharedModel = std::shared_ptr<const SavedModelGraph>;

PyTypeObject* MakeGraphType();
// Raises the error where it is one.
PyObject* BoxModel(Result<SavedModelGraph> model);
// Null, with a TypeError, for another object.
const SharedModel* ModelIn(PyObject* object);

// Functions of the module; docstrings are in tagflow/_core.pyi.
PyObject* LoadPath(PyObject* module, PyObject* args);   // (path, tags) -> Graph
PyObject* LoadBytes(PyObject* module, PyObject* args);  // (bytes) -> Graph

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_GRAPH_OBJECT_H_
