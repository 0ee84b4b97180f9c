#ifndef TAGFLOW_PYTHON_CORE_TRACE_OBJECT_H_
#define TAGFLOW_PYTHON_CORE_TRACE_OBJECT_H_

#include "python/core/object.h"

namespace tagflow::python {

// Runs one step on the reference and tells every firing of it. Function of the module; its
// docstring is in tagflow/_core.pyi.
PyObject* TraceStep(PyObject* module, PyObject* args);

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_TRACE_OBJECT_H_
