// Tested by feeds_test.py.

#include "python/core/feeds.h"

#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "graph/unknown_ops.h"
#include "python/core/dtypes.h"
#include "python/core/errors.h"
#include "python/core/limits.h"
#include "python/core/results.h"

namespace tagflow::python {
namespace {

PyObject*& ArrayMaker() {
  static PyObject* maker = nullptr;
  return maker;
}

std::nullopt_t Refuse(const FeedSlot& slot, const std::string& why) {
  Raise(InvalidArgument("feed '" + slot.name + "' " + why));
  return std::nullopt;
}

std::string DescrText(PyArrayObject* array) {
  const Ref text(PyObject_Str(reinterpret_cast<PyObject*>(PyArray_DESCR(array))));
  std::string words;
  if (!text || !ReadText(text.get(), "dtype", words)) PyErr_Clear();
  return words;
}

Dims DimsOf(PyArrayObject* array) {
  return Dims(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
}

// Lends the elements of an array, which lives as long as they are wanted.
std::shared_ptr<const void> OwnerOf(PyArrayObject* array) {
  PyObject* const object = Ref::To(reinterpret_cast<PyObject*>(array)).release();
  return std::shared_ptr<PyObject>(object, [](PyObject* lent) {
    const WithGil gil;
    Py_DECREF(lent);
  });
}

// REQUIRES: elements in order, in the machine's byte order
std::optional<Tensor> FromOrderly(PyArrayObject* array, DType dtype, const FeedSlot& slot) {
  const Dims dims = DimsOf(array);
  const auto bytes = static_cast<size_t>(PyArray_NBYTES(array));
  const void* const elements = PyArray_DATA(array);
  if (bytes >= kLeastBorrowedBytes && dtype != DType::kBool) {
    Result<Tensor> lent = Tensor::Borrow(dtype, dims, elements, OwnerOf(array));
    if (!lent.ok()) return Refuse(slot, "cannot be taken: " + lent.status().message());
    return *std::move(lent);
  }
  Result<Tensor> copy = Tensor::AllocateUninitialized(dtype, dims);
  if (!copy.ok()) return Refuse(slot, "cannot be taken: " + copy.status().message());
  if (dtype != DType::kBool) {
    std::memcpy(copy->mutable_raw_data(), elements, bytes);
    return *std::move(copy);
  }
  // numpy lets other bytes than 0 and 1 be looked at as bool.
  const auto* const from = static_cast<const unsigned char*>(elements);
  auto* const to = static_cast<unsigned char*>(copy->mutable_raw_data());
  for (size_t i = 0; i < bytes; ++i) to[i] = from[i] != 0;
  return *std::move(copy);
}

// Elements that are bytes; a str becomes its UTF-8.
std::optional<Tensor> FromTexts(PyArrayObject* array, const FeedSlot& slot) {
  const Ref flat(PyArray_Ravel(array, NPY_CORDER));
  if (!flat) return std::nullopt;
  Result<Tensor> texts = Tensor::Allocate(DType::kString, DimsOf(array));
  if (!texts.ok()) return Refuse(slot, "cannot be taken: " + texts.status().message());
  std::string* text = texts->mutable_data<std::string>();
  for (int64_t i = 0; i < texts->num_elements(); ++i, ++text) {
    const Ref element(PySequence_GetItem(flat.get(), static_cast<Py_ssize_t>(i)));
    if (!element) return std::nullopt;
    if (PyUnicode_Check(element.get())) {
      if (!ReadText(element.get(), "an element", *text)) return std::nullopt;
      continue;
    }
    char* data = nullptr;
    Py_ssize_t size = 0;
    if (!PyBytes_Check(element.get())) {
      return Refuse(slot,
                    "holds an object that is neither bytes nor str, and other objects are "
                    "never looked into");
    }
    if (PyBytes_AsStringAndSize(element.get(), &data, &size) != 0) return std::nullopt;
    text->assign(data, static_cast<size_t>(size));
  }
  return *std::move(texts);
}

std::optional<Tensor> FromArray(PyArrayObject* array, const FeedSlot& slot) {
  const int number = PyArray_DESCR(array)->type_num;
  const bool has_texts = number == NPY_OBJECT || number == NPY_STRING || number == NPY_UNICODE;
  const DType dtype = has_texts ? DType::kString : DTypeOf(PyArray_DESCR(array));
  if (dtype == DType::kInvalid) {
    return Refuse(slot, "is an array of " + DescrText(array) + ", which no tensor holds");
  }
  if (slot.dtype != DType::kInvalid && slot.dtype != dtype) {
    const std::string wanted = NumpyName(slot.dtype);
    if (slot.dtype == DType::kResource || slot.dtype == DType::kVariant) {
      return Refuse(slot, "is a " + wanted + ": only what a step gave can be fed");
    }
    return Refuse(slot, "is an array of " + DescrText(array) + ", and the graph wants " + wanted +
                            ": .astype('" + wanted + "') makes it one");
  }
  if (has_texts) return FromTexts(array, slot);
  if (PyArray_ISCARRAY_RO(array)) return FromOrderly(array, dtype, slot);
  const Ref orderly(PyArray_FromArray(array, PyArray_DescrNewByteorder(PyArray_DESCR(array), '='),
                                      NPY_ARRAY_CARRAY_RO));
  if (!orderly) return std::nullopt;
  return FromOrderly(reinterpret_cast<PyArrayObject*>(orderly.get()), dtype, slot);
}

// Of Python's numbers, those that are quickly told to fit; nothing, without an exception, else.
std::optional<Tensor> FromNumber(PyObject* value, DType dtype) {
  if (PyFloat_CheckExact(value)) {
    const double number = PyFloat_AsDouble(value);
    if (dtype == DType::kFloat) return Tensor::Scalar(static_cast<float>(number));
    if (dtype == DType::kDouble) return Tensor::Scalar(number);
    return std::nullopt;
  }
  if (!PyLong_CheckExact(value)) return std::nullopt;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return std::nullopt;
  if (dtype == DType::kInt64) return Tensor::Scalar(static_cast<int64_t>(number));
  const auto narrow = static_cast<int32_t>(number);
  if (dtype == DType::kInt32 && narrow == number) return Tensor::Scalar(narrow);
  return std::nullopt;
}

// One of numpy's scalars, of the dtype wanted; nothing, without an exception, else.
std::optional<Tensor> FromScalar(PyObject* value, DType dtype) {
  if (!PyArray_CheckScalar(value) || PyArray_Check(value) || !IsPlainDType(dtype)) {
    return std::nullopt;
  }
  const Ref descr(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(value)));
  if (!descr || DTypeOf(reinterpret_cast<PyArray_Descr*>(descr.get())) != dtype) {
    PyErr_Clear();
    return std::nullopt;
  }
  Result<Tensor> scalar = Tensor::Allocate(dtype, {});
  if (!scalar.ok()) return std::nullopt;
  PyArray_ScalarAsCtype(value, scalar->mutable_raw_data());
  return *std::move(scalar);
}

}  // namespace

std::vector<FeedSlot> SlotsOf(const Graph& graph, const std::vector<std::string>& feeds) {
  std::vector<FeedSlot> slots;
  for (const std::string& name : feeds) {
    FeedSlot slot{name};
    const Result<OutputRef> output = FindOutput(graph, name);
    if (output.ok() && !IsOfAnyType(graph, *output)) {
      const Result<Signature> signature = ResolveSignature(graph.node(output->node));
      if (signature.ok()) {
        slot.dtype = signature->outputs[static_cast<size_t>(output->index)].dtype;
      }
    }
    slots.push_back(std::move(slot));
  }
  return slots;
}

void SetArrayMaker(Ref maker) {
  const Ref before(ArrayMaker());
  ArrayMaker() = maker.release();
}

std::optional<Tensor> TensorFromObject(PyObject* value, const FeedSlot& slot) {
  if (PyArray_Check(value)) return FromArray(reinterpret_cast<PyArrayObject*>(value), slot);
  if (slot.dtype != DType::kInvalid) {
    if (std::optional<Tensor> number = FromNumber(value, slot.dtype)) return number;
    if (std::optional<Tensor> scalar = FromScalar(value, slot.dtype)) return scalar;
  }
  if (const Tensor* held = TensorIn(value)) return *held;
  const Ref name(TextObject(slot.name));
  const bool is_any = slot.dtype == DType::kInvalid;
  const Ref wanted(is_any ? Ref::To(Py_None).release() : TextObject(NumpyName(slot.dtype)));
  if (!name || !wanted) return std::nullopt;
  const Ref array(
      PyObject_CallFunctionObjArgs(ArrayMaker(), value, wanted.get(), name.get(), nullptr));
  if (!array) return std::nullopt;
  if (!PyArray_Check(array.get())) return Refuse(slot, "is nothing that a tensor can be made of");
  return FromArray(reinterpret_cast<PyArrayObject*>(array.get()), slot);
}

}  // namespace tagflow::python
