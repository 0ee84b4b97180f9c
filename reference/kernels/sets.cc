// Operations on sets, which are the distinct elements along the last dimension of a tensor: one set
// for each place in the dimensions before, its *group*.
//
// Results are sparse tensors: the elements of each set in ascending order, from place 0 on.

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/sparse_input.h"

namespace tagflow::reference {
namespace {

// A set that is not empty, and its group.
template <typename C>
struct Group {
  Dims at;
  std::set<C> elements;
};
template <typename C>
using Groups = std::vector<Group<C>>;  // in ascending order, as a rule

// The dimensions of groups.   Errors: INVALID_ARGUMENT for a rank below 2
Result<Dims> GroupDims(DimsView dims) {
  if (dims.size() >= 2) return ToDims(dims.first(dims.size() - 1));
  return InvalidArgument("Shape " + DimsString(dims) + " has rank " + std::to_string(dims.size()) +
                         " < 2");
}

template <typename C>
Groups<C> DenseGroups(const Tensor& dense, const Dims& group_dims) {
  const std::vector<C> elements = Load<C>(dense);
  const int64_t size = dense.dims().back();
  Groups<C> groups;
  for (int64_t begin = 0; begin < dense.num_elements(); begin += size) {
    const auto first = elements.begin() + begin;
    groups.push_back({PlaceOf(begin / size, group_dims), std::set<C>(first, first + size)});
  }
  return groups;
}

// Neighbours of one group make a set: places need not be in order, but for that.
template <typename C>
Groups<C> SparseGroups(const SparseInput& sparse) {
  const std::vector<C> elements = Load<C>(sparse.values);
  Groups<C> groups;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Dims at(sparse.places[i].begin(), sparse.places[i].end() - 1);
    if (groups.empty() || groups.back().at != at) groups.push_back({at, {}});
    groups.back().elements.insert(elements[i]);
  }
  return groups;
}

// The sets of an input, or of three.
struct Sets {
  Dims group_dims;
  Tensor dense;
  SparseInput sparse;
  bool is_dense;

  template <typename C>
  Groups<C> groups() const {
    return is_dense ? DenseGroups<C>(dense, group_dims) : SparseGroups<C>(sparse);
  }
};

Result<Sets> ReadDenseSets(const Tensor& dense) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims group_dims, GroupDims(dense.dims()));
  return Sets{group_dims, dense, {}, true};
}

//   Errors: INVALID_ARGUMENT also for places that are not in ascending order, where
//   validate_indices asks for it
Result<Sets> ReadSparseSets(const KernelContext& context, size_t first) {
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(context, first));
  TAGFLOW_ASSIGN_OR_RETURN(const bool in_order, BoolAttr(context.node, "validate_indices"));
  if (in_order) TAGFLOW_RETURN_IF_ERROR(RequireInOrder(sparse.places));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims group_dims, GroupDims(sparse.dims));
  return Sets{group_dims, {}, sparse, false};
}

template <typename C>
using Operation = std::set<C> (*)(const std::set<C>& a, const std::set<C>& b);

template <typename C>
std::set<C> Difference(const std::set<C>& a, const std::set<C>& b) {
  std::set<C> result;
  std::ranges::set_difference(a, b, std::inserter(result, result.end()));
  return result;
}
template <typename C>
std::set<C> DifferenceFrom(const std::set<C>& a, const std::set<C>& b) {
  return Difference(b, a);
}
template <typename C>
std::set<C> Intersection(const std::set<C>& a, const std::set<C>& b) {
  std::set<C> result;
  std::ranges::set_intersection(a, b, std::inserter(result, result.end()));
  return result;
}
template <typename C>
std::set<C> Union(const std::set<C>& a, const std::set<C>& b) {
  std::set<C> result = a;
  result.insert(b.begin(), b.end());
  return result;
}

template <typename C>
Result<Operation<C>> OperationOf(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name == "a-b") return Operation<C>(Difference<C>);
  if (name == "b-a") return Operation<C>(DifferenceFrom<C>);
  if (name == "intersection") return Operation<C>(Intersection<C>);
  if (name == "union") return Operation<C>(Union<C>);
  return InvalidArgument("Invalid set_operation " + name + ".");
}

// Goes through the groups of both side by side; a group that one of them has not is empty there.
template <typename C>
Groups<C> Combined(const Groups<C>& a, const Groups<C>& b, Operation<C> operation) {
  Groups<C> results;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool of_a = j == b.size() || (i < a.size() && a[i].at <= b[j].at);
    const bool of_b = i == a.size() || (j < b.size() && b[j].at <= a[i].at);
    const Dims& at = of_a ? a[i].at : b[j].at;
    const std::set<C> none;
    const std::set<C> result = operation(of_a ? a[i].elements : none, of_b ? b[j].elements : none);
    if (!result.empty()) results.push_back({at, result});
    if (of_a) ++i;
    if (of_b) ++j;
  }
  return results;
}

// Beside dense sets the sparse ones are looked up, from one group to the next: one that comes too
// late is not found, nor any behind it.
template <typename C>
void DropFromFirstDescent(Groups<C>& groups) {
  const auto descent = std::ranges::adjacent_find(
      groups, [](const Group<C>& a, const Group<C>& b) { return a.at > b.at; });
  if (descent != groups.end()) groups.erase(descent + 1, groups.end());
}

template <typename C>
Status SetOutputs(KernelContext& context, const Groups<C>& groups, Dims dims) {
  std::vector<Dims> places;
  std::vector<C> values;
  dims.push_back(0);
  for (const Group<C>& group : groups) {
    Dims place = group.at;
    place.push_back(0);
    for (const C& element : group.elements) {
      places.push_back(place);
      values.push_back(element);
      ++place.back();
    }
    dims.back() = std::max(dims.back(), place.back());
  }
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], PlacesTensor(places, dims.size()));
  TAGFLOW_ASSIGN_OR_RETURN(
      context.outputs[1],
      Store(context.signature.outputs[1].dtype, Dims{static_cast<int64_t>(values.size())}, values));
  context.outputs[2] = ShapeTensor(dims);
  return Status();
}

Status Operate(KernelContext& context, const Sets& a, const Sets& b) {
  if (a.group_dims != b.group_dims) {
    return InvalidArgument("Mismatched shapes " + DimsString(a.group_dims) + " vs " +
                           DimsString(b.group_dims));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::string name, StringAttr(context.node, "set_operation"));
  return WithComputingType(
      context.signature.outputs[1].dtype, [&]<typename C>(Computing<C>) -> Status {
        if constexpr (IntegerElement<C> || std::same_as<C, std::string>) {
          TAGFLOW_ASSIGN_OR_RETURN(const Operation<C> operation, OperationOf<C>(name));
          Groups<C> of_b = b.groups<C>();
          if (a.is_dense && !b.is_dense) DropFromFirstDescent(of_b);
          return SetOutputs(context, Combined(a.groups<C>(), of_b, operation), a.group_dims);
        } else {
          return Internal("sets are of integers or strings");
        }
      });
}

//   set1, set2: T, of one shape but for the last dimension, of rank 2 or more
Status DenseToDense(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Sets a, ReadDenseSets(context.inputs[0]));
  TAGFLOW_ASSIGN_OR_RETURN(const Sets b, ReadDenseSets(context.inputs[1]));
  return Operate(context, a, b);
}

Status DenseToSparse(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Sets a, ReadDenseSets(context.inputs[0]));
  TAGFLOW_ASSIGN_OR_RETURN(const Sets b, ReadSparseSets(context, 1));
  return Operate(context, a, b);
}

Status SparseToSparse(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Sets a, ReadSparseSets(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const Sets b, ReadSparseSets(context, 3));
  return Operate(context, a, b);
}

//   size: int32, for each group the number of its elements
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED (many groups)
Status SetSize(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Sets sets, ReadSparseSets(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor sizes, Tensor::Allocate(DType::kInt32, sets.group_dims));
  WithComputingType(sets.sparse.values.dtype(), [&]<typename C>(Computing<C>) {
    if constexpr (IntegerElement<C> || std::same_as<C, std::string>) {
      for (const Group<C>& group : sets.groups<C>()) {
        sizes.mutable_data<int32_t>()[NumberOf(group.at, sets.group_dims)] =
            static_cast<int32_t>(group.elements.size());
      }
    }
  });
  context.outputs[0] = sizes;
  return Status();
}

}  // namespace

Status RegisterSetKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"DenseToDenseSetOperation", DenseToDense},
                                {"DenseToSparseSetOperation", DenseToSparse},
                                {"SparseToSparseSetOperation", SparseToSparse},
                                {"SetSize", SetSize}});
}

}  // namespace tagflow::reference
