#ifndef TAGFLOW_PYTHON_CORE_DTYPES_H_
#define TAGFLOW_PYTHON_CORE_DTYPES_H_

// Element types of tensors as numpy's: bfloat16 is that of the package ml_dtypes.

#include <string>

#include "graph/dtype.h"
#include "python/core/numpy.h"
#include "python/core/object.h"

namespace tagflow::python {

// Reads numpy's table of functions. 0, or -1.
int LoadNumpy();

// What numpy holds such elements as. A new reference; null, with ImportError, for bfloat16 where
// ml_dtypes is not installed. REQUIRES: a plain dtype
PyArray_Descr* DescrOf(DType dtype);
// kInvalid for what no tensor of plain elements has.
DType DTypeOf(PyArray_Descr* descr);
// "float32": as numpy calls it; of strings "bytes", of what numpy has no array of, its own name.
std::string NumpyName(DType dtype);

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_DTYPES_H_
