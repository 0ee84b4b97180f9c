// Unique and its forms: the distinct slices of a tensor along a dimension.
//
// Slices are equal when all their elements are; so a slice that holds NaN is equal to none, and 0
// equals -0.

#include <map>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

constexpr DTypeSet kComparable = kReals | DTypeSet{DType::kBool, DType::kString};

struct Groups {
  std::vector<int64_t> of;      // the group of each slice
  std::vector<int64_t> first;   // the first slice of each group,
  std::vector<int64_t> counts;  // and how many it has
};

// Slice number `place` along the middle of a tensor [outer, length, inner].
template <typename C>
std::vector<C> SliceAt(const std::vector<C>& values, int64_t outer, int64_t length, int64_t inner,
                       int64_t place) {
  std::vector<C> slice;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      slice.push_back(values[static_cast<size_t>((o * length + place) * inner + i)]);
    }
  }
  return slice;
}

template <typename C>
bool EqualsItself(const std::vector<C>& slice) {
  return slice == slice;
}

template <typename C>
Groups GroupSlices(const Tensor& x, size_t axis) {
  const std::vector<C> values = Load<C>(x);
  const int64_t outer = values.empty() ? 0 : ProductOf(x.dims(), 0, axis);
  const int64_t inner = values.empty() ? 0 : ProductOf(x.dims(), axis + 1, x.dims().size());
  const int64_t length = x.dims()[axis];
  std::map<std::vector<C>, int64_t> group_of;
  Groups groups;
  for (int64_t place = 0; place < length; ++place) {
    const std::vector<C> slice = SliceAt(values, outer, length, inner, place);
    int64_t group = static_cast<int64_t>(groups.first.size());
    if (EqualsItself(slice)) group = group_of.emplace(slice, group).first->second;
    if (group == static_cast<int64_t>(groups.first.size())) {
      groups.first.push_back(place);
      groups.counts.push_back(0);
    }
    groups.of.push_back(group);
    ++groups.counts[static_cast<size_t>(group)];
  }
  return groups;
}

// The slices of x at `places` along the axis.
Result<Tensor> Picked(const Tensor& x, size_t axis, const std::vector<int64_t>& places) {
  const DimsView dims = x.dims();
  Dims shape = ToDims(dims);
  shape[axis] = static_cast<int64_t>(places.size());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor picked, Tensor::Allocate(x.dtype(), shape));
  if (picked.num_elements() == 0) return picked;
  const int64_t inner = ProductOf(dims, axis + 1, dims.size());
  const int64_t outer = ProductOf(dims, 0, axis);
  int64_t next = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t place : places) {
      CopyElements(x, (o * dims[axis] + place) * inner, picked, next, inner);
      next += inner;
    }
  }
  return picked;
}

// The dimension that the optional input `axis` names: a vector with one element, or with none for
// the only dimension there is.
Result<int64_t> UniqueAxis(const KernelContext& context) {
  const int64_t rank = context.inputs[0].rank();
  if (context.inputs.size() > 1) {
    const Tensor& axis = context.inputs[1];
    if (axis.rank() != 1 || axis.dim(0) > 1) {
      return InvalidArgument("axis must be a vector of one element or none, not of shape " +
                             DimsString(axis.dims()));
    }
    if (axis.dim(0) == 1) {
      TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, SingleIndex(axis, "axis"));
      return CanonicalAxis(given, rank,
                           "axis " + std::to_string(given) + " is not in [" +
                               std::to_string(-rank) + ", " + std::to_string(rank) + ")");
    }
  }
  if (rank == 1) return 0;
  return InvalidArgument("without an axis, only the elements of a vector can be told apart, not " +
                         DimsString(context.inputs[0].dims()));
}

//   x: any shape; axis, of the ops that have it: integers [0] or [1]
//   y: the distinct slices by their first places; idx: the place in y of each slice of x; count:
//   how many slices of x each of y stands for
Status Unique(KernelContext& context) {
  const Tensor& x = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, x.dtype(), kComparable));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis_index, UniqueAxis(context));
  const size_t axis = static_cast<size_t>(axis_index);
  if (x.num_elements() == 0) {  // as many slices as are asked for, all without elements
    TAGFLOW_RETURN_IF_ERROR(Tensor::Allocate(DType::kInt64, Dims{x.dims()[axis]}).status());
  }
  const Groups groups = WithComputingType(x.dtype(), [&]<typename C>(Computing<C>) {
    if constexpr (ComplexElement<C>) {
      return Groups();
    } else {
      return GroupSlices<C>(x, axis);
    }
  });
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Picked(x, axis, groups.first));
  const DType index = context.signature.outputs[1].dtype;
  auto numbers = [&](const std::vector<int64_t>& values) {
    return IndexTensor(index, Dims{static_cast<int64_t>(values.size())}, values);
  };
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], numbers(groups.of));
  if (context.outputs.size() < 3) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[2], numbers(groups.counts));
  return Status();
}

}  // namespace

Status RegisterUniqueKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Unique", Unique},
                                {"UniqueV2", Unique},
                                {"UniqueWithCounts", Unique},
                                {"UniqueWithCountsV2", Unique}});
}

}  // namespace tagflow::reference
