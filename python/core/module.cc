// The extension module tagflow._core: what of the package is C++. People use what tagflow/*.py make
// of it; _core.pyi has its docstrings. Tested by session_test.py.

#include "python/core/dtypes.h"
#include "python/core/errors.h"
#include "python/core/feeds.h"
#include "python/core/graph_object.h"
#include "python/core/interrupts.h"
#include "python/core/object.h"
#include "python/core/own_ops.h"
#include "python/core/results.h"
#include "python/core/scope_object.h"
#include "python/core/servant_object.h"
#include "python/core/session_object.h"
#include "python/core/trace_object.h"

namespace tagflow::python {
namespace {

// What the package's Python files do for this one.
PyObject* Adopt(PyObject*, PyObject* args) {
  PyObject *make_error, *make_array;
  if (!PyArg_ParseTuple(args, "OO", &make_error, &make_array)) return nullptr;
  SetErrorMaker(Ref::To(make_error));
  SetArrayMaker(Ref::To(make_array));
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_adopt", &Adopt, METH_VARARGS, nullptr},
    {"new_ops", &NewOps, METH_NOARGS, nullptr},
    {"new_scope", &NewScope, METH_O, nullptr},
    {"load_path", &LoadPath, METH_VARARGS, nullptr},
    {"load_bytes", &LoadBytes, METH_VARARGS, nullptr},
    {"open_session", &OpenSessionOf, METH_VARARGS, nullptr},
    {"serve", &ServeEngine, METH_VARARGS, nullptr},
    {"trace", &TraceStep, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

int AddTypes(PyObject* module) {
  for (PyTypeObject* type :
       {MakeOpaqueType(), MakeGraphType(), MakeSessionType(), MakeCallableType(), MakeScopeType(),
        MakeOutputType(), MakeOpsType()}) {
    if (type == nullptr || PyModule_AddType(module, type) != 0) return -1;
  }
  return 0;
}

// Types and numpy's table are this process's: a second interpreter would share them.
int Execute(PyObject* module) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError, "tagflow runs in the main interpreter only");
    return -1;
  }
  ForkGeneration();  // counts from here on
  return LoadNumpy() != 0 ? -1 : AddTypes(module);
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(&Execute)}, {0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_core", nullptr, 0, functions, slots, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace tagflow::python

extern "C" __attribute__((visibility("default"))) PyObject* PyInit__core() {
  return PyModuleDef_Init(&tagflow::python::definition);
}
