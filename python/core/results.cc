// Tested by feeds_test.py.

#include "python/core/results.h"

#include <cstring>
#include <string>
#include <vector>

#include "graph/owned.h"
#include "python/core/dtypes.h"
#include "python/core/errors.h"
#include "python/core/limits.h"

namespace tagflow::python {
namespace {

PyTypeObject* opaque_type = nullptr;

PyObject* OpaqueText(PyObject* self) {
  return OrRaise([&] { return TextObject("<tagflow " + Unbox<Tensor>(self).DebugString() + ">"); });
}

std::vector<npy_intp> ShapeOf(const Tensor& tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

PyObject* TextsFrom(const Tensor& tensor) {
  const std::string* text = tensor.data<std::string>();
  if (tensor.rank() == 0) return BytesObject(*text);
  std::vector<npy_intp> shape = ShapeOf(tensor);
  Ref array(PyArray_SimpleNew(tensor.rank(), shape.data(), NPY_OBJECT));
  if (!array) return nullptr;
  auto* const elements =
      static_cast<PyObject**>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.get())));
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    PyObject* const element = BytesObject(text[i]);
    if (element == nullptr) return nullptr;
    Py_XDECREF(elements[i]);
    elements[i] = element;
  }
  return array.release();
}

PyObject* CopyOf(const Tensor& tensor, PyArray_Descr* descr) {
  if (tensor.rank() == 0) {
    const Ref owner(reinterpret_cast<PyObject*>(descr));
    return PyArray_Scalar(const_cast<void*>(tensor.raw_data()), descr, nullptr);
  }
  std::vector<npy_intp> shape = ShapeOf(tensor);
  Ref array(PyArray_NewFromDescr(&PyArray_Type, descr, tensor.rank(), shape.data(), nullptr,
                                 nullptr, 0, nullptr));
  if (!array) return nullptr;
  void* const elements = PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.get()));
  if (tensor.byte_size() > 0) std::memcpy(elements, tensor.raw_data(), tensor.byte_size());
  return array.release();
}

PyObject* ViewOf(Tensor tensor, PyArray_Descr* descr) {
  const int flags = tensor.unique() ? NPY_ARRAY_CARRAY : NPY_ARRAY_CARRAY_RO;
  std::vector<npy_intp> shape = ShapeOf(tensor);
  void* const elements = tensor.mutable_raw_data();
  Ref array(PyArray_NewFromDescr(&PyArray_Type, descr, tensor.rank(), shape.data(), nullptr,
                                 elements, flags, nullptr));
  Ref owner(Box(opaque_type, std::move(tensor)));
  if (!array || !owner) return nullptr;
  auto* const made = reinterpret_cast<PyArrayObject*>(array.get());
  if (PyArray_SetBaseObject(made, owner.release()) != 0) return nullptr;
  return array.release();
}

}  // namespace

PyTypeObject* MakeOpaqueType() {
  opaque_type = MakeType<Tensor>(
      "tagflow._core.Opaque",
      {{Py_tp_repr, reinterpret_cast<void*>(&OpaqueText)},
       {Py_tp_doc,
        const_cast<char*>("A tensor of resources or variants (a list, an optional): it can be fed "
                          "again, and its repr says what it holds.")}});
  return opaque_type;
}

PyObject* ObjectFromTensor(Tensor tensor) {
  if (tensor.dtype() == DType::kString) return TextsFrom(tensor);
  if (!IsPlainDType(tensor.dtype())) return Box(opaque_type, std::move(tensor));
  PyArray_Descr* const descr = DescrOf(tensor.dtype());
  if (descr == nullptr) return nullptr;
  if (tensor.byte_size() < kLeastBorrowedBytes) return CopyOf(tensor, descr);
  // What was fed and comes back as it is stays the caller's to change.
  Result<Tensor> owned = Owned(std::move(tensor));
  if (!owned.ok()) return Raise(owned.status());
  return ViewOf(*std::move(owned), descr);
}

const Tensor* TensorIn(PyObject* object) {
  return Py_IS_TYPE(object, opaque_type) ? &Unbox<Tensor>(object) : nullptr;
}

}  // namespace tagflow::python
