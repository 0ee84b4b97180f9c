#include "cli/show_native.h"

#include <utility>
#include <vector>

#include "cli/feeds.h"
#include "cli/model_call.h"
#include "optimized/session.h"

namespace tagflow::cli {

Result<std::string> NativeText(SavedModelGraph model, const Args& args, const OpLibrary& library) {
  TAGFLOW_ASSIGN_OR_RETURN(const ModelCall call, CallOf(model, args));
  std::vector<std::string> names;
  std::vector<Tensor> values;
  for (const std::string& word : call.feeds) {
    TAGFLOW_ASSIGN_OR_RETURN(auto feed, ParseFeed(model.graph, word));
    names.push_back(std::move(feed.first));
    values.push_back(std::move(feed.second));
  }
  optimized::SessionOptions options;
  options.native = {optimized::NativeChoice::kAlways};
  options.native.lists_loops = true;
  options.native.lists_ir = args.Has("--ir");
  options.kernels = library.kernels;
  TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                           optimized::Session::Create(std::move(model.graph), options));
  for (const ModelInit& init : model.init) {
    TAGFLOW_RETURN_IF_ERROR(session->Run(init.feeds, {}, {init.target}).status());
  }
  TAGFLOW_ASSIGN_OR_RETURN(const optimized::Callable* const step,
                           session->MakeCallable(names, call.fetches, args.All("--target")));
  TAGFLOW_RETURN_IF_ERROR(step->Run(std::move(values)).status());
  std::string text = "the call runs by " + step->about() + "\n";
  for (const std::string& note : step->Notes()) {
    text += note + (note.ends_with("\n") ? "" : "\n");
  }
  return text;
}

}  // namespace tagflow::cli
