#ifndef TAGFLOW_PYTHON_CORE_ATTRS_H_
#define TAGFLOW_PYTHON_CORE_ATTRS_H_

// Attrs and shapes of nodes as Python values.

#include <optional>

#include "graph/attr_value.h"
#include "graph/op_def.h"
#include "graph/partial_shape.h"
#include "python/core/object.h"

namespace tagflow::python {

// None: of unknown rank. An iterable of dimensions, None or -1 for one that is not known.
// Nothing, with an exception, for another object.
std::optional<PartialShape> ShapeFromObject(PyObject* object);
PyObject* ObjectFromShape(const PartialShape& shape);

// "float32" and the like, numpy's dtypes and types. kInvalid, with an exception, for another
// object.
DType DTypeFromObject(PyObject* object);

// The value of an attr: a number, a bool, a str, the name of a dtype as numpy has it, a tuple or
// None for a shape, a numpy value for a tensor, a list of such; of a function its name.
PyObject* ObjectFromAttr(const AttrValue& attr);

// What the attr `name` of `op` takes, or nothing, with an exception that names both. Of an attr
// that the op has not, whatever the object is by itself.
std::optional<AttrValue> AttrFromObject(PyObject* object, const OpDef* op, const std::string& name);

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_ATTRS_H_
