#ifndef TAGFLOW_GRAPH_SAVED_MERGE_BUNDLES_H_
#define TAGFLOW_GRAPH_SAVED_MERGE_BUNDLES_H_

// One checkpoint of several, each of which a machine has written.
//
// Tested by bundle_writer_test.cc.

#include <string>
#include <vector>

#include "graph/status.h"

namespace tagflow {

struct MergeOptions {
  bool allows_missing = false;   // prefixes without a checkpoint
  bool deletes_folders = false;  // those that are empty afterwards
};

// Makes one checkpoint of several, whose files it takes. Before everything is known to fit nothing
// is touched.
//   Errors: INVALID_ARGUMENT for a tensor that two of them have, and where there is none of them;
//   as BundleIndex::Read and NewFile's
Status MergeBundles(const std::vector<std::string>& prefixes, const std::string& destination,
                    const MergeOptions& options);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_MERGE_BUNDLES_H_
