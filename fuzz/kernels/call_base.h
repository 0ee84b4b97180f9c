#ifndef TAGFLOW_FUZZ_KERNELS_CALL_BASE_H_
#define TAGFLOW_FUZZ_KERNELS_CALL_BASE_H_

// What calls of ops are put together from.

#include <string>
#include <utility>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

class CallBase {
 public:
  explicit CallBase(Choices& choices)
      : choices_(choices), fed_(choices.Chance(kSometimes) ? kNever : kEvenly) {}

 protected:
  Graph& graph() { return sample_.graph; }
  std::string NewName() { return "n" + std::to_string(++names_); }

  // A node of the type in its attr T.
  NodeId Add(const std::string& op, std::vector<OutputRef> inputs, DType type) {
    const NodeId id = *graph().AddNode(NewName(), op);
    graph().mutable_node(id).inputs = std::move(inputs);
    graph().SetAttr(id, "T", type);
    return id;
  }

  // A constant, which shape functions see, or what is fed, of which they may know the shape.
  OutputRef Fed(Tensor value) {
    const DType dtype = value.dtype();
    const bool is_fed = !IsTensorDType(dtype) || choices_.Chance(fed_);
    const NodeId id = *graph().AddNode(NewName(), is_fed ? "Placeholder" : "Const");
    graph().SetAttr(id, "dtype", dtype);
    if (is_fed) {
      if (choices_.Chance(kEvenly)) graph().SetAttr(id, "shape", Known(value.dims()));
      feeds_.emplace_back(graph().node(id).name, std::move(value));
    } else {
      graph().SetAttr(id, "value", std::move(value));
    }
    return {id, 0};
  }

  // The shape, or what is known of it.
  PartialShape Known(DimsView dims) {
    Dims known(dims.begin(), dims.end());
    if (choices_.Chance(kEvenly)) {
      for (int64_t& dim : known) dim = choices_.Chance(kEvenly) ? PartialShape::kUnknownDim : dim;
    }
    return PartialShape(std::move(known));
  }

  void Fetch(OutputRef output) { sample_.fetches.push_back(OutputName(graph(), output)); }

  Choices& choices_;
  GraphSample sample_;
  NamedTensors feeds_;

 private:
  const Odds fed_;  // of inputs; none: shape functions see all there is
  int names_ = 0;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_CALL_BASE_H_
