// Tested by feeds_test.py.

#define TAGFLOW_DEFINES_NUMPY_API
#include "python/core/dtypes.h"

namespace tagflow::python {
namespace {

struct Pair {
  DType dtype;
  int number;  // numpy's
  const char* name;
};
constexpr Pair kPairs[] = {
    {DType::kFloat, NPY_FLOAT32, "float32"},
    {DType::kDouble, NPY_FLOAT64, "float64"},
    {DType::kInt32, NPY_INT32, "int32"},
    {DType::kUInt8, NPY_UINT8, "uint8"},
    {DType::kInt16, NPY_INT16, "int16"},
    {DType::kInt8, NPY_INT8, "int8"},
    {DType::kComplex64, NPY_COMPLEX64, "complex64"},
    {DType::kInt64, NPY_INT64, "int64"},
    {DType::kBool, NPY_BOOL, "bool"},
    {DType::kUInt16, NPY_UINT16, "uint16"},
    {DType::kComplex128, NPY_COMPLEX128, "complex128"},
    {DType::kHalf, NPY_FLOAT16, "float16"},
    {DType::kUInt32, NPY_UINT32, "uint32"},
    {DType::kUInt64, NPY_UINT64, "uint64"},
    // Of as many bytes as long, and another type to numpy.
    {DType::kInt64, NPY_LONGLONG, "int64"},
    {DType::kUInt64, NPY_ULONGLONG, "uint64"},
};

// Null, without an exception, where ml_dtypes is not installed. Kept for ever once it is found.
PyArray_Descr* FindBFloat16() {
  static PyArray_Descr* found = nullptr;
  if (found != nullptr) return found;
  const Ref package(PyImport_ImportModule("ml_dtypes"));
  const Ref type(package ? PyObject_GetAttrString(package.get(), "bfloat16") : nullptr);
  if (!type || PyArray_DescrConverter(type.get(), &found) != NPY_SUCCEED) found = nullptr;
  PyErr_Clear();
  return found;
}

}  // namespace

int LoadNumpy() {
  import_array1(-1);
  return 0;
}

PyArray_Descr* DescrOf(DType dtype) {
  for (const Pair& pair : kPairs) {
    if (pair.dtype == dtype) return PyArray_DescrFromType(pair.number);
  }
  PyArray_Descr* const bfloat16 = FindBFloat16();
  if (bfloat16 == nullptr) {
    PyErr_SetString(PyExc_ImportError,
                    "numpy has no bfloat16 of its own: pip install ml_dtypes brings it");
    return nullptr;
  }
  Py_INCREF(reinterpret_cast<PyObject*>(bfloat16));
  return bfloat16;
}

DType DTypeOf(PyArray_Descr* descr) {
  for (const Pair& pair : kPairs) {
    if (pair.number == descr->type_num) return pair.dtype;
  }
  if (descr->type_num < NPY_USERDEF) return DType::kInvalid;
  const PyArray_Descr* const bfloat16 = FindBFloat16();
  const bool is_bfloat16 = bfloat16 != nullptr && bfloat16->type_num == descr->type_num;
  return is_bfloat16 ? DType::kBFloat16 : DType::kInvalid;
}

std::string NumpyName(DType dtype) {
  for (const Pair& pair : kPairs) {
    if (pair.dtype == dtype) return pair.name;
  }
  return dtype == DType::kString ? "bytes" : DTypeName(dtype);
}

}  // namespace tagflow::python
