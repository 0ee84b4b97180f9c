// Tested by testing_test.py.

#include "python/core/servant_object.h"

#include <unistd.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/engine.pb.h"
#include "conformance/servant.h"
#include "conformance/serve.h"
#include "graph/io/import.h"
#include "graph/io/tensor_proto.h"
#include "python/core/errors.h"
#include "python/core/feeds.h"
#include "python/core/graph_object.h"
#include "python/core/results.h"

namespace tagflow::python {
namespace {

namespace proto = ::tagflow::conformance;

// Takes the exception that is set. One of tagflow.errors has its code; NotImplementedError is what
// the engine lacks; any other exception is UNKNOWN.
Status TakeException() {
  const Raised raised = TakeRaised();
  if (raised.code) return Status(*raised.code, raised.text);
  const bool lacks = PyErr_GivenExceptionMatches(raised.exception.get(), PyExc_NotImplementedError);
  return Status(lacks ? Code::kUnimplemented : Code::kUnknown, raised.text);
}

// engine(graph) gives a function of a step: run(feeds, fetches, targets) -> values.
class PythonServant : public proto::Servant {
 public:
  PythonServant(PyObject* engine, std::string name) : engine_(engine), name_(std::move(name)) {}
  ~PythonServant() override { CloseGraph(); }

  proto::Hello Introduce() const override {
    proto::Hello hello;
    hello.set_name(name_);
    hello.set_version("1");
    hello.set_protocol(1);
    hello.add_capabilities("stateful");
    return hello;
  }

  proto::Response LoadGraph(const proto::Load& load) override {
    const WithGil gil;
    run_ = Ref();
    Result<Graph> graph = ImportGraph(load.graph());
    if (!graph.ok()) return proto::ErrorResponse(graph.status());
    SavedModelGraph model;
    model.graph = *std::move(graph);
    const Ref object(BoxModel(std::move(model)));
    run_ = Ref(object ? PyObject_CallFunctionObjArgs(engine_, object.get(), nullptr) : nullptr);
    if (!run_) return proto::ErrorResponse(TakeException());
    proto::Response response;
    response.mutable_loaded();
    return response;
  }

  proto::Response RunStep(const proto::Run& run, const std::function<bool()>&) override {
    const WithGil gil;
    proto::Response response;
    const Status status = Step(run, *response.mutable_values());
    return status.ok() ? response : proto::ErrorResponse(status);
  }

  void CloseGraph() override {
    const WithGil gil;
    run_ = Ref();
  }

 private:
  Status Step(const proto::Run& run, proto::Values& values) const {
    if (!run_) return FailedPrecondition("no graph is loaded");
    const Ref feeds(PyDict_New());
    for (const auto& feed : run.feeds()) {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(feed.value()));
      const Ref value(ObjectFromTensor(std::move(tensor)));
      const Ref name(TextObject(feed.name()));
      if (!feeds || !value || PyDict_SetItem(feeds.get(), name.get(), value.get()) != 0) {
        return TakeException();
      }
    }
    const Ref fetches(ListOfTexts({run.fetches().begin(), run.fetches().end()}));
    const Ref targets(ListOfTexts({run.targets().begin(), run.targets().end()}));
    if (!fetches || !targets) return TakeException();
    const Ref given(PyObject_CallFunctionObjArgs(run_.get(), feeds.get(), fetches.get(),
                                                 targets.get(), nullptr));
    const Ref list(given ? PySequence_List(given.get()) : nullptr);
    if (!list) return TakeException();
    for (Py_ssize_t i = 0; i < PyList_Size(list.get()); ++i) {
      const std::optional<Tensor> tensor =
          TensorFromObject(PyList_GetItem(list.get(), i), {"result " + std::to_string(i)});
      if (!tensor) return TakeException();
      TAGFLOW_RETURN_IF_ERROR(TensorToProto(*tensor, TensorForm::kCompact, *values.add_values()));
    }
    return Status();
  }

  PyObject* const engine_;  // the caller's
  const std::string name_;
  Ref run_;  // of the graph that is loaded
};

}  // namespace

//   (engine, name) -> None, when standard input ends
PyObject* ServeEngine(PyObject*, PyObject* args) {
  return OrRaise([&]() -> PyObject* {
    PyObject* engine;
    const char* name;
    if (!PyArg_ParseTuple(args, "Os", &engine, &name)) return nullptr;
    const Status status = [&] {
      const WithoutGil without;
      PythonServant servant(engine, name);
      return proto::Serve(servant, STDIN_FILENO, proto::ClaimStandardOutput());
    }();
    if (!status.ok()) return Raise(status);
    Py_RETURN_NONE;
  });
}

}  // namespace tagflow::python
