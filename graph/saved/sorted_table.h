#ifndef TAGFLOW_GRAPH_SAVED_SORTED_TABLE_H_
#define TAGFLOW_GRAPH_SAVED_SORTED_TABLE_H_

// A file of keys and values, sorted by key, as LevelDB has them: the index of a checkpoint, or a
// whole checkpoint of TensorFlow's first format. Every block is held to its checksum.
//
// Thread safety: const access from any thread. Tested by tensor_bundle_test.cc.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "graph/status.h"

namespace tagflow {

class SortedTable {
 public:
  // Whether a file ends as such tables do.
  static bool IsOne(const std::string& path);
  //   Errors: NOT_FOUND naming the file; DATA_LOSS for what is no such table
  static Result<std::unique_ptr<SortedTable>> Open(const std::string& path);
  ~SortedTable();

  // In the order of keys, until one is refused.
  //   Errors: DATA_LOSS; those of `visit`, which are told of the file
  Status ForEach(
      const std::function<Status(std::string_view key, std::string_view value)>& visit) const;
  //   Errors: DATA_LOSS, for a key that is not there, too
  Result<std::string> Get(std::string_view key) const;

 private:
  struct Opened;
  SortedTable(std::string path, std::unique_ptr<Opened> opened);
  Status Broken(const std::string& why) const;

  const std::string path_;
  const std::unique_ptr<Opened> opened_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_SORTED_TABLE_H_
