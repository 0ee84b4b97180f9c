// Tested by errors_test.py.

#include "python/core/errors.h"

namespace tagflow::python {
namespace {

PyObject*& Maker() {
  static PyObject* maker = nullptr;
  return maker;
}

std::string AttrText(PyObject* object, const char* name) {
  const Ref attr(PyObject_GetAttrString(object, name));
  std::string text;
  if (!attr || !PyUnicode_Check(attr.get()) || !ReadText(attr.get(), name, text)) PyErr_Clear();
  return text;
}

}  // namespace

void SetErrorMaker(Ref maker) {
  const Ref before(Maker());
  Maker() = maker.release();
}

PyObject* Raise(const Status& status, Ref cause) {
  const Ref text(TextObject(status.ToString()));
  const Ref node(TextObject(status.node()));
  const Ref tag(TextObject(status.tag()));
  const Ref rule(TextObject(status.rule()));
  const Ref device(TextObject(status.device()));
  if (!text || !node || !tag || !rule || !device) return nullptr;
  const Ref error(PyObject_CallFunction(Maker(), "iOOOOO", static_cast<int>(status.code()),
                                        text.get(), node.get(), tag.get(), rule.get(),
                                        device.get()));
  if (!error) return nullptr;
  if (cause) PyException_SetCause(error.get(), cause.release());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  return nullptr;
}

Raised TakeRaised() {
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  const Ref owned_type(type), owned_traceback(traceback);
  Raised raised{Ref(error), CodeFromName(AttrText(error, "code")), ""};
  if (traceback != nullptr) PyException_SetTraceback(error, traceback);
  const Ref text(PyObject_Str(error));
  if (!text || !ReadText(text.get(), "the text", raised.text)) PyErr_Clear();
  if (!raised.code) raised.text = AttrText(type, "__name__") + ": " + raised.text;
  return raised;
}

}  // namespace tagflow::python
