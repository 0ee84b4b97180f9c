#ifndef TAGFLOW_GRAPH_HELD_TENSOR_H_
#define TAGFLOW_GRAPH_HELD_TENSOR_H_

// HeldTensor: the value of a variant that holds a tensor of any dtype and shape, so that tensors
// that differ in both can be the elements of one.
//
// Thread safety: immutable. Tested by held_tensor_test.cc.

#include <string>

#include "graph/tensor.h"
#include "graph/variant.h"

namespace tagflow {

class HeldTensor : public VariantValue {
 public:
  explicit HeldTensor(Tensor tensor) : tensor_(std::move(tensor)) {}
  HeldTensor(const HeldTensor&) = delete;
  HeldTensor& operator=(const HeldTensor&) = delete;
  ~HeldTensor() override;

  static Variant Wrap(Tensor tensor);

  std::string TypeName() const override { return "tensorflow::Tensor"; }
  std::string DebugString() const override;

  const Tensor& tensor() const { return tensor_; }

 private:
  Tensor tensor_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_HELD_TENSOR_H_
