#ifndef TAGFLOW_GRAPH_IO_TENSOR_PROTO_H_
#define TAGFLOW_GRAPH_IO_TENSOR_PROTO_H_

// Tensor and TensorProto, either way.
//
// A TensorProto may give its elements as raw bytes, or in the repeated field of its dtype, where
// the last element given stands for all that are missing (none given: zeros, empty strings); more
// than the shape asks for are ignored, as TensorFlow ignores them. A message of thirty bytes can so
// claim any number of elements: what is made from messages is limited by a TensorBudget.

#include <cstdint>
#include <string>

#include "graph/io/graph.pb.h"
#include "graph/partial_shape.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "graph/variant.h"

namespace tagflow {

// How many bytes of elements may still be made. The default is half of the machine's memory.
class TensorBudget {
 public:
  TensorBudget();
  explicit TensorBudget(int64_t bytes) : bytes_left_(bytes) {}
  // RESOURCE_EXHAUSTED when less is left.
  Status Take(int64_t elements, size_t element_size);

 private:
  int64_t bytes_left_;
};

// A variant element of a type we do not know: its VariantTensorDataProto.
class OpaqueVariant : public VariantValue {
 public:
  OpaqueVariant(std::string type_name, std::string bytes)
      : type_name_(std::move(type_name)), bytes_(std::move(bytes)) {}
  std::string TypeName() const override { return type_name_; }
  std::string DebugString() const override { return "<" + type_name_ + ">"; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string type_name_;
  std::string bytes_;
};

// Errors: UNIMPLEMENTED for a dtype that no Tensor holds; INVALID_ARGUMENT for a negative
// dimension, an unknown rank, too many elements to count, or contents of the wrong size;
// RESOURCE_EXHAUSTED.
Result<Tensor> TensorFromProto(const TensorProto& proto, TensorBudget& budget);
Result<Tensor> TensorFromProto(const TensorProto& proto);  // with a budget of its own

enum class TensorForm {
  kCompact,   // raw bytes, unless a repeated last element is shorter
  kReadable,  // elements in the dtype's field: for text
};
// Errors: FAILED_PRECONDITION for memory that is not the host's; UNIMPLEMENTED for a handle of a
// per-step object, or a variant that has no wire form; INVALID_ARGUMENT for a Tensor without value.
Result<TensorProto> TensorToProto(const Tensor& tensor, TensorForm form = TensorForm::kCompact);
// The same into a message that is there already, in whatever arena.
Status TensorToProto(const Tensor& tensor, TensorForm form, TensorProto& proto);

// INVALID_ARGUMENT for a dimension below -1, or dimensions under an unknown rank.
Result<PartialShape> ShapeFromProto(const TensorShapeProto& proto);
void ShapeToProto(const PartialShape& shape, TensorShapeProto& proto);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_TENSOR_PROTO_H_
