#ifndef TAGFLOW_GRAPH_SAVED_TENSOR_BUNDLE_H_
#define TAGFLOW_GRAPH_SAVED_TENSOR_BUNDLE_H_

// A checkpoint as TensorFlow writes it since its version 2 format: PREFIX.index, a sorted table of
// what there is, and PREFIX.data-00000-of-00001, …, the bytes of the tensors. Or one of the first
// format: the file PREFIX, a table of it all.
//
// What the index says is held to the files before memory is taken, and every tensor to its
// checksum. Thread safety: const access from any thread. Tested by tensor_bundle_test.cc.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/saved/sorted_table.h"
#include "graph/saved/tensor_slice.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

class BundleEntryProto;
class SavedSliceMeta;

class TensorBundle {
 public:
  struct Entry {
    DType dtype = DType::kInvalid;  // kInvalid: one that is none of ours
    Dims dims;
    int32_t shard = 0;
    int64_t offset = 0;
    int64_t bytes = 0;
    uint32_t sum = 0;                 // masked
    std::vector<TensorSlice> pieces;  // of a variable that was saved in several
    std::string key;                  // in the table, of a checkpoint of the first format
  };

  // prefix: the path of the files, without ".index"
  //   Errors: NOT_FOUND naming the file; DATA_LOSS for an index that is none; UNIMPLEMENTED for one
  //   of another byte order
  static Result<std::unique_ptr<TensorBundle>> Open(const std::string& prefix);

  const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }
  // A tensor, or the block of it that shape_and_slice says ("4 3 0,2:-").
  //   Errors: NOT_FOUND for one that is not there; DATA_LOSS for bytes that are missing, or have
  //   another checksum; UNIMPLEMENTED for a dtype that is none of ours; RESOURCE_EXHAUSTED;
  //   INVALID_ARGUMENT for another shape, and where pieces of it are missing; INTERNAL, as in
  //   TensorFlow, for pieces that overlap; as ParseShapeAndSlice
  Result<Tensor> Read(std::string_view name, const std::string& shape_and_slice = "") const;

 private:
  explicit TensorBundle(std::string prefix) : prefix_(std::move(prefix)) {}
  using Entries = std::map<std::string, Entry, std::less<>>;

  static Result<std::unique_ptr<TensorBundle>> OpenOld(const std::string& path);
  Status AddEntry(const std::string& key, const BundleEntryProto& from);
  Status AddOld(const SavedSliceMeta& from);
  // That its bytes are there.
  Status CheckFile(const Entry& entry) const;
  Result<Tensor> ReadWhole(const Entry& entry) const;
  struct Piece {
    TensorSlice slice;  // every length is said
    const Entry* entry;
  };
  // The pieces that have elements of a block, whose bytes are there; of a tensor that was saved
  // whole one.
  Result<std::vector<Piece>> PiecesOf(std::string_view name, const Entry& entry,
                                      const TensorSlice& block) const;
  Result<Tensor> ReadBlock(std::string_view name, const Entry& entry,
                           const TensorSlice& wanted) const;

  const std::string prefix_;
  int32_t num_shards_ = 0;
  Entries entries_;
  Entries pieces_;                      // by SliceKey
  std::unique_ptr<SortedTable> table_;  // of the first format; else null
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_TENSOR_BUNDLE_H_
