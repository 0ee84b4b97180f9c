#ifndef TAGFLOW_GRAPH_SAVED_BUNDLE_WRITER_H_
#define TAGFLOW_GRAPH_SAVED_BUNDLE_WRITER_H_

// Writes checkpoints that TensorFlow reads, and so does tensor_bundle.h. Both files of one are
// written under other names and renamed at the end, the index last: who opens a checkpoint finds an
// old one or the new one, and the checksums tell where the machine died between the two renames.
//
// Tested by bundle_writer_test.cc.

#include <memory>
#include <string>
#include <string_view>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

struct BundleIndex;
class NewFile;

class BundleWriter {
 public:
  // Makes the folder of these files where it is missing, as TensorFlow does, but not that one's
  // own.
  //   Errors: as NewFile's: NOT_FOUND for a folder that is not there, …
  static Result<std::unique_ptr<BundleWriter>> Create(const std::string& prefix);
  ~BundleWriter();  // Without Finish nothing was written.

  // shape_and_slice: "", or, of a variable that is saved in pieces, the shape of all of it and
  // which block this one is ("4 3 0,2:-").
  //   Errors: INVALID_ARGUMENT for a name that was given, and for what contradicts other pieces;
  //   UNIMPLEMENTED for resources and variants; as NewFile::Append
  Status Add(const std::string& name, const Tensor& tensor,
             const std::string& shape_and_slice = "");
  Status Finish();

 private:
  BundleWriter(std::string prefix, std::unique_ptr<NewFile> data);
  Status AddPiece(const std::string& name, const Tensor& tensor, const std::string& piece);
  Status AddWhole(const std::string& key, const Tensor& tensor);

  const std::string prefix_;
  const std::unique_ptr<NewFile> data_;
  const std::unique_ptr<BundleIndex> index_;
  int64_t size_ = 0;  // of the data
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_BUNDLE_WRITER_H_
