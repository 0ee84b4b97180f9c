// Tested by conformance/ops/scatter_variable.ops.
#include "optimized/kernels/nd_slices.h"

#include <algorithm>
#include <string>

#include "graph/limits.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"

namespace tagflow::optimized {
namespace {

// Whether the coordinates have no dimensions, and name all of a tensor that has no elements. A lone
// row of them, which is a vector, must have no updates either: TensorFlow counts them by it.
bool IsOfNothing(DimsView dims, DimsView indices, DimsView updates) {
  return !indices.empty() && indices.back() == 0 && std::ranges::find(dims, 0) != dims.end() &&
         !updates.empty() && (indices.size() > 1 || updates.front() == 0);
}

// INVALID_ARGUMENT unless updates have the shape of indices without its last dimension, and then
// that of a slice.
Status CheckShapes(DimsView dims, DimsView indices, DimsView updates) {
  const bool is_of_nothing = IsOfNothing(dims, indices, updates);
  if ((indices.size() < 2 && !is_of_nothing) || updates.empty()) {
    return InvalidArgument("indices must be rows of coordinates and updates at least a vector; " +
                           DimsString(indices) + " and " + DimsString(updates) + " are not");
  }
  const int64_t depth = indices.back();
  if ((depth < 1 && !is_of_nothing) || depth > kMostIndexedDimensions ||
      depth > static_cast<int64_t>(dims.size())) {
    return InvalidArgument("coordinates must have from 1 to " +
                           std::to_string(kMostIndexedDimensions) + " dimensions, no more than " +
                           DimsString(dims) + " has, not " + std::to_string(depth));
  }
  const DimsView outer = indices.first(indices.size() - 1);
  const DimsView slice = dims.subspan(static_cast<size_t>(depth));
  if (updates.size() == outer.size() + slice.size() &&
      std::ranges::equal(updates.first(outer.size()), outer) &&
      std::ranges::equal(updates.subspan(outer.size()), slice)) {
    return Status();
  }
  return InvalidArgument("updates of shape " + DimsString(updates) + " do not fit indices of " +
                         DimsString(indices) + " into " + DimsString(dims));
}

}  // namespace

Result<bool> PassesOverBadIndices(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string policy, StringAttr(node, "bad_indices_policy"));
  if (policy == "IGNORE") return true;
  if (policy.empty() || policy == "DEFAULT" || policy == "ERROR") return false;
  return InvalidArgument("bad_indices_policy must be DEFAULT, ERROR or IGNORE, not '" + policy +
                         "'");
}

Result<NdSlices> ReadNdSlices(DimsView dims, const Tensor& indices, const Tensor& updates,
                              bool passes_over) {
  TAGFLOW_RETURN_IF_ERROR(CheckNdSlices(dims, indices.dims(), updates.dims()));
  return NdSlicesAt(dims, indices, passes_over);
}

Status CheckNdSlices(DimsView dims, DimsView indices, DimsView updates) {
  TAGFLOW_RETURN_IF_ERROR(CheckShapes(dims, indices, updates));
  const bool has_indices = std::ranges::find(indices, 0) == indices.end();
  if (std::ranges::find(dims, 0) == dims.end() || !has_indices) return Status();
  return InvalidArgument("there is nowhere to put updates in a tensor of shape " +
                         DimsString(dims));
}

Result<NdSlices> NdSlicesAt(DimsView dims, const Tensor& indices, bool passes_over) {
  TAGFLOW_ASSIGN_OR_RETURN(const IntView coordinates, IntView::Of(indices));
  const size_t depth = static_cast<size_t>(indices.dims().back());
  NdSlices slices;
  slices.size = ProductOf(dims, depth, dims.size());
  if (depth == 0) return slices;
  slices.rows.resize(static_cast<size_t>(coordinates.size()) / depth);
  int64_t next = 0;
  for (int64_t& row : slices.rows) {
    bool is_inside = true;
    row = 0;
    for (size_t d = 0; d < depth; ++d) {
      const int64_t at = coordinates[next++];
      is_inside = is_inside && at >= 0 && at < dims[d];
      row = WrappingSum(WrappingProduct(row, dims[d]), at);
    }
    if (is_inside) continue;
    if (!passes_over) {
      return InvalidArgument("row " + std::to_string(&row - slices.rows.data()) +
                             " of the indices is outside of shape " + DimsString(dims));
    }
    row = NdSlices::kNowhere;
  }
  return slices;
}

}  // namespace tagflow::optimized
