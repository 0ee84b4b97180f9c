// Tested by errors_test.py.

#include "python/core/errors.h"

namespace tagflow::python {
namespace {

PyObject*& Maker() {
  static PyObject* maker = nullptr;
  return maker;
}

}  // namespace

void SetErrorMaker(Ref maker) {
  const Ref before(Maker());
  Maker() = maker.release();
}

PyObject* Raise(const Status& status) {
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
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  return nullptr;
}

}  // namespace tagflow::python
