// Tested by session_test.py.

#include "python/core/session_object.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimized/executor_names.h"
#include "python/core/errors.h"
#include "python/core/feeds.h"
#include "python/core/open_session.h"
#include "python/core/results.h"

namespace tagflow::python {
namespace {

PyTypeObject* session_type = nullptr;
PyTypeObject* callable_type = nullptr;

using SharedSession = std::shared_ptr<OpenSession>;

// What a call takes and gives.
struct CallNames {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
};

struct ReadyCall {
  SharedSession session;
  const optimized::Callable* call = nullptr;  // the session's
  std::vector<FeedSlot> feeds;
  bool gives_one = false;  // a value, where others give a list
};

bool ReadNames(PyObject* feeds, PyObject* fetches, PyObject* targets, CallNames& names) {
  return ReadTexts(feeds, "feeds", names.feeds) && ReadTexts(fetches, "fetches", names.fetches) &&
         ReadTexts(targets, "targets", names.targets);
}

// Nothing, with an exception, where it cannot be made ready.
std::optional<ReadyCall> Prepare(const SharedSession& session, const CallNames& names) {
  const Result<std::shared_ptr<optimized::Session>> in_use = session->Use();
  if (!in_use.ok()) {
    Raise(in_use.status());
    return std::nullopt;
  }
  const Result<const optimized::Callable*> call = [&] {
    const WithoutGil without;
    return (*in_use)->MakeCallable(names.feeds, names.fetches, names.targets);
  }();
  if (!call.ok()) {
    Raise(call.status());
    return std::nullopt;
  }
  return ReadyCall{session, *call, SlotsOf((*in_use)->graph(), names.feeds)};
}

PyObject* ResultsOf(std::vector<Tensor> values, bool gives_one) {
  if (gives_one) return ObjectFromTensor(std::move(values[0]));
  Ref list(PyList_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; list && i < values.size(); ++i) {
    PyObject* const value = ObjectFromTensor(std::move(values[i]));
    if (value == nullptr || PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), value) != 0) {
      return nullptr;
    }
  }
  return list.release();
}

// ---- Callable ----

PyObject* Call(PyObject* self, PyObject* args, PyObject* keywords) {
  return OrRaise([&]() -> PyObject* {
    const ReadyCall& call = Unbox<ReadyCall>(self);
    const Py_ssize_t count = PyTuple_Size(args);
    if (keywords != nullptr && PyDict_Size(keywords) != 0) {
      PyErr_SetString(PyExc_TypeError, "feeds are given by position, in the order of .feeds");
      return nullptr;
    }
    if (static_cast<size_t>(count) != call.feeds.size()) {
      PyErr_Format(PyExc_TypeError, "the call takes %zu feeds, and %zd are given",
                   call.feeds.size(), count);
      return nullptr;
    }
    std::vector<Tensor> feeds;
    feeds.reserve(call.feeds.size());
    for (size_t i = 0; i < call.feeds.size(); ++i) {
      PyObject* const value = PyTuple_GetItem(args, static_cast<Py_ssize_t>(i));
      std::optional<Tensor> feed = TensorFromObject(value, call.feeds[i]);
      if (!feed) return nullptr;
      feeds.push_back(*std::move(feed));
    }
    std::optional<std::vector<Tensor>> values =
        RunStep(*call.session, *call.call, std::move(feeds));
    return values ? ResultsOf(*std::move(values), call.gives_one) : nullptr;
  });
}

PyObject* About(PyObject* self, PyObject*) {
  return TextObject(Unbox<ReadyCall>(self).call->about());
}

PyMethodDef callable_methods[] = {
    {"about", &About, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

// ---- Session ----

//   (feeds, fetches, targets, gives_one) -> Callable
PyObject* MakeCallable(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    PyObject *feeds, *fetches, *targets;
    int gives_one;
    CallNames names;
    if (!PyArg_ParseTuple(args, "OOOp", &feeds, &fetches, &targets, &gives_one) ||
        !ReadNames(feeds, fetches, targets, names)) {
      return nullptr;
    }
    std::optional<ReadyCall> call = Prepare(Unbox<SharedSession>(self), names);
    if (!call) return nullptr;
    call->gives_one = gives_one != 0 && names.fetches.size() == 1;
    return Box(callable_type, *std::move(call));
  });
}

//   (feeds, values, fetches, targets, timeout, max_firings) -> list
PyObject* Run(PyObject* self, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    PyObject *feeds, *values, *fetches, *targets;
    optimized::RunOptions options;
    long long max_firings;
    CallNames names;
    if (!PyArg_ParseTuple(args, "OOOOdL", &feeds, &values, &fetches, &targets, &options.deadline_s,
                          &max_firings) ||
        !ReadNames(feeds, fetches, targets, names)) {
      return nullptr;
    }
    options.max_firings = max_firings;
    const std::optional<ReadyCall> call = Prepare(Unbox<SharedSession>(self), names);
    const Ref objects(call ? PySequence_List(values) : nullptr);
    if (!objects) return nullptr;
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < call->feeds.size(); ++i) {
      PyObject* const value = PyList_GetItem(objects.get(), static_cast<Py_ssize_t>(i));
      std::optional<Tensor> tensor =
          value == nullptr ? std::nullopt : TensorFromObject(value, call->feeds[i]);
      if (!tensor) return nullptr;
      tensors.push_back(*std::move(tensor));
    }
    std::optional<std::vector<Tensor>> results =
        RunStep(*call->session, *call->call, std::move(tensors), options);
    return results ? ResultsOf(*std::move(results), false) : nullptr;
  });
}

PyObject* Close(PyObject* self, PyObject*) {
  Unbox<SharedSession>(self)->Close();
  Py_RETURN_NONE;
}

PyMethodDef session_methods[] = {
    {"make_callable", &MakeCallable, METH_VARARGS, nullptr},
    {"run", &Run, METH_VARARGS, nullptr},
    {"close", &Close, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

// The steps that make a model's variables and tables ready.
bool RunInit(OpenSession& session) {
  for (const ModelInit& init : session.model().init) {
    const Result<std::shared_ptr<optimized::Session>> in_use = session.Use();
    std::vector<std::string> names;
    std::vector<Tensor> feeds;
    for (const auto& [name, value] : init.feeds) {
      names.push_back(name);
      feeds.push_back(value);
    }
    const Result<const optimized::Callable*> call =
        (*in_use)->MakeCallable(names, {}, {init.target});
    if (!call.ok()) return Raise(call.status()) != nullptr;
    if (!RunStep(session, **call, std::move(feeds))) return false;
  }
  return true;
}

Result<optimized::SessionOptions> OptionsOf(const std::string& executor,
                                            const std::string& passes) {
  optimized::SessionOptions options;
  TAGFLOW_ASSIGN_OR_RETURN(const optimized::ExecutorWay way, optimized::ExecutorOfName(executor));
  options.executor = way.executor;
  options.native = way.native;
  TAGFLOW_ASSIGN_OR_RETURN(options.passes, Passes::Parse(passes));
  return options;
}

}  // namespace

PyTypeObject* MakeSessionType() {
  session_type =
      MakeType<SharedSession>("tagflow._core.Session", {{Py_tp_methods, session_methods}});
  return session_type;
}

PyTypeObject* MakeCallableType() {
  callable_type = MakeType<ReadyCall>(
      "tagflow._core.Callable",
      {{Py_tp_call, reinterpret_cast<void*>(&Call)}, {Py_tp_methods, callable_methods}});
  return callable_type;
}

//   (graph, threads, devices, soft_placement, executor, passes) -> Session
PyObject* OpenSessionOf(PyObject*, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    PyObject *graph, *devices;
    int threads, soft;
    const char *executor, *passes;
    if (!PyArg_ParseTuple(args, "OiOpss", &graph, &threads, &devices, &soft, &executor, &passes)) {
      return nullptr;
    }
    const SharedModel* const model = ModelIn(graph);
    if (model == nullptr) return nullptr;
    Result<optimized::SessionOptions> options = OptionsOf(executor, passes);
    if (!options.ok()) return Raise(options.status());
    options->threads = threads;
    options->spread.soft = soft != 0;
    if ((*model)->ops != nullptr) options->kernels = &(*model)->ops->kernels();
    if (!ReadTexts(devices, "devices", options->devices)) return nullptr;
    Result<std::unique_ptr<optimized::Session>> session = [&] {
      const WithoutGil without;
      return optimized::Session::Create((*model)->graph.Clone(), *options);
    }();
    if (!session.ok()) return Raise(session.status());
    auto open = std::make_shared<OpenSession>(*model, *std::move(session));
    return RunInit(*open) ? Box(session_type, SharedSession(std::move(open))) : nullptr;
  });
}

}  // namespace tagflow::python
