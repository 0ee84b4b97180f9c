#ifndef TAGFLOW_GRAPH_SAVED_TENSOR_BUNDLE_H_
#define TAGFLOW_GRAPH_SAVED_TENSOR_BUNDLE_H_

// A checkpoint as TensorFlow writes it since its version 2 format: PREFIX.index, a sorted table of
// what there is, and PREFIX.data-00000-of-00001, …, the bytes of the tensors.
//
// What the index says is held to the files before memory is taken, and every tensor to its
// checksum. Thread safety: const access from any thread. Tested by tensor_bundle_test.cc.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

class TensorBundle {
 public:
  struct Entry {
    DType dtype = DType::kInvalid;  // kInvalid: one that is none of ours
    Dims dims;
    int32_t shard = 0;
    int64_t offset = 0;
    int64_t bytes = 0;
    uint32_t sum = 0;           // masked
    bool is_in_pieces = false;  // of a variable that was saved in several
  };

  // prefix: the path of the files, without ".index"
  //   Errors: NOT_FOUND naming the file; DATA_LOSS for an index that is none; UNIMPLEMENTED for one
  //   of another byte order
  static Result<std::unique_ptr<TensorBundle>> Open(const std::string& prefix);

  const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }
  // A tensor, all of it.
  //   Errors: NOT_FOUND for one that is not there; DATA_LOSS for bytes that are missing, or have
  //   another checksum; UNIMPLEMENTED for a dtype that is none of ours, and for one in pieces;
  //   RESOURCE_EXHAUSTED
  Result<Tensor> Read(std::string_view name) const;

 private:
  TensorBundle(std::string prefix) : prefix_(std::move(prefix)) {}
  Status ReadIndex();
  Status AddEntry(std::string_view key, std::string_view value);
  std::string PathOf(int32_t shard) const;

  const std::string prefix_;
  int32_t num_shards_ = 0;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_TENSOR_BUNDLE_H_
