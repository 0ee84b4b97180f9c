#include "fuzz/graphs/sample_case.h"

#include "graph/io/export.h"
#include "graph/io/tensor_proto.h"

namespace tagflow::fuzz {

Result<conformance::Case> ToCase(const GraphSample& sample, const std::string& name,
                                 const std::string& about) {
  return ToCase(sample, sample.Calls(sample.runs.size()), name, about);
}

Result<conformance::Case> ToCase(const GraphSample& sample, const std::vector<GraphCall>& calls,
                                 const std::string& name, const std::string& about) {
  conformance::Case made;
  made.set_name(name);
  made.set_about(about);
  TAGFLOW_ASSIGN_OR_RETURN(*made.mutable_graph(), ExportGraph(sample.graph, TensorForm::kReadable));
  for (const std::string& device : sample.devices) made.add_devices(device);
  for (const GraphCall& call : calls) {
    conformance::Step& step = *made.add_steps();
    for (const auto& [feed, value] : call.feeds) {
      conformance::NamedTensor& named = *step.add_feeds();
      named.set_name(feed);
      TAGFLOW_ASSIGN_OR_RETURN(*named.mutable_value(), TensorToProto(value, TensorForm::kReadable));
    }
    for (const std::string& fetch : call.fetches) step.add_fetches(fetch);
    for (const std::string& target : call.targets) step.add_targets(target);
    if (!sample.error) continue;
    step.mutable_error()->set_code(std::string(CodeName(sample.error->code)));
  }
  if (sample.error && !sample.error->rule.empty()) made.add_rules(sample.error->rule);
  return made;
}

}  // namespace tagflow::fuzz
