#ifndef TAGFLOW_PYTHON_CORE_ERRORS_H_
#define TAGFLOW_PYTHON_CORE_ERRORS_H_

#include <optional>
#include <string>

#include "graph/status.h"
#include "python/core/object.h"

namespace tagflow::python {

// What tagflow/errors.py gives: the exception of a code, a text, and where it happened. To be set
// before a status is raised.
void SetErrorMaker(Ref maker);

// Sets the exception of tagflow.errors that the status is, with what it came from where there is
// such an exception. Returns null.
PyObject* Raise(const Status& status, Ref cause = Ref());

// An exception that Python code raised.
struct Raised {
  Ref exception;
  std::optional<Code> code;  // of those of tagflow.errors
  std::string text;          // "ValueError: too many"; of one of tagflow.errors its own text
};
// Takes the exception that is set.
Raised TakeRaised();

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
