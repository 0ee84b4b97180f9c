#ifndef TAGFLOW_GRAPH_HELD_RAGGED_H_
#define TAGFLOW_GRAPH_HELD_RAGGED_H_

// HeldRagged: the value of a variant that holds a ragged tensor: its splits, those of outer
// dimensions first, and its values. Who makes one says whether they fit each other: one that came
// from outside may hold anything.
//
// Thread safety: immutable. Tested by held_ragged_test.cc.

#include <string>
#include <vector>

#include "graph/tensor.h"
#include "graph/variant.h"

namespace tagflow {

class HeldRagged : public VariantValue {
 public:
  // Splits, and then values. REQUIRES: at least one tensor
  explicit HeldRagged(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {}
  HeldRagged(const HeldRagged&) = delete;
  HeldRagged& operator=(const HeldRagged&) = delete;
  ~HeldRagged() override;

  static Variant Wrap(std::vector<Tensor> tensors);

  std::string TypeName() const override { return "RaggedTensorVariant"; }
  std::string DebugString() const override;

  const std::vector<Tensor>& tensors() const { return tensors_; }
  size_t ragged_rank() const { return tensors_.size() - 1; }
  // REQUIRES: i < ragged_rank()
  const Tensor& splits(size_t i) const { return tensors_[i]; }
  const Tensor& values() const { return tensors_.back(); }

 private:
  std::vector<Tensor> tensors_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_HELD_RAGGED_H_
