#ifndef TAGFLOW_PYTHON_CORE_OBJECT_H_
#define TAGFLOW_PYTHON_CORE_OBJECT_H_

// Python's objects in C++: owners of references, and C++ values as Python objects.
//
// Compiled for the limited API of Python 3.11 (BUILD): one module for that and every later version.
// As in Python's own interface, what returns a PyObject* or an int says null or -1 when a Python
// exception is set. Everything here wants the GIL, but for what gives it up.

#include <Python.h>

#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tagflow::python {

// Owns a reference, or nothing.
class Ref {
 public:
  Ref() = default;
  // Takes over a new reference, or null.
  explicit Ref(PyObject* owned) : object_(owned) {}
  // Of an object that is somebody else's.
  static Ref To(PyObject* borrowed) {
    Py_XINCREF(borrowed);
    return Ref(borrowed);
  }
  Ref(const Ref&) = delete;
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  explicit operator bool() const { return object_ != nullptr; }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_ = nullptr;
};

// Other Python threads run while it lives.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  ~WithoutGil() { PyEval_RestoreThread(state_); }

 private:
  PyThreadState* const state_;
};

// Holds the GIL, on whichever thread.
class WithGil {
 public:
  WithGil() : state_(PyGILState_Ensure()) {}
  WithGil(const WithGil&) = delete;
  ~WithGil() { PyGILState_Release(state_); }

 private:
  const PyGILState_STATE state_;
};

// A C++ value as a Python object of a type that MakeType made.
template <typename T>
struct Boxed {
  PyObject_HEAD T value;
};
template <typename T>
T& Unbox(PyObject* object) {
  return reinterpret_cast<Boxed<T>*>(object)->value;
}
template <typename T>
PyObject* Box(PyTypeObject* type, T value) {
  auto* const object = PyObject_New(Boxed<T>, type);
  if (object == nullptr) return nullptr;
  new (&object->value) T(std::move(value));
  return reinterpret_cast<PyObject*>(object);
}
template <typename T>
void Destroy(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  Unbox<T>(object).~T();
  PyObject_Free(object);
  Py_DECREF(type);
}

// A type of boxed T, with these slots besides its end; no Python code can make one, or derive from
// it. `name` is "tagflow._core.Graph".
template <typename T>
PyTypeObject* MakeType(const char* name, std::vector<PyType_Slot> slots) {
  slots.push_back({Py_tp_dealloc, reinterpret_cast<void*>(&Destroy<T>)});
  slots.push_back({0, nullptr});
  PyType_Spec spec = {name, sizeof(Boxed<T>), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

// A str; one that is not UTF-8 has its odd bytes as Python's surrogates.
PyObject* TextObject(std::string_view text);
PyObject* BytesObject(std::string_view bytes);
// A list of str.
PyObject* ListOfTexts(const std::vector<std::string>& texts);
// false, with a TypeError that calls the value `what`, for another object.
bool ReadText(PyObject* object, const char* what, std::string& text);
bool ReadTexts(PyObject* object, const char* what, std::vector<std::string>& texts);

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_OBJECT_H_
