// Tested by build_test.py.

#include "python/core/attrs.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "python/core/dtypes.h"
#include "python/core/errors.h"
#include "python/core/feeds.h"
#include "python/core/results.h"

namespace tagflow::python {
namespace {

std::optional<int64_t> IntFrom(PyObject* object) {
  const Ref number(PyNumber_Index(object));
  if (!number) return std::nullopt;
  const long long value = PyLong_AsLongLong(number.get());
  if (value == -1 && PyErr_Occurred()) return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<float> FloatFrom(PyObject* object) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred()) return std::nullopt;
  return static_cast<float>(value);
}

std::optional<bool> BoolFrom(PyObject* object) {
  if (PyBool_Check(object)) return object == Py_True;
  PyErr_Format(PyExc_TypeError, "True or False, not %R", object);
  return std::nullopt;
}

std::optional<std::string> StringFrom(PyObject* object) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  std::string text;
  if (PyBytes_Check(object) && PyBytes_AsStringAndSize(object, &data, &size) == 0) {
    return std::string(data, static_cast<size_t>(size));
  }
  if (!ReadText(object, "it", text)) return std::nullopt;
  return text;
}

std::optional<ArgType> TypeFrom(PyObject* object) {
  const DType dtype = DTypeFromObject(object);
  if (dtype == DType::kInvalid) return std::nullopt;
  return ArgType{dtype, false};
}

std::optional<Tensor> TensorFrom(PyObject* object) {
  std::optional<Tensor> tensor = TensorFromObject(object, {"value"});
  if (!tensor) return std::nullopt;
  Result<Tensor> own = tensor->Clone();  // a graph outlives what was lent
  if (own.ok()) return *std::move(own);
  Raise(own.status());
  return std::nullopt;
}

template <typename T, typename Read>
std::optional<AttrValue> ListFrom(PyObject* object, std::vector<T> AttrList::*field, Read read) {
  const Ref items(PySequence_List(object));
  if (!items) return std::nullopt;
  AttrList list;
  for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
    auto item = read(PyList_GetItem(items.get(), i));
    if (!item) return std::nullopt;
    (list.*field).push_back(*std::move(item));
  }
  return AttrValue(std::move(list));
}

template <typename T>
std::optional<AttrValue> Attr(std::optional<T> value) {
  if (!value) return std::nullopt;
  return AttrValue(*std::move(value));
}

std::optional<AttrValue> AttrOfKind(PyObject* object, AttrKind kind) {
  switch (kind) {
    case AttrKind::kString:
      return Attr(StringFrom(object));
    case AttrKind::kInt:
      return Attr(IntFrom(object));
    case AttrKind::kFloat:
      return Attr(FloatFrom(object));
    case AttrKind::kBool:
      return Attr(BoolFrom(object));
    case AttrKind::kType:
      return Attr(TypeFrom(object));
    case AttrKind::kShape:
      return Attr(ShapeFromObject(object));
    case AttrKind::kTensor:
      return Attr(TensorFrom(object));
    case AttrKind::kListString:
      return ListFrom(object, &AttrList::strings, &StringFrom);
    case AttrKind::kListInt:
      return ListFrom(object, &AttrList::ints, &IntFrom);
    case AttrKind::kListFloat:
      return ListFrom(object, &AttrList::floats, &FloatFrom);
    case AttrKind::kListBool:
      return ListFrom(object, &AttrList::bools, &BoolFrom);
    case AttrKind::kListType:
      return ListFrom(object, &AttrList::types, &TypeFrom);
    case AttrKind::kListShape:
      return ListFrom(object, &AttrList::shapes, &ShapeFromObject);
    case AttrKind::kListTensor:
      return ListFrom(object, &AttrList::tensors, &TensorFrom);
    case AttrKind::kFunction:
    case AttrKind::kListFunction:
      PyErr_SetString(PyExc_TypeError, "a function, which graphs built here have none of");
      return std::nullopt;
  }
  return std::nullopt;
}

// ---- Attrs as objects ----

PyObject* ObjectOf(int64_t value) { return PyLong_FromLongLong(value); }
PyObject* ObjectOf(float value) { return PyFloat_FromDouble(value); }
PyObject* ObjectOf(bool value) { return PyBool_FromLong(value ? 1 : 0); }
PyObject* ObjectOf(const ArgType& value) { return TextObject(NumpyName(value.dtype)); }
PyObject* ObjectOf(const std::string& value) { return TextObject(value); }
PyObject* ObjectOf(const PartialShape& value) { return ObjectFromShape(value); }
PyObject* ObjectOf(const Tensor& value) { return ObjectFromTensor(value); }
PyObject* ObjectOf(const std::shared_ptr<const NameAttrList>& value) {
  return TextObject(value->name);
}
// What only graphs have that are not whole yet, and what nobody here can read.
PyObject* ObjectOf(std::monostate) { return Ref::To(Py_None).release(); }
PyObject* ObjectOf(const AttrPlaceholder&) { return Ref::To(Py_None).release(); }
PyObject* ObjectOf(const OpaqueAttr&) { return Ref::To(Py_None).release(); }

template <typename T>
bool Append(PyObject* list, const std::vector<T>& values) {
  for (const auto& value : values) {
    const Ref object(ObjectOf(value));
    if (!object || PyList_Append(list, object.get()) != 0) return false;
  }
  return true;
}

// One of its vectors has elements; the others are empty.
PyObject* ObjectOf(const std::shared_ptr<const AttrList>& value) {
  Ref list(PyList_New(0));
  const bool is_whole = list && Append(list.get(), value->strings) &&
                        Append(list.get(), value->ints) && Append(list.get(), value->floats) &&
                        Append(list.get(), value->bools) && Append(list.get(), value->types) &&
                        Append(list.get(), value->shapes) && Append(list.get(), value->tensors) &&
                        Append(list.get(), value->functions);
  return is_whole ? list.release() : nullptr;
}

// Of an attr that is not the op's own, as "_output_shapes".
std::optional<AttrValue> AttrByItself(PyObject* object) {
  if (PyBool_Check(object)) return AttrOfKind(object, AttrKind::kBool);
  if (PyLong_Check(object)) return AttrOfKind(object, AttrKind::kInt);
  if (PyFloat_Check(object)) return AttrOfKind(object, AttrKind::kFloat);
  return AttrOfKind(object, AttrKind::kString);
}

}  // namespace

std::optional<PartialShape> ShapeFromObject(PyObject* object) {
  if (object == Py_None) return PartialShape();
  const Ref items(PySequence_List(object));
  if (!items) return std::nullopt;
  Dims dims;
  for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
    PyObject* const item = PyList_GetItem(items.get(), i);
    const std::optional<int64_t> dim =
        item == Py_None ? std::optional(PartialShape::kUnknownDim) : IntFrom(item);
    if (!dim) return std::nullopt;
    dims.push_back(*dim);
  }
  return PartialShape(std::move(dims));
}

PyObject* ObjectFromShape(const PartialShape& shape) {
  if (!shape.known_rank()) return Ref::To(Py_None).release();
  Ref dims(PyTuple_New(shape.rank()));
  for (int i = 0; dims && i < shape.rank(); ++i) {
    const bool is_known = shape.dim(i) != PartialShape::kUnknownDim;
    PyObject* const dim = is_known ? PyLong_FromLongLong(shape.dim(i)) : Ref::To(Py_None).release();
    if (dim == nullptr || PyTuple_SetItem(dims.get(), i, dim) != 0) return nullptr;
  }
  return dims.release();
}

DType DTypeFromObject(PyObject* object) {
  std::string name;
  if (PyUnicode_Check(object)) {
    if (!ReadText(object, "a dtype", name)) return DType::kInvalid;
    if (const std::optional<DType> dtype = DTypeFromName(name)) return *dtype;
  }
  PyArray_Descr* descr = nullptr;
  if (PyArray_DescrConverter(object, &descr) != NPY_SUCCEED) return DType::kInvalid;
  const Ref owner(reinterpret_cast<PyObject*>(descr));
  const bool has_texts = descr->type_num == NPY_STRING || descr->type_num == NPY_OBJECT ||
                         descr->type_num == NPY_UNICODE;
  const DType dtype = has_texts ? DType::kString : DTypeOf(descr);
  if (dtype == DType::kInvalid) PyErr_Format(PyExc_TypeError, "%R is no dtype of tensors", object);
  return dtype;
}

PyObject* ObjectFromAttr(const AttrValue& attr) {
  return std::visit([](const auto& value) { return ObjectOf(value); }, attr.value());
}

std::optional<AttrValue> AttrFromObject(PyObject* object, const OpDef* op,
                                        const std::string& name) {
  const AttrDef* const attr = op == nullptr ? nullptr : op->FindAttr(name);
  std::optional<AttrValue> value =
      attr == nullptr ? AttrByItself(object) : AttrOfKind(object, attr->kind);
  if (value || !PyErr_ExceptionMatches(PyExc_TypeError)) return value;
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "attr '%s' of %s cannot be %R", name.c_str(),
               op == nullptr ? "this op" : op->name.c_str(), object);
  return std::nullopt;
}

}  // namespace tagflow::python
