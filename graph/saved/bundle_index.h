#ifndef TAGFLOW_GRAPH_SAVED_BUNDLE_INDEX_H_
#define TAGFLOW_GRAPH_SAVED_BUNDLE_INDEX_H_

// The index of a checkpoint, PREFIX.index, as it is in the file: a sorted table, as LevelDB has
// them, from a tensor's name, or the key of a piece (tensor_slice.h), to where its bytes are.
//
// Tested by tensor_bundle_test.cc and bundle_writer_test.cc.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "graph/saved/new_file.h"
#include "graph/saved/saved_model.pb.h"
#include "graph/status.h"

namespace tagflow {

struct BundleIndex {
  int32_t num_shards = 0;
  std::map<std::string, BundleEntryProto, std::less<>> entries;

  //   Errors: NOT_FOUND naming the file; DATA_LOSS for what is no index; UNIMPLEMENTED for one of
  //   another byte order
  static Result<BundleIndex> Read(const std::string& prefix);
  // The file, which is there when it is committed.   Errors: as NewFile's
  Result<std::unique_ptr<NewFile>> Write(const std::string& prefix) const;
};

std::string IndexPath(const std::string& prefix);
// PREFIX.data-00003-of-00005
std::string DataPath(const std::string& prefix, int32_t shard, int32_t num_shards);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_BUNDLE_INDEX_H_
