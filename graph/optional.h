#ifndef TAGFLOW_GRAPH_OPTIONAL_H_
#define TAGFLOW_GRAPH_OPTIONAL_H_

// OptionalTensors: the value of an optional variant, some tensors or nothing.
//
// Thread safety: immutable. Tested by optional_test.cc.

#include <optional>
#include <string>
#include <vector>

#include "graph/tensor.h"
#include "graph/variant.h"

namespace tagflow {

class OptionalTensors : public VariantValue {
 public:
  OptionalTensors() = default;  // nothing
  explicit OptionalTensors(std::vector<Tensor> components) : components_(std::move(components)) {}
  OptionalTensors(const OptionalTensors&) = delete;
  OptionalTensors& operator=(const OptionalTensors&) = delete;
  ~OptionalTensors() override;

  // The optional in a scalar variant tensor, or null when it holds something else.
  static const OptionalTensors* In(const Tensor& tensor);
  // Scalar variant tensors that hold these components, or nothing.
  static Tensor Wrap(std::vector<Tensor> components);
  static Tensor WrapNothing();

  std::string TypeName() const override { return "tensorflow::data::Optional"; }
  std::string DebugString() const override;

  bool has_value() const { return components_.has_value(); }
  // REQUIRES: has_value()
  const std::vector<Tensor>& components() const { return *components_; }

 private:
  std::optional<std::vector<Tensor>> components_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OPTIONAL_H_
