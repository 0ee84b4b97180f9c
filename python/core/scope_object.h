#ifndef TAGFLOW_PYTHON_CORE_SCOPE_OBJECT_H_
#define TAGFLOW_PYTHON_CORE_SCOPE_OBJECT_H_

// tagflow._core.Scope and Output: a graph under construction (graph/builder/scope.h), for
// tagflow/build.py.

#include <string>

#include "graph/builder/output.h"
#include "graph/builder/scope.h"
#include "python/core/object.h"

namespace tagflow::python {

PyTypeObject* MakeScopeType();
PyTypeObject* MakeOutputType();

PyObject* BoxScope(Scope scope);
PyObject* ListOfOutputs(const OutputList& outputs);
// Null, with a TypeError that calls it `what`, for another object.
const Output* OutputIn(PyObject* object, const char* what);
// An iterable of Outputs. false, with a TypeError, for other objects.
bool ReadOutputs(PyObject* object, const char* what, OutputList& outputs);
// Raises what is wrong with the graph so far, unless there is an exception already: false then.
bool CheckScope(const Scope& scope);

// Function of the module; its docstring is in tagflow/_core.pyi.
PyObject* NewScope(PyObject* module, PyObject* args);

// Methods of Scope that take functions (flow_object.cc).
PyObject* BuildCond(PyObject* self, PyObject* args);
PyObject* BuildSwitchCase(PyObject* self, PyObject* args);
PyObject* BuildWhileLoop(PyObject* self, PyObject* args);
PyObject* BuildMap(PyObject* self, PyObject* args);
PyObject* BuildScan(PyObject* self, PyObject* args);
PyObject* BuildFold(PyObject* self, PyObject* args);

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_SCOPE_OBJECT_H_
