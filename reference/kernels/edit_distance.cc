// EditDistance: how far sequences are from the ones they should be, after Levenshtein.
//
// Source: Wagner, Fischer, "The string-to-string correction problem", Journal of the ACM 21, 1974.

#include <algorithm>
#include <limits>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/sparse_input.h"

namespace tagflow::reference {
namespace {

// A sequence that is not empty, and where it is along the dimensions before the last.
template <typename C>
struct Sequence {
  Dims at;
  std::vector<C> elements;
};

// What holds the sequences of one side. Where in its sequence an element is does not matter, only
// what it comes behind; nor is it held to the shape.
struct Side {
  std::vector<Dims> places;
  Tensor values;
  Dims dims;

  // Neighbours of one place make a sequence.
  template <typename C>
  std::vector<Sequence<C>> sequences() const {
    const std::vector<C> elements = Load<C>(values);
    std::vector<Sequence<C>> sequences;
    for (size_t i = 0; i < elements.size(); ++i) {
      const Dims at(places[i].begin(), places[i].end() - 1);
      if (sequences.empty() || sequences.back().at != at) sequences.push_back({at, {}});
      sequences.back().elements.push_back(elements[i]);
    }
    return sequences;
  }
};

//   Errors: INVALID_ARGUMENT where the three inputs are no sparse tensor of rank 2 or more
Result<Side> ReadSide(const KernelContext& context, size_t first, const std::string& name) {
  const Tensor& indices = context.inputs[first];
  const Tensor& shape = context.inputs[first + 2];
  Side side;
  side.values = context.inputs[first + 1];
  TAGFLOW_ASSIGN_OR_RETURN(side.places, ReadPlaces(indices));
  if (side.values.rank() != 1 || side.values.dim(0) != indices.dim(0)) {
    return InvalidArgument(name + "_values must be a vector, an element for each row of " + name +
                           "_indices");
  }
  if (shape.rank() != 1 || shape.dim(0) != indices.dim(1)) {
    return InvalidArgument(name + "_shape must be a vector, an element for each column of " + name +
                           "_indices");
  }
  if (shape.dim(0) < 2) {
    return InvalidArgument("Input SparseTensors must have rank at least 2, but " + name +
                           "_shape rank is: " + std::to_string(shape.dim(0)));
  }
  TAGFLOW_ASSIGN_OR_RETURN(side.dims, IndexValues(shape));
  TAGFLOW_RETURN_IF_ERROR(NumElements(side.dims).status());
  return side;
}

// distance[i][j], of the first i elements of a and the first j of b, is
//   j where i is 0, i where j is 0, and else the least of
//   distance[i-1][j] + 1, distance[i][j-1] + 1 and distance[i-1][j-1] + (a[i-1] != b[j-1])
// of which one row is kept.
template <typename C>
int64_t Distance(const std::vector<C>& a, const std::vector<C>& b) {
  std::vector<int64_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i);
    for (size_t j = 1; j < row.size(); ++j) {
      const int64_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

// As a share of the truth's length, which of no length is infinite for all but the truth itself.
template <typename C>
float OutputFor(const std::vector<C>& hypothesis, const std::vector<C>& truth, bool normalize) {
  const auto distance = static_cast<float>(Distance(hypothesis, truth));
  if (!normalize || distance == 0) return distance;
  if (truth.empty()) return std::numeric_limits<float>::infinity();
  return distance / static_cast<float>(truth.size());
}

// Goes through the sequences of both side by side; one that a side has not is empty there.
template <typename C>
Status SetDistances(const std::vector<Sequence<C>>& hypotheses,
                    const std::vector<Sequence<C>>& truths, bool normalize, Tensor& output) {
  const Dims dims = ToDims(output.dims());
  for (size_t i = 0, j = 0; i < hypotheses.size() || j < truths.size();) {
    const bool has_hypothesis =
        j == truths.size() || (i < hypotheses.size() && hypotheses[i].at <= truths[j].at);
    const bool has_truth =
        i == hypotheses.size() || (j < truths.size() && truths[j].at <= hypotheses[i].at);
    const Dims& at = has_hypothesis ? hypotheses[i].at : truths[j].at;
    if (!IsInside(at, dims)) {
      return InvalidArgument("a sequence at " + DimsString(at) + " is outside of the output " +
                             DimsString(dims));
    }
    const std::vector<C> none;
    output.mutable_data<float>()[NumberOf(at, dims)] =
        OutputFor(has_hypothesis ? hypotheses[i].elements : none,
                  has_truth ? truths[j].elements : none, normalize);
    if (has_hypothesis) ++i;
    if (has_truth) ++j;
  }
  return Status();
}

//   hypothesis, truth: sparse tensors of one rank, two or more; output: float, of dimensions large
//   enough for both, but for the last
//   Errors: INVALID_ARGUMENT also where that has no elements; RESOURCE_EXHAUSTED
Status EditDistance(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, context.inputs[1].dtype(), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const bool normalize, BoolAttr(context.node, "normalize"));
  TAGFLOW_ASSIGN_OR_RETURN(const Side hypothesis, ReadSide(context, 0, "hypothesis"));
  TAGFLOW_ASSIGN_OR_RETURN(const Side truth, ReadSide(context, 3, "truth"));
  if (hypothesis.dims.size() != truth.dims.size()) {
    return InvalidArgument("Expected truth and hypothesis to have matching ranks");
  }
  Dims dims;
  for (size_t d = 0; d + 1 < truth.dims.size(); ++d) {
    dims.push_back(std::max(hypothesis.dims[d], truth.dims[d]));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, NumElements(dims));
  if (count == 0) {
    return InvalidArgument("Got output shape " + DimsString(dims) + " which has 0 elements");
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kFloat, dims));
  TAGFLOW_RETURN_IF_ERROR(
      WithComputingType(truth.values.dtype(), [&]<typename C>(Computing<C>) -> Status {
        return SetDistances(hypothesis.sequences<C>(), truth.sequences<C>(), normalize, output);
      }));
  context.outputs[0] = output;
  return Status();
}

}  // namespace

Status RegisterEditDistanceKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"EditDistance", EditDistance}});
}

}  // namespace tagflow::reference
