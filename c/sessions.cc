#include "c/handles.h"
#include "optimized/executor_names.h"

namespace tagflow::c {
namespace {

Result<optimized::SessionOptions> SessionOptionsOf(const tagflow_session_options& given,
                                                   const Model& model) {
  optimized::SessionOptions options;
  options.threads = given.threads;
  options.devices = Texts(given.devices, given.num_devices);
  options.spread.soft = given.soft_placement != 0;
  TAGFLOW_ASSIGN_OR_RETURN(
      const optimized::ExecutorWay way,
      optimized::ExecutorOfName(given.executor == nullptr ? "auto" : given.executor));
  options.executor = way.executor;
  options.native = way.native;
  TAGFLOW_ASSIGN_OR_RETURN(options.passes,
                           Passes::Parse(given.passes == nullptr ? "none" : given.passes));
  if (model.library != nullptr) options.kernels = &model.library->kernels;
  return options;
}

// The steps that make a model's variables and tables ready.
Status RunInit(const Opened& opened) {
  for (const ModelInit& init : opened.model->graph.init) {
    TAGFLOW_RETURN_IF_ERROR(opened.session->Run(init.feeds, {}, {init.target}).status());
  }
  return Status();
}

}  // namespace
}  // namespace tagflow::c

using tagflow::Result;
using tagflow::Status;
using tagflow::Tensor;
using tagflow::c::Guard;
using tagflow::c::Texts;

tagflow_error* tagflow_session_open(const tagflow_graph* graph,
                                    const tagflow_session_options* options,
                                    tagflow_session** session) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto all,
                             tagflow::c::Options(options, "tagflow_session_options"));
    auto opened = std::make_shared<tagflow::c::Opened>();
    opened->model = graph->model;
    TAGFLOW_ASSIGN_OR_RETURN(const auto chosen, tagflow::c::SessionOptionsOf(all, *opened->model));
    TAGFLOW_ASSIGN_OR_RETURN(opened->session, tagflow::optimized::Session::Create(
                                                  opened->model->graph.graph.Clone(), chosen));
    TAGFLOW_RETURN_IF_ERROR(tagflow::c::RunInit(*opened));
    *session = new tagflow_session{std::move(opened)};
    return Status();
  });
}

void tagflow_session_free(tagflow_session* session) { delete session; }

tagflow_error* tagflow_session_prepare(tagflow_session* session, const tagflow_call_names* names,
                                       tagflow_call** call) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto all, tagflow::c::Options(names, "tagflow_call_names"));
    auto made = std::make_unique<tagflow_call>();
    made->opened = session->opened;
    made->feeds = all.num_feeds;
    TAGFLOW_ASSIGN_OR_RETURN(
        made->callable, made->opened->session->MakeCallable(Texts(all.feeds, all.num_feeds),
                                                            Texts(all.fetches, all.num_fetches),
                                                            Texts(all.targets, all.num_targets)));
    *call = made.release();
    return Status();
  });
}

void tagflow_call_free(tagflow_call* call) { delete call; }

const char* tagflow_call_about(const tagflow_call* call) { return call->callable->about().c_str(); }

tagflow_error* tagflow_call_run(const tagflow_call* call, const tagflow_tensor* const* feeds,
                                const tagflow_run_options* options, tagflow_tensor** results) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto all, tagflow::c::Options(options, "tagflow_run_options"));
    tagflow::optimized::RunOptions run;
    run.deadline_s = all.timeout_s;
    run.max_firings = all.max_firings;
    if (all.canceller != nullptr) run.canceller = &all.canceller->canceller;
    std::vector<Tensor> values;
    for (size_t i = 0; i < call->feeds; ++i) values.push_back(feeds[i]->tensor);
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> fetched,
                             call->callable->Run(std::move(values), run));
    // All handles before any is given out: where one cannot be made, the caller has none.
    std::vector<std::unique_ptr<tagflow_tensor>> handles;
    for (Tensor& value : fetched) {
      handles.push_back(std::make_unique<tagflow_tensor>(std::move(value)));
    }
    for (size_t i = 0; i < handles.size(); ++i) results[i] = handles[i].release();
    return Status();
  });
}

tagflow_error* tagflow_canceller_new(tagflow_canceller** canceller) {
  return Guard([&] {
    *canceller = new tagflow_canceller;
    return Status();
  });
}
void tagflow_canceller_free(tagflow_canceller* canceller) { delete canceller; }
void tagflow_canceller_cancel(tagflow_canceller* canceller) { canceller->canceller.Cancel(); }
void tagflow_canceller_reset(tagflow_canceller* canceller) { canceller->canceller.Reset(); }
