#include "graph/partial_shape.h"

#include <algorithm>
#include <optional>

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

Status Mismatch(std::string_view verb, const PartialShape& a, const PartialShape& b) {
  return InvalidArgument("shapes " + a.ToString() + " and " + b.ToString() + " " +
                         std::string(verb));
}

// One dimension of a broadcast, or nothing when neither is 1 and they differ.
std::optional<int64_t> BroadcastDim(int64_t a, int64_t b) {
  if (a == 1) return b;
  if (b == 1) return a;
  if (a == b) return a;
  // An unknown dimension may turn out to be 1, so the other one decides.
  if (a == kUnknown) return b;
  if (b == kUnknown) return a;
  return std::nullopt;
}

}  // namespace

bool PartialShape::fully_known() const {
  return known_rank_ &&
         std::none_of(dims_.begin(), dims_.end(), [](int64_t dim) { return dim == kUnknown; });
}

bool PartialShape::Accepts(DimsView dims) const {
  if (!known_rank_) return true;
  return std::equal(dims_.begin(), dims_.end(), dims.begin(), dims.end(),
                    [](int64_t mine, int64_t dim) { return mine == kUnknown || mine == dim; });
}

std::string PartialShape::ToString() const {
  if (!known_rank_) return "<unknown>";
  std::string text = "[";
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (i > 0) text += ",";
    text += dims_[i] == kUnknown ? "?" : std::to_string(dims_[i]);
  }
  return text + "]";
}

Result<PartialShape> MergeShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank()) return b;
  if (!b.known_rank()) return a;
  if (a.rank() != b.rank()) return Mismatch("differ in rank", a, b);
  Dims dims = a.dims();
  for (int i = 0; i < a.rank(); ++i) {
    int64_t& dim = dims[static_cast<size_t>(i)];
    if (dim == kUnknown) dim = b.dim(i);
    if (b.dim(i) != kUnknown && b.dim(i) != dim) {
      return Mismatch("differ in dimension " + std::to_string(i), a, b);
    }
  }
  return PartialShape(std::move(dims));
}

PartialShape JoinShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank() || a.rank() != b.rank()) return PartialShape();
  Dims dims = a.dims();
  for (int i = 0; i < a.rank(); ++i) {
    if (dims[static_cast<size_t>(i)] != b.dim(i)) dims[static_cast<size_t>(i)] = kUnknown;
  }
  return PartialShape(std::move(dims));
}

Result<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return PartialShape();
  const int rank = std::max(a.rank(), b.rank());
  Dims dims(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) {  // i counts from the innermost dimension
    const int64_t dim_a = i < a.rank() ? a.dim(a.rank() - 1 - i) : 1;
    const int64_t dim_b = i < b.rank() ? b.dim(b.rank() - 1 - i) : 1;
    const std::optional<int64_t> dim = BroadcastDim(dim_a, dim_b);
    if (!dim.has_value()) return Mismatch("cannot be broadcast together", a, b);
    dims[static_cast<size_t>(rank - 1 - i)] = *dim;
  }
  return PartialShape(std::move(dims));
}

}  // namespace tagflow
