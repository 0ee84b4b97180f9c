#ifndef TAGFLOW_PYTHON_CORE_NUMPY_H_
#define TAGFLOW_PYTHON_CORE_NUMPY_H_

// numpy's C interface. The table of its functions is in dtypes.cc, which LoadNumpy fills.

#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_23_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL tagflow_numpy_api
#ifndef TAGFLOW_DEFINES_NUMPY_API
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#endif  // TAGFLOW_PYTHON_CORE_NUMPY_H_
