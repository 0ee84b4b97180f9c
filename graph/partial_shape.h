#ifndef TAGFLOW_GRAPH_PARTIAL_SHAPE_H_
#define TAGFLOW_GRAPH_PARTIAL_SHAPE_H_

// What is known of a shape before anything runs: nothing, the rank, or some or all dimensions.

#include <cstdint>
#include <string>
#include <utility>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

class PartialShape {
 public:
  static constexpr int64_t kUnknownDim = -1;

  PartialShape() = default;  // unknown rank
  explicit PartialShape(Dims dims) : known_rank_(true), dims_(std::move(dims)) {}
  static PartialShape Scalar() { return PartialShape(Dims{}); }
  static PartialShape UnknownOfRank(int rank) {
    return PartialShape(Dims(static_cast<size_t>(rank), kUnknownDim));
  }

  bool known_rank() const { return known_rank_; }
  int rank() const { return static_cast<int>(dims_.size()); }  // REQUIRES: known_rank()
  const Dims& dims() const { return dims_; }                   // REQUIRES: known_rank()
  int64_t dim(int i) const { return dims_[static_cast<size_t>(i)]; }
  bool fully_known() const;
  // Whether a tensor of dims `dims` may have this shape.
  bool Accepts(DimsView dims) const;
  std::string ToString() const;  // "<unknown>", "[?,3]"
  friend bool operator==(const PartialShape&, const PartialShape&) = default;

 private:
  bool known_rank_ = false;
  Dims dims_;
};

// The shape that satisfies both (what is known in either); INVALID_ARGUMENT when they contradict
// each other.
Result<PartialShape> MergeShapes(const PartialShape& a, const PartialShape& b);
// The shape that a value of either may have (what is known and equal in both): for Merge and loop
// variables.
PartialShape JoinShapes(const PartialShape& a, const PartialShape& b);
// NumPy broadcasting of what is known; INVALID_ARGUMENT when it cannot be.
Result<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_PARTIAL_SHAPE_H_
