#include "optimized/kernels/reduced_shapes.h"

#include <string>
#include <vector>

namespace tagflow::optimized {
namespace {

template <typename Index>
Status MarkAxes(const Tensor& axes, std::vector<bool>& reduced) {
  const auto rank = static_cast<int64_t>(reduced.size());
  for (int64_t axis : axes.flat<Index>()) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension (" + std::to_string(axis) +
                             " for input with " + std::to_string(rank) + " dimension(s))");
    }
    if (axis < 0) axis += rank;
    if (reduced[axis]) {
      return InvalidArgument("Invalid reduction arguments: Axes contains duplicate dimension: " +
                             std::to_string(axis));
    }
    reduced[axis] = true;
  }
  return Status();
}

}  // namespace

Result<ReducedShapes> ReducedShapesOf(DimsView input, const Tensor& axes, bool keep_dims) {
  std::vector<bool> reduced(input.size(), false);
  TAGFLOW_RETURN_IF_ERROR(axes.dtype() == DType::kInt64 ? MarkAxes<int64_t>(axes, reduced)
                                                        : MarkAxes<int32_t>(axes, reduced));
  ReducedShapes shapes;
  for (size_t i = 0; i < input.size(); ++i) {
    shapes.kept.push_back(reduced[i] ? 1 : input[i]);
    if (!reduced[i] || keep_dims) shapes.output.push_back(shapes.kept.back());
  }
  return shapes;
}

}  // namespace tagflow::optimized
