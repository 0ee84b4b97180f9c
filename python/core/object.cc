// Tested by errors_test.py.

#include "python/core/object.h"

namespace tagflow::python {

PyObject* TextObject(std::string_view text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
}

PyObject* BytesObject(std::string_view bytes) {
  return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
}

PyObject* ListOfTexts(const std::vector<std::string>& texts) {
  Ref list(PyList_New(0));
  if (!list) return nullptr;
  for (const std::string& text : texts) {
    const Ref object(TextObject(text));
    if (!object || PyList_Append(list.get(), object.get()) != 0) return nullptr;
  }
  return list.release();
}

bool ReadText(PyObject* object, const char* what, std::string& text) {
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s is a str, not %R", what, Py_TYPE(object));
    return false;
  }
  const Ref bytes(PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape"));
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!bytes || PyBytes_AsStringAndSize(bytes.get(), &data, &size) != 0) return false;
  text.assign(data, static_cast<size_t>(size));
  return true;
}

bool ReadTexts(PyObject* object, const char* what, std::vector<std::string>& texts) {
  if (PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s are several: give a list, not the str %R", what, object);
    return false;
  }
  const Ref items(PySequence_List(object));
  if (!items) return false;
  const Py_ssize_t count = PyList_Size(items.get());
  for (Py_ssize_t i = 0; i < count; ++i) {
    texts.emplace_back();
    if (!ReadText(PyList_GetItem(items.get(), i), what, texts.back())) return false;
  }
  return true;
}

}  // namespace tagflow::python
