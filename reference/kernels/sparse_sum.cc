// SparseAdd, the sum of two sparse tensors, and its gradient.

#include <cmath>
#include <string>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/sparse_input.h"

namespace tagflow::reference {
namespace {

constexpr DTypeSet kSummed = kSigned | kComplexes | DTypeSet{DType::kFloat, DType::kDouble};

constexpr size_t kNone = static_cast<size_t>(-1);

// An element of the sum: of one of the tensors, or of both.
struct Term {
  size_t of_a = kNone;
  size_t of_b = kNone;
};

// Goes through both side by side; what has equal places there is added.
std::vector<Term> Merged(const std::vector<Dims>& a, const std::vector<Dims>& b) {
  std::vector<Term> terms;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool of_a = j == b.size() || (i < a.size() && a[i] <= b[j]);
    const bool of_b = i == a.size() || (j < b.size() && b[j] <= a[i]);
    terms.push_back({of_a ? i++ : kNone, of_b ? j++ : kNone});
  }
  return terms;
}

// Whether |x| >= threshold.
template <typename C, typename R>
bool Reaches(C x, R threshold) {
  if constexpr (IntegerElement<C>) {
    const uint64_t bits = static_cast<uint64_t>(x);
    return threshold <= 0 || (x < 0 ? 0 - bits : bits) >= static_cast<uint64_t>(threshold);
  } else {
    return threshold <= std::abs(x);
  }
}

// The dtype of magnitudes.
DType RealOf(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat;
  if (dtype == DType::kComplex128) return DType::kDouble;
  return dtype;
}

//   a, b: sparse, of one shape; thresh: scalar, real
//   sum: where either has an element; where both have one, if the magnitude of the sum is thresh or
//   more
//   Errors: INVALID_ARGUMENT, UNIMPLEMENTED (dtypes)
Status SparseAdd(KernelContext& context) {
  const DType dtype = context.inputs[1].dtype();
  const Tensor& threshold = context.inputs[6];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, kSummed));
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, threshold.dtype(), DTypeSet{RealOf(dtype)}));
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput a, ReadSparse(context, 0));
  TAGFLOW_ASSIGN_OR_RETURN(const SparseInput b, ReadSparse(context, 3));
  if (a.dims != b.dims) {
    return InvalidArgument("Operands' shapes do not match: got " + DimsString(a.dims) + " and " +
                           DimsString(b.dims));
  }
  if (threshold.rank() != 0) {
    return InvalidArgument("The magnitude threshold must be a scalar: got shape " +
                           DimsString(threshold.dims()));
  }
  const std::vector<Term> terms = Merged(a.places, b.places);
  return WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Status {
    if constexpr (std::same_as<C, int64_t> || std::floating_point<C> || ComplexElement<C>) {
      using R = decltype(std::abs(C()));
      const std::vector<C> of_a = Load<C>(a.values), of_b = Load<C>(b.values);
      std::vector<C> sums;
      for (const Term& term : terms) {
        sums.push_back(term.of_b == kNone   ? of_a[term.of_a]
                       : term.of_a == kNone ? of_b[term.of_b]
                                            : Plus(of_a[term.of_a], of_b[term.of_b]));
      }
      // As the dtype has them.
      TAGFLOW_ASSIGN_OR_RETURN(const Tensor stored,
                               Store(dtype, Dims{static_cast<int64_t>(sums.size())}, sums));
      sums = Load<C>(stored);
      const R least = static_cast<R>(Load<R>(threshold)[0]);
      std::vector<Dims> places;
      std::vector<C> values;
      for (size_t k = 0; k < terms.size(); ++k) {
        const bool is_sum = terms[k].of_a != kNone && terms[k].of_b != kNone;
        if (is_sum && !Reaches(sums[k], least)) continue;
        places.push_back(terms[k].of_a == kNone ? b.places[terms[k].of_b]
                                                : a.places[terms[k].of_a]);
        values.push_back(sums[k]);
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], PlacesTensor(places, a.rank()));
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1],
                               Store(dtype, Dims{static_cast<int64_t>(values.size())}, values));
      context.outputs[2] = ShapeTensor(a.dims);
    }
    return Status();
  });
}

// The gradients of one side: those of the sum's elements where the side has one, else 0.
Result<Tensor> OfSide(const Tensor& grads, const std::vector<Dims>& side,
                      const std::vector<Dims>& sum) {
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor out, Tensor::Allocate(grads.dtype(), Dims{static_cast<int64_t>(side.size())}));
  for (size_t i = 0, k = 0; i < side.size() && k < sum.size();) {
    if (side[i] == sum[k]) {
      CopyElements(grads, static_cast<int64_t>(k), out, static_cast<int64_t>(i), 1);
    }
    const bool passes_side = side[i] <= sum[k];
    if (side[i] >= sum[k]) ++k;
    if (passes_side) ++i;
  }
  return out;
}

//   backprop_val_grad: T [m], of the elements at sum_indices: int64 [m, rank]; a_indices, b_indices
//   a_val_grad, b_val_grad: T, one for each of these; all are gone through in order
Status SparseAddGrad(KernelContext& context) {
  const Tensor& grads = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, grads.dtype(), kSummed));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Dims> a, ReadPlaces(context.inputs[1]));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Dims> b, ReadPlaces(context.inputs[2]));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Dims> sum, ReadPlaces(context.inputs[3]));
  const int64_t rank = context.inputs[3].dim(1);
  if (context.inputs[1].dim(1) != rank || context.inputs[2].dim(1) != rank) {
    return InvalidArgument("The densified operands should have the same ndims");
  }
  if (grads.rank() != 1 || grads.num_elements() != context.inputs[3].dim(0)) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of sum_indices should match "
        "(#nnz of sum): got " +
        DimsString(grads.dims()) + " and " + std::to_string(sum.size()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], OfSide(grads, a, sum));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], OfSide(grads, b, sum));
  return Status();
}

}  // namespace

Status RegisterSparseSumKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SparseAdd", SparseAdd}, {"SparseAddGrad", SparseAddGrad}});
}

}  // namespace tagflow::reference
