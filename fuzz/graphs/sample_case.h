#ifndef TAGFLOW_FUZZ_GRAPHS_SAMPLE_CASE_H_
#define TAGFLOW_FUZZ_GRAPHS_SAMPLE_CASE_H_

// A sample as a conformance case, to be saved and replayed on any engine.

#include <string>
#include <vector>

#include "conformance/case.pb.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

// The sample as a case that holds the graph, the calls, and the expected error; the values to
// expect are filled in by whoever knows them.
//   Errors: those of ExportGraph.
Result<conformance::Case> ToCase(const GraphSample& sample, const std::string& name,
                                 const std::string& about);
// With these calls in place of the sample's runs.
Result<conformance::Case> ToCase(const GraphSample& sample, const std::vector<GraphCall>& calls,
                                 const std::string& name, const std::string& about);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_SAMPLE_CASE_H_
