#ifndef TAGFLOW_PYTHON_CORE_ERRORS_H_
#define TAGFLOW_PYTHON_CORE_ERRORS_H_

#include "graph/status.h"
#include "python/core/object.h"

namespace tagflow::python {

// What tagflow/errors.py gives: the exception of a code, a text, and where it happened. To be set
// before a status is raised.
void SetErrorMaker(Ref maker);

// Sets the exception of tagflow.errors that the status is. Returns null.
PyObject* Raise(const Status& status);

// Runs `body`, a function that returns a PyObject* or null, and turns C++ exceptions into Python's.
template <typename F>
PyObject* OrRaise(F body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_ERRORS_H_
