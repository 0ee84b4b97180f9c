// Tested by trace_test.py.

#include "python/core/trace_object.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "python/core/errors.h"
#include "python/core/feeds.h"
#include "python/core/graph_object.h"
#include "python/core/results.h"
#include "reference/session.h"
#include "reference/tape/function_gradient.h"

namespace tagflow::python {
namespace {

// What a step did. Values are held as tensors until it is over: it runs without the GIL.
struct Recording {
  std::unique_ptr<reference::Session> session;  // whose nodes the events point to
  std::vector<reference::TraceEvent> events;
  size_t limit = 0;
  int64_t firings = 0;

  void Add(const reference::TraceEvent& event) {
    ++firings;
    if (events.size() < limit) events.push_back(event);
  }
};

struct TraceRequest {
  SharedModel model;
  reference::NamedTensors feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  reference::RunOptions options;
  size_t limit = 0;
};

bool ReadFeeds(const Graph& graph, PyObject* names_object, PyObject* values_object,
               reference::NamedTensors& feeds) {
  std::vector<std::string> names;
  const Ref values(PySequence_List(values_object));
  if (!values || !ReadTexts(names_object, "feeds", names)) return false;
  const std::vector<FeedSlot> slots = SlotsOf(graph, names);
  for (size_t i = 0; i < names.size(); ++i) {
    PyObject* const value = PyList_GetItem(values.get(), static_cast<Py_ssize_t>(i));
    std::optional<Tensor> tensor =
        value == nullptr ? std::nullopt : TensorFromObject(value, slots[i]);
    if (!tensor) return false;
    feeds.emplace_back(names[i], *std::move(tensor));
  }
  return true;
}

std::optional<TraceRequest> ReadRequest(PyObject* args) {
  PyObject *graph, *names, *values, *fetches, *targets;
  long long limit, max_firings;
  unsigned long long seed;
  TraceRequest request;
  if (!PyArg_ParseTuple(args, "OOOOOLLKd", &graph, &names, &values, &fetches, &targets, &limit,
                        &max_firings, &seed, &request.options.deadline_s)) {
    return std::nullopt;
  }
  const SharedModel* const model = ModelIn(graph);
  if (model == nullptr || !ReadFeeds((*model)->graph, names, values, request.feeds) ||
      !ReadTexts(fetches, "fetches", request.fetches) ||
      !ReadTexts(targets, "targets", request.targets)) {
    return std::nullopt;
  }
  request.model = *model;
  request.limit = limit < 0 ? 0 : static_cast<size_t>(limit);
  request.options.max_firings = max_firings;
  request.options.seed = seed;
  return request;
}

// Variables are made ready first, as a session does it.
Result<std::vector<Tensor>> Run(const TraceRequest& request, Recording& recording) {
  reference::SessionOptions options;
  options.any_device = true;
  options.differentiate = reference::GradientOfFunction;
  if (request.model->ops != nullptr) options.kernels = &request.model->ops->reference_kernels();
  TAGFLOW_ASSIGN_OR_RETURN(recording.session,
                           reference::Session::Create(request.model->graph.Clone(), options));
  reference::Session* const session = recording.session.get();
  for (const ModelInit& init : request.model->init) {
    TAGFLOW_RETURN_IF_ERROR(session->Run(init.feeds, {}, {init.target}).status());
  }
  reference::RunOptions run = request.options;
  run.trace = [&](const reference::TraceEvent& event) { recording.Add(event); };
  return session->Run(request.feeds, request.fetches, request.targets, run);
}

// ---- As Python objects ----

//   (dead, value or None, name of the variable that it refers to or "")
PyObject* OutputObject(const reference::TraceEvent::Output& output) {
  const bool has_value = output.value.has_value();
  const Ref value(has_value ? ObjectFromTensor(output.value) : Ref::To(Py_None).release());
  const Ref reference(TextObject(output.reference));
  if (!value || !reference) return nullptr;
  return PyTuple_Pack(3, output.dead ? Py_True : Py_False, value.get(), reference.get());
}

//   (firing, node, op, tag, dead, firings of inputs, outputs)
PyObject* EventObject(const reference::TraceEvent& event) {
  Ref inputs(PyList_New(0));
  Ref outputs(PyList_New(0));
  if (!inputs || !outputs) return nullptr;
  for (const int64_t input : event.inputs) {
    const Ref number(PyLong_FromLongLong(input));
    if (!number || PyList_Append(inputs.get(), number.get()) != 0) return nullptr;
  }
  for (const reference::TraceEvent::Output& output : event.outputs) {
    const Ref object(OutputObject(output));
    if (!object || PyList_Append(outputs.get(), object.get()) != 0) return nullptr;
  }
  const Ref firing(PyLong_FromLongLong(event.firing));
  const Ref node(TextObject(event.node->name));
  const Ref op(TextObject(event.node->op));
  const Ref tag(TextObject(event.tag));
  if (!firing || !node || !op || !tag) return nullptr;
  return PyTuple_Pack(7, firing.get(), node.get(), op.get(), tag.get(),
                      event.dead ? Py_True : Py_False, inputs.get(), outputs.get());
}

// The exception of a status, as an object; None for OK.
PyObject* ErrorObject(const Status& status, const SharedOps& ops) {
  if (status.ok()) return Ref::To(Py_None).release();
  Raise(status, ops == nullptr ? Ref() : ops->TakeCause(status));
  return TakeRaised().exception.release();
}

PyObject* ValuesObject(std::vector<Tensor> values) {
  Ref list(PyList_New(0));
  for (Tensor& value : values) {
    const Ref object(ObjectFromTensor(std::move(value)));
    if (!list || !object || PyList_Append(list.get(), object.get()) != 0) return nullptr;
  }
  return list.release();
}

}  // namespace

PyObject* TraceStep(PyObject*, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    const std::optional<TraceRequest> request = ReadRequest(args);
    if (!request) return nullptr;
    Recording recording;
    recording.limit = request->limit;
    Result<std::vector<Tensor>> values = [&] {
      const WithoutGil without;
      return Run(*request, recording);
    }();
    Ref events(PyList_New(0));
    for (const reference::TraceEvent& event : recording.events) {
      const Ref object(EventObject(event));
      if (!events || !object || PyList_Append(events.get(), object.get()) != 0) return nullptr;
    }
    const Ref error(ErrorObject(values.status(), request->model->ops));
    const Ref results(ValuesObject(values.ok() ? *std::move(values) : std::vector<Tensor>()));
    const Ref firings(PyLong_FromLongLong(recording.firings));
    if (!error || !results || !firings) return nullptr;
    return PyTuple_Pack(4, events.get(), firings.get(), results.get(), error.get());
  });
}

}  // namespace tagflow::python
