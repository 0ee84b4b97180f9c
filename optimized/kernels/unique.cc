// Unique and its forms: the distinct slices of a tensor along a dimension.
//
// Slices are equal when all their elements are; so a slice that holds NaN is equal to none, and 0
// equals -0.

#include <string>
#include <unordered_map>
#include <vector>

#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/element_keys.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

struct Groups {
  std::vector<int64_t> of;      // the group of each slice
  std::vector<int64_t> first;   // the first slice of each group,
  std::vector<int64_t> counts;  // and how many it has

  void Add(int64_t group) {
    if (group == static_cast<int64_t>(first.size())) {
      first.push_back(static_cast<int64_t>(of.size()));
      counts.push_back(0);
    }
    of.push_back(group);
    ++counts[static_cast<size_t>(group)];
  }
};

// A tensor seen as [outer, length, inner], of which slices are taken along the middle.
struct Slices {
  int64_t outer, length, inner;
};

// The group of each slice, which has one element.
Groups GroupNumbers(const ElementKeys& keys, int64_t length) {
  std::unordered_map<uint64_t, int64_t> group_of;
  Groups groups;
  for (int64_t i = 0; i < length; ++i) {
    uint64_t key = 0;
    const auto next = static_cast<int64_t>(groups.first.size());
    groups.Add(keys.Number(i, key) ? group_of.emplace(key, next).first->second : next);
  }
  return groups;
}

Groups GroupSlices(const ElementKeys& keys, const Slices& slices) {
  std::unordered_map<std::string, int64_t> group_of;
  Groups groups;
  std::string key;
  for (int64_t place = 0; place < slices.length; ++place) {
    key.clear();
    bool has_key = true;
    for (int64_t o = 0; has_key && o < slices.outer; ++o) {
      for (int64_t i = 0; has_key && i < slices.inner; ++i) {
        has_key = keys.Append((o * slices.length + place) * slices.inner + i, key);
      }
    }
    const auto next = static_cast<int64_t>(groups.first.size());
    groups.Add(has_key ? group_of.emplace(key, next).first->second : next);
  }
  return groups;
}

// Output 0 becomes the slices at `places`.
Status SetPicked(KernelContext& context, size_t axis, const Slices& slices,
                 const std::vector<int64_t>& places) {
  const Tensor& x = context.input(0);
  const auto count = static_cast<int64_t>(places.size());
  SmallDims dims(x.dims());
  dims[axis] = count;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.dtype(), dims));
  if (out->num_elements() == 0) return Status();
  const Mover& mover = MoverOf(x.dtype());
  void* to = out->mutable_raw_data();
  for (int64_t o = 0; o < slices.outer; ++o) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t from = o * slices.length + places[static_cast<size_t>(i)];
      mover.run(mover.At(x.raw_data(), from * slices.inner),
                mover.At(to, (o * count + i) * slices.inner), slices.inner);
    }
  }
  return Status();
}

// The dimension that the optional input `axis` names: a vector with one element, or with none for
// the only dimension there is.
Result<int64_t> UniqueAxis(const KernelContext& context) {
  const int64_t rank = context.input(0).rank();
  if (context.num_inputs() > 1) {
    const Tensor& axis = context.input(1);
    if (axis.rank() != 1 || axis.dim(0) > 1) {
      return InvalidArgument("axis must be a vector of one element or none, not of shape " +
                             DimsString(axis.dims()));
    }
    if (axis.dim(0) == 1) {
      TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, OnlyInt(axis, "axis"));
      return CanonicalAxis(given, rank, "axis");
    }
  }
  if (rank == 1) return 0;
  return InvalidArgument("without an axis, only the elements of a vector can be told apart, not " +
                         DimsString(context.input(0).dims()));
}

//   x: any shape; axis, of the ops that have it: integers [0] or [1]
//   y: the distinct slices by their first places; idx: the place in y of each slice of x; count:
//   how many slices of x each of y stands for
Status Unique(KernelContext& context, DType index, bool counts) {
  const Tensor& x = context.input(0);
  const DimsView dims = x.dims();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis_index, UniqueAxis(context));
  const size_t axis = static_cast<size_t>(axis_index);
  Slices slices{0, dims[axis], 0};
  if (x.num_elements() > 0) {
    slices.outer = ProductOf(dims, 0, axis);
    slices.inner = ProductOf(dims, axis + 1, dims.size());
  } else {  // as many slices as are asked for, all without elements
    const SmallDims room(1, slices.length);
    TAGFLOW_RETURN_IF_ERROR(Tensor::AllocateUninitialized(DType::kInt64, room).status());
  }
  const ElementKeys keys(x);
  const bool are_numbers = keys.is_number() && slices.outer == 1 && slices.inner == 1;
  const Groups groups = are_numbers ? GroupNumbers(keys, slices.length) : GroupSlices(keys, slices);
  TAGFLOW_RETURN_IF_ERROR(SetPicked(context, axis, slices, groups.first));
  TAGFLOW_RETURN_IF_ERROR(SetIndices(
      context, 1, index, SmallDims(1, static_cast<int64_t>(groups.of.size())), groups.of));
  if (!counts) return Status();
  return SetIndices(context, 2, index, SmallDims(1, static_cast<int64_t>(groups.counts.size())),
                    groups.counts);
}

Result<BoundKernel> BindUnique(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(binding, binding.input_dtype(0), kReals | SetOf(DType::kBool, DType::kString)));
  const DType index = binding.output_dtype(1);
  const bool counts = binding.signature.outputs.size() > 2;
  return BoundKernel(
      [index, counts](KernelContext& context) { return Unique(context, index, counts); });
}

}  // namespace

Status RegisterUniqueKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"Unique", BindUnique},
                                   {"UniqueV2", BindUnique},
                                   {"UniqueWithCounts", BindUnique},
                                   {"UniqueWithCountsV2", BindUnique},
                               });
}

}  // namespace tagflow::optimized
