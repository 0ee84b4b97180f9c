// Branches and loops of graphs under construction, with Python functions for branches and bodies:
// these are called with a Scope and lists of Outputs, and return a list of Outputs.
// Tested by build_test.py.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/builder/builder.h"
#include "python/core/attrs.h"
#include "python/core/errors.h"
#include "python/core/scope_object.h"

namespace tagflow::python {
namespace {

// Calls `function`(scope, *lists). The first Python exception stays set, and nothing more is called
// then: the builder is told that building failed, and comes to its end.
OutputList CallPython(PyObject* function, const Scope& scope,
                      const std::vector<OutputList>& lists) {
  const auto fail = [&] {
    scope.Fail(Status(Code::kUnknown, "a function of the graph's maker raised an exception"));
    return OutputList();
  };
  if (PyErr_Occurred()) return fail();
  Ref args(PyTuple_New(static_cast<Py_ssize_t>(lists.size() + 1)));
  Ref scope_object(args ? BoxScope(scope) : nullptr);
  if (!scope_object || PyTuple_SetItem(args.get(), 0, scope_object.release()) != 0) return fail();
  for (size_t i = 0; i < lists.size(); ++i) {
    PyObject* const list = ListOfOutputs(lists[i]);
    if (list == nullptr || PyTuple_SetItem(args.get(), static_cast<Py_ssize_t>(i + 1), list) != 0) {
      return fail();
    }
  }
  const Ref result(PyObject_CallObject(function, args.get()));
  OutputList outputs;
  if (!result || !ReadOutputs(result.get(), "what the function returns", outputs)) return fail();
  return outputs;
}

// The functions live in the caller's arguments, and are called before it returns.
BranchFunction Branch(PyObject* function) {
  if (function == Py_None) return nullptr;
  return [function](const Scope& scope) { return CallPython(function, scope, {}); };
}

FoldFunction Fold(PyObject* function) {
  return [function](const Scope& scope, const OutputList& accumulators, const OutputList& row) {
    return CallPython(function, scope, {accumulators, row});
  };
}

PyObject* Finished(const Scope& scope, const OutputList& outputs) {
  return CheckScope(scope) ? ListOfOutputs(outputs) : nullptr;
}

bool ReadShapes(PyObject* object, std::vector<PartialShape>& shapes) {
  const Ref items(PySequence_List(object));
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
    std::optional<PartialShape> shape = ShapeFromObject(PyList_GetItem(items.get(), i));
    if (!shape) return false;
    shapes.push_back(*std::move(shape));
  }
  return true;
}

// The bound of a loop: None, a number or a tensor.
bool ReadBound(PyObject* object, Input& bound) {
  if (object == Py_None) return true;
  if (!PyLong_Check(object)) {
    const Output* const output = OutputIn(object, "maximum_iterations");
    if (output != nullptr) bound = Input(*output);
    return output != nullptr;
  }
  const long long number = PyLong_AsLongLong(object);
  if (number == -1 && PyErr_Occurred()) return false;
  bound = Input(static_cast<int64_t>(number));
  return true;
}

}  // namespace

//   (pred, then, else, name) -> list of Output
PyObject* BuildCond(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    const Scope& scope = Unbox<Scope>(self);
    PyObject *pred, *then_branch, *else_branch;
    const char* name = nullptr;
    if (!PyArg_ParseTuple(args, "OOOs", &pred, &then_branch, &else_branch, &name)) return nullptr;
    const Output* const condition = OutputIn(pred, "the predicate");
    if (condition == nullptr) return nullptr;
    return Finished(
        scope, Cond(scope, *condition, Branch(then_branch), Branch(else_branch), name).outputs());
  });
}

//   (index, branches, default or None, name) -> list of Output
PyObject* BuildSwitchCase(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    const Scope& scope = Unbox<Scope>(self);
    PyObject *index_object, *list, *default_branch;
    const char* name = nullptr;
    if (!PyArg_ParseTuple(args, "OO!Os", &index_object, &PyList_Type, &list, &default_branch,
                          &name)) {
      return nullptr;
    }
    const Output* const index = OutputIn(index_object, "the index");
    if (index == nullptr) return nullptr;
    std::vector<BranchFunction> branches;
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
      branches.push_back(Branch(PyList_GetItem(list, i)));
    }
    return Finished(scope,
                    SwitchCase(scope, *index, branches, Branch(default_branch), name).outputs());
  });
}

//   (variables, predicate, body, name, parallel_iterations, maximum_iterations, shape_invariants)
//   -> list of Output
PyObject* BuildWhileLoop(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    const Scope& scope = Unbox<Scope>(self);
    PyObject *variables, *predicate, *body, *bound, *shapes;
    const char* name = nullptr;
    long long parallel = 0;
    if (!PyArg_ParseTuple(args, "OOOsLOO", &variables, &predicate, &body, &name, &parallel, &bound,
                          &shapes)) {
      return nullptr;
    }
    OutputList initial;
    WhileOptions options;
    options.name = name;
    options.parallel_iterations = parallel;
    if (!ReadOutputs(variables, "loop variables", initial) ||
        !ReadBound(bound, options.maximum_iterations) ||
        !ReadShapes(shapes, options.shape_invariants)) {
      return nullptr;
    }
    const auto goes_on = [&](const Scope& inner, const OutputList& now) -> Output {
      const OutputList answer = CallPython(predicate, inner, {now});
      return answer.empty() ? Output() : answer[0];
    };
    const auto next = [&](const Scope& inner, const OutputList& now) {
      return CallPython(body, inner, {now});
    };
    return Finished(scope, WhileLoop(scope, initial, goes_on, next, options));
  });
}

//   (function, elements, name, parallel_iterations) -> list of Output
PyObject* BuildMap(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    const Scope& scope = Unbox<Scope>(self);
    PyObject *function, *element_list;
    const char* name = nullptr;
    MapOptions options;
    long long parallel = 0;
    OutputList elements;
    if (!PyArg_ParseTuple(args, "OOsL", &function, &element_list, &name, &parallel) ||
        !ReadOutputs(element_list, "elements", elements)) {
      return nullptr;
    }
    options.name = name;
    options.parallel_iterations = parallel;
    const auto map = [&](const Scope& inner, const OutputList& row) {
      return CallPython(function, inner, {row});
    };
    return Finished(scope, Map(scope, map, elements, options));
  });
}

namespace {

struct FoldArgs {
  PyObject* function = nullptr;
  OutputList elements;
  OutputList initial;
  MapOptions options;
  bool reverse = false;
};

//   (function, elements, initial, name, parallel_iterations, reverse)
std::optional<FoldArgs> ReadFoldArgs(PyObject* args) {
  FoldArgs read;
  PyObject *elements, *initial;
  const char* name = nullptr;
  long long parallel = 0;
  int reverse = 0;
  if (!PyArg_ParseTuple(args, "OOOsLp", &read.function, &elements, &initial, &name, &parallel,
                        &reverse) ||
      !ReadOutputs(elements, "elements", read.elements) ||
      !ReadOutputs(initial, "initial values", read.initial)) {
    return std::nullopt;
  }
  read.options.name = name;
  read.options.parallel_iterations = parallel;
  read.reverse = reverse != 0;
  return read;
}

}  // namespace

PyObject* BuildScan(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    const Scope& scope = Unbox<Scope>(self);
    std::optional<FoldArgs> fold = ReadFoldArgs(args);
    if (!fold) return nullptr;
    fold->options.reverse = fold->reverse;
    return Finished(
        scope, Scan(scope, Fold(fold->function), fold->elements, fold->initial, fold->options));
  });
}

PyObject* BuildFold(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    const Scope& scope = Unbox<Scope>(self);
    const std::optional<FoldArgs> fold = ReadFoldArgs(args);
    if (!fold) return nullptr;
    const auto build = fold->reverse ? &FoldR : &FoldL;
    return Finished(
        scope, build(scope, Fold(fold->function), fold->elements, fold->initial, fold->options));
  });
}

}  // namespace tagflow::python
