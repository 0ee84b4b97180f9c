#ifndef TAGFLOW_PYTHON_CORE_SERVANT_OBJECT_H_
#define TAGFLOW_PYTHON_CORE_SERVANT_OBJECT_H_

#include "python/core/object.h"

namespace tagflow::python {

// Is an engine for `tagflow check` and `tagflow fuzz` by a Python function. Function of the module;
// its docstring is in tagflow/_core.pyi.
PyObject* ServeEngine(PyObject* module, PyObject* args);

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_SERVANT_OBJECT_H_
