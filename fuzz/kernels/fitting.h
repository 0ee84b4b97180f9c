#ifndef TAGFLOW_FUZZ_KERNELS_FITTING_H_
#define TAGFLOW_FUZZ_KERNELS_FITTING_H_

// Inputs and attrs of a call that fit one another. Drawn each for itself, the begin and the size of
// a slice, a permutation or the indices of a scatter hardly ever suit the tensor they are given
// with, and the kernel refuses the call before it comes to its work. What an argument means its
// role says (graph/arg_role.h): an axis is a dimension of the tensor whichever op asks for it. Data
// is of the call's shape, or of one that goes with it. Nothing here is a promise: kernels may still
// refuse the call.
//
// Tested by kernels_test.cc: the share of calls that compute, op by op.

#include <cstdint>
#include <string_view>
#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/graph.h"
#include "graph/op_def.h"

namespace tagflow::fuzz {

class Fitting {
 public:
  // Draws the shape that the call is about, and a dimension of it.
  Fitting(const OpDef& op, Choices& choices);

  // The shape of the call.
  const Dims& dims() const { return dims_; }
  // Replaces attrs of the node that must suit the shape. Before any Input; the others are set.
  void FitAttrs(Graph& graph, NodeId node);
  // The value of an input. REQUIRES: IsTensorDType(dtype)
  Tensor Input(size_t index, DType dtype);

 private:
  Tensor WellFitting(size_t index, DType dtype);
  void SpoilNumber(Tensor& input);
  // Of those that indices and sizes are of.
  static bool IsWholeNumber(DType dtype);
  Tensor OfAnotherShape(const Tensor& input);
  Tensor WithOnesInFront(const Tensor& input);
  enum class Layout : uint8_t { kSame, kBroadcast, kAlongAxis };
  using Numbers = std::vector<int64_t>;

  int64_t rank() const { return static_cast<int64_t>(dims_.size()); }
  int64_t AxisOrNegative();
  int64_t DimAt(int64_t axis) const { return dims_.empty() ? 1 : dims_[static_cast<size_t>(axis)]; }
  ArgRole RoleAt(size_t index) const {
    return index < roles_.size() ? roles_[index] : ArgRole::kData;
  }
  // Ops whose inputs' dims are drawn all at once.
  void FitTogether(Graph& graph, NodeId id);
  void FitImages();
  void FitType(Graph& graph, NodeId id, const AttrDef& attr);
  void FitImageAttr(Graph& graph, NodeId id, const AttrDef& attr);
  void FitTextAttr(Graph& graph, NodeId id, const AttrDef& attr);
  bool IsSplits(size_t index) const;
  std::string DrawPolicy();
  int64_t Mask(const std::string& attr);
  void NoteRoles(const Node& node);

  Tensor Base64();
  Tensor Data(DType dtype);
  Dims FactorDims();
  Dims WithOnes();
  // Numbers as a tensor of an integer dtype, of these dims.
  static Tensor Make(DType dtype, const Dims& dims, const Numbers& values);
  static Tensor VectorOf(DType dtype, const Numbers& values);
  Tensor WholeNumbers(ArgRole role, DType dtype);
  Tensor AxisLike(ArgRole role, DType dtype);
  Tensor CountOrAny(DType dtype);
  Tensor Band(DType dtype);
  Tensor Range(DType dtype);
  Tensor PerDim(ArgRole role, DType dtype);
  void FitTransform();
  void FitRaggedAttr(Graph& graph, NodeId id, const AttrDef& attr);
  Tensor Permutation(DType dtype);
  Tensor NewShape(DType dtype);
  Tensor Sizes(DType dtype);
  Tensor Blocks(DType dtype);
  Tensor Paddings(ArgRole role, DType dtype);
  Tensor Indices(ArgRole role, DType dtype);
  Tensor RowNumbers(ArgRole role, DType dtype);
  Tensor Splits(DType dtype);

  const OpDef& op_;
  Choices& choices_;
  Dims dims_;
  int64_t axis_ = 0;
  bool axis_in_vector_ = false;
  bool has_two_axes_ = false;  // where the axes are in a vector
  Layout layout_ = Layout::kSame;
  bool is_product_ = false;
  bool is_of_vectors_ = false;  // a product of columns
  bool swaps_first_ = false;
  bool swaps_second_ = false;
  int64_t count_ = 1;  // of outputs, where an attr says it
  int64_t batch_dims_ = 0;
  int64_t index_dims_ = 1;       // of indices, after those of the batch
  bool is_large_ = false;        // a product of more elements than loops take at once
  std::vector<ArgRole> roles_;   // by input
  size_t data_ = 0;              // inputs that were data
  std::vector<Dims> term_dims_;  // of these, where attrs say them
  Numbers begin_;
  Numbers blocks_;
  Dims update_dims_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_FITTING_H_
