#ifndef TAGFLOW_PYTHON_CORE_RESULTS_H_
#define TAGFLOW_PYTHON_CORE_RESULTS_H_

// Tensors as Python values.

#include "graph/tensor.h"
#include "python/core/object.h"

namespace tagflow::python {

// Makes the type of tensors that numpy has no arrays of: tagflow._core.Opaque.
PyTypeObject* MakeOpaqueType();

// Of rank 0 a numpy scalar, or bytes; else an array, of bytes objects where elements are strings,
// that shares the tensor's memory if it is large: read-only where others have it, too. A resource
// or a variant becomes an object that can be fed again. Null with an exception.
PyObject* ObjectFromTensor(Tensor tensor);

// The tensor in an Opaque; null for other objects.
const Tensor* TensorIn(PyObject* object);

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_RESULTS_H_
