#ifndef TAGFLOW_PYTHON_CORE_SESSION_OBJECT_H_
#define TAGFLOW_PYTHON_CORE_SESSION_OBJECT_H_

// tagflow._core.Session, and the calls that it makes ready: tagflow._core.Callable.

#include "python/core/object.h"

namespace tagflow::python {

PyTypeObject* MakeSessionType();
PyTypeObject* MakeCallableType();

// Function of the module; its docstring is in tagflow/_core.pyi.
PyObject* OpenSessionOf(PyObject* module, PyObject* args);

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_SESSION_OBJECT_H_
