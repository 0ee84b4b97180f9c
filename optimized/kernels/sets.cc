// Operations on sets, which are the distinct elements along the last dimension of a tensor: one set
// for each place in the dimensions before, its group.
//
// Both inputs are gone through side by side, group after group. A set is a vector that is sorted
// anew for each group, in memory that is used again: O(n log n) in the elements of a set, and no
// group without elements is ever looked at. Of strings only views are sorted.

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/sparse_input.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kSetTypes = kSigned | SetOf(DType::kUInt8, DType::kUInt16, DType::kString);

// What is compared for an element.
template <typename C>
struct KeyOf {
  using Type = C;
};
template <>
struct KeyOf<std::string> {
  using Type = std::string_view;
};

template <typename C>
using Keys = std::vector<typename KeyOf<C>::Type>;  // of a set: ascending, none twice

// The dimensions of groups.   Errors: INVALID_ARGUMENT for a rank below 2, or too many groups
Result<SmallDims> GroupDims(DimsView dims) {
  if (dims.size() < 2) {
    return InvalidArgument("Shape " + DimsString(dims) + " has rank " +
                           std::to_string(dims.size()) + " < 2");
  }
  SmallDims groups(dims.first(dims.size() - 1));
  TAGFLOW_RETURN_IF_ERROR(NumElements(groups).status());
  return groups;
}

// The sets of an input, one after the other.
template <typename C>
class SetReader {
 public:
  static Result<SetReader> OfDense(const Tensor& dense) {
    SetReader reader;
    TAGFLOW_ASSIGN_OR_RETURN(reader.group_dims_, GroupDims(dense.dims()));
    TAGFLOW_RETURN_IF_ERROR(reader.Begin(dense));
    reader.width_ = dense.dims().back();
    reader.Next();
    return reader;
  }

  //   Errors: INVALID_ARGUMENT also, with `in_order`, for places that are not in ascending order
  static Result<SetReader> OfSparse(const KernelContext& context, int first, bool in_order) {
    SetReader reader;
    TAGFLOW_ASSIGN_OR_RETURN(SparseInput sparse, SparseInputAt(context, first));
    if (in_order) TAGFLOW_RETURN_IF_ERROR(sparse.places.RequireInOrder());
    TAGFLOW_ASSIGN_OR_RETURN(reader.group_dims_, GroupDims(sparse.dims));
    TAGFLOW_RETURN_IF_ERROR(reader.Begin(sparse.values));
    reader.places_ = std::move(sparse.places);
    reader.Next();
    return reader;
  }

  const SmallDims& group_dims() const { return group_dims_; }
  bool is_at_end() const { return begin_ == end_; }
  // The number of the group, and its set.   REQUIRES: not at the end
  int64_t group() const { return group_; }
  const Keys<C>& set() const { return set_; }

  // The next group is the one of the next elements, whatever its number.
  void Next() {
    begin_ = end_;
    if (begin_ == elements_->size()) return;
    group_ = GroupOf(begin_);
    if (is_cut_ && group_ < last_) {  // looked up too late
      end_ = begin_;
      return;
    }
    last_ = group_;
    while (end_ < elements_->size() && GroupOf(end_) == group_) ++end_;
    set_.assign(elements_->data() + begin_, elements_->data() + end_);
    std::ranges::sort(set_);
    set_.erase(std::ranges::unique(set_).begin(), set_.end());
  }
  // Ends before the first group whose number is less than that of the group before.
  void CutAtDescent() { is_cut_ = true; }

 private:
  Status Begin(const Tensor& values) {
    TAGFLOW_ASSIGN_OR_RETURN(elements_, ElementsAs<C>::Of(values));
    return Status();
  }
  int64_t GroupOf(int64_t element) const {
    return places_.has_value() ? places_->NumberOf(element, group_dims_) : element / width_;
  }

  SmallDims group_dims_;
  std::optional<ElementsAs<C>> elements_;
  std::optional<Places> places_;  // of a sparse input
  int64_t width_ = 0;             // of a dense one
  bool is_cut_ = false;
  int64_t begin_ = 0, end_ = 0, group_ = 0, last_ = 0;
  Keys<C> set_;
};

enum class Operation { kDifference, kDifferenceFrom, kIntersection, kUnion };

Result<Operation> OperationOf(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name == "a-b") return Operation::kDifference;
  if (name == "b-a") return Operation::kDifferenceFrom;
  if (name == "intersection") return Operation::kIntersection;
  if (name == "union") return Operation::kUnion;
  return InvalidArgument("Invalid set_operation " + name + ".");
}

// Appends the result for two sets.
template <typename C>
void Append(Operation operation, const Keys<C>& a, const Keys<C>& b, Keys<C>& results) {
  const auto out = std::back_inserter(results);
  switch (operation) {
    case Operation::kDifference:
      std::ranges::set_difference(a, b, out);
      return;
    case Operation::kDifferenceFrom:
      std::ranges::set_difference(b, a, out);
      return;
    case Operation::kIntersection:
      std::ranges::set_intersection(a, b, out);
      return;
    case Operation::kUnion:
      std::ranges::set_union(a, b, out);
      return;
  }
}

// The elements of all results, and which groups they are of.
template <typename C>
struct Results {
  struct Group {
    int64_t number;
    size_t end;  // of its elements
  };
  Keys<C> elements;
  std::vector<Group> groups;
};

template <typename C>
Results<C> Combined(SetReader<C>& a, SetReader<C>& b, Operation operation) {
  Results<C> results;
  const Keys<C> none;
  while (!a.is_at_end() || !b.is_at_end()) {
    const bool of_a = b.is_at_end() || (!a.is_at_end() && a.group() <= b.group());
    const bool of_b = a.is_at_end() || (!b.is_at_end() && b.group() <= a.group());
    const int64_t group = of_a ? a.group() : b.group();
    Append<C>(operation, of_a ? a.set() : none, of_b ? b.set() : none, results.elements);
    results.groups.push_back({group, results.elements.size()});
    if (of_a) a.Next();
    if (of_b) b.Next();
  }
  return results;
}

template <typename C>
Status SetOutputs(KernelContext& context, DType dtype, const Results<C>& results,
                  const SmallDims& group_dims) {
  SmallDims dims = group_dims;
  dims.push_back(0);
  const auto count = static_cast<int64_t>(results.elements.size());
  const auto rank = static_cast<int64_t>(dims.size());
  TAGFLOW_ASSIGN_OR_RETURN(int64_t * place, SetMatrix(context, 0, count, rank));
  size_t begin = 0;
  for (const auto& group : results.groups) {
    for (size_t i = begin; i < group.end; ++i, place += rank) {
      PutPlace(group.number, group_dims, place);
      place[rank - 1] = static_cast<int64_t>(i - begin);
    }
    dims.back() = std::max(dims.back(), static_cast<int64_t>(group.end - begin));
    begin = group.end;
  }
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(dtype, SmallDims(1, count)));
  TAGFLOW_ASSIGN_OR_RETURN(auto out, ElementsFor<C>::Of(values));
  for (int64_t i = 0; i < count; ++i) out[i] = C(results.elements[static_cast<size_t>(i)]);
  out.Finish();
  context.output(1) = std::move(values);
  return SetShape(context, 2, dims);
}

// Which inputs are sets, and whether the places of sparse ones have to be in order.
struct Form {
  bool is_dense_a, is_dense_b;
  bool in_order;
};

template <typename C>
Status Operate(KernelContext& context, DType dtype, Operation operation, Form form) {
  TAGFLOW_ASSIGN_OR_RETURN(SetReader<C> a, form.is_dense_a
                                               ? SetReader<C>::OfDense(context.input(0))
                                               : SetReader<C>::OfSparse(context, 0, form.in_order));
  const int second = form.is_dense_a ? 1 : 3;
  TAGFLOW_ASSIGN_OR_RETURN(
      SetReader<C> b, form.is_dense_b ? SetReader<C>::OfDense(context.input(second))
                                      : SetReader<C>::OfSparse(context, second, form.in_order));
  if (!SameDims(a.group_dims(), b.group_dims())) {
    return InvalidArgument("Mismatched shapes " + DimsString(a.group_dims()) + " vs " +
                           DimsString(b.group_dims()));
  }
  if (form.is_dense_a && !form.is_dense_b) b.CutAtDescent();
  return SetOutputs<C>(context, dtype, Combined(a, b, operation), a.group_dims());
}

// Calls choose(Computing<C>()) for the dtypes that sets are of.
template <typename F>
auto ForSetType(DType dtype, F choose) {
  return ForComputingType(dtype, [&]<typename C>(Computing<C> computing) {
    if constexpr (Integer<C> || std::is_same_v<C, std::string>) {
      return choose(computing);
    } else {
      return choose(Computing<int64_t>());  // no such dtype is bound
    }
  });
}

template <bool is_dense_a, bool is_dense_b>
Result<BoundKernel> BindOperation(const Binding& binding) {
  const DType dtype = binding.output_dtype(1);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kSetTypes));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string name, StringAttr(binding.node, "set_operation"));
  TAGFLOW_ASSIGN_OR_RETURN(const Operation operation, OperationOf(name));
  TAGFLOW_ASSIGN_OR_RETURN(const bool in_order, BoolAttr(binding.node, "validate_indices"));
  const Form form{is_dense_a, is_dense_b, in_order};
  return ForSetType(dtype, [&]<typename C>(Computing<C>) {
    return BoundKernel([dtype, operation, form](KernelContext& context) {
      return Operate<C>(context, dtype, operation, form);
    });
  });
}

//   set: a sparse tensor of rank 2 or more; size: int32, for each group the number of its elements
template <typename C>
Status SetSize(KernelContext& context, bool in_order) {
  TAGFLOW_ASSIGN_OR_RETURN(SetReader<C> sets, SetReader<C>::OfSparse(context, 0, in_order));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor sizes, Tensor::Allocate(DType::kInt32, sets.group_dims()));
  for (; !sets.is_at_end(); sets.Next()) {
    sizes.mutable_data<int32_t>()[sets.group()] = static_cast<int32_t>(sets.set().size());
  }
  context.output(0) = std::move(sizes);
  return Status();
}

Result<BoundKernel> BindSetSize(const Binding& binding) {
  const DType dtype = binding.input_dtype(1);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kSetTypes));
  TAGFLOW_ASSIGN_OR_RETURN(const bool in_order, BoolAttr(binding.node, "validate_indices"));
  return ForSetType(dtype, [in_order]<typename C>(Computing<C>) {
    return BoundKernel(
        [in_order](KernelContext& context) { return SetSize<C>(context, in_order); });
  });
}

}  // namespace

Status RegisterSetKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"DenseToDenseSetOperation", BindOperation<true, true>},
                                {"DenseToSparseSetOperation", BindOperation<true, false>},
                                {"SetSize", BindSetSize},
                                {"SparseToSparseSetOperation", BindOperation<false, false>}});
}

}  // namespace tagflow::optimized
