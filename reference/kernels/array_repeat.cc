// Ops whose output elements are the input's, repeated or in another order.

#include <numeric>
#include <string>

#include "reference/kernels/array_kernels.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/element.h"

namespace tagflow::reference {
namespace {

//   multiples: one count >= 0 per dimension
Status Tile(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& multiples_input = context.inputs[1];
  if (multiples_input.rank() != 1) {
    return InvalidArgument("Expected multiples to be 1-D, but got shape " +
                           DimsString(multiples_input.dims()));
  }
  if (multiples_input.num_elements() != input.rank()) {
    return InvalidArgument("Expected multiples argument to be a vector of length " +
                           std::to_string(input.rank()) + " but got length " +
                           std::to_string(multiples_input.num_elements()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> multiples, IndexValues(multiples_input));
  Dims dims = ToDims(input.dims());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (multiples[d] < 0) {
      return InvalidArgument("Expected multiples[" + std::to_string(d) + "] >= 0, but got " +
                             std::to_string(multiples[d]));
    }
    if (__builtin_mul_overflow(dims[d], multiples[d], &dims[d])) {
      return InvalidArgument("dimension " + std::to_string(d) + " of the result overflows int64");
    }
  }
  const Dims period = ToDims(input.dims());
  const std::vector<int64_t> strides = StridesOf(period);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, dims, [&](const Dims& at) {
                             int64_t source = 0;
                             for (size_t d = 0; d < at.size(); ++d) {
                               source += at[d] % period[d] * strides[d];
                             }
                             return source;
                           }));
  return Status();
}

// INVALID_ARGUMENT unless perm is each of 0 … rank-1 once; negative entries count from the end.
Status CheckPermutation(std::vector<int64_t>& perm, const Tensor& perm_input) {
  const int64_t rank = static_cast<int64_t>(perm.size());
  std::vector<bool> seen(perm.size(), false);
  for (int64_t& d : perm) {
    TAGFLOW_ASSIGN_OR_RETURN(d, CanonicalAxis(d, rank,
                                              std::to_string(d) + " is out of range [0 .. " +
                                                  std::to_string(rank) + ")"));
    seen[static_cast<size_t>(d)] = true;
  }
  for (size_t d = 0; d < seen.size(); ++d) {
    if (seen[d]) continue;
    std::string text = std::to_string(d) + " is missing from {";
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> given, IndexValues(perm_input));
    for (size_t i = 0; i < given.size(); ++i)
      text += (i == 0 ? "" : ",") + std::to_string(given[i]);
    return InvalidArgument(text + "}.");
  }
  return Status();
}

// Dimension i of the output is dimension perm[i] of x.
Status Transpose(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& perm_input = context.inputs[1];
  if (perm_input.rank() != 1) {
    return InvalidArgument("perm must be rank 1, got shape " + DimsString(perm_input.dims()));
  }
  if (perm_input.num_elements() != input.rank()) {
    return InvalidArgument("transpose expects a vector of size " + std::to_string(input.rank()) +
                           ". But input(1) is a vector of size " +
                           std::to_string(perm_input.num_elements()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> perm, IndexValues(perm_input));
  TAGFLOW_RETURN_IF_ERROR(CheckPermutation(perm, perm_input));
  const std::vector<int64_t> strides = StridesOf(input.dims());
  Dims dims;
  for (int64_t d : perm) dims.push_back(input.dims()[static_cast<size_t>(d)]);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, dims, [&](const Dims& at) {
                             int64_t source = 0;
                             for (size_t d = 0; d < at.size(); ++d) {
                               source += at[d] * strides[static_cast<size_t>(perm[d])];
                             }
                             return source;
                           }));
  return Status();
}

// The elements of complex dtypes conjugated, others as they are.
Result<Tensor> Conjugated(const Tensor& input) {
  if (!IsComplex(input.dtype())) return input;
  return WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) -> Result<Tensor> {
    if constexpr (ComplexElement<C>) {
      std::vector<C> values = Load<C>(input);
      for (C& value : values) value = std::conj(value);
      return Store<C>(input.dtype(), input.dims(), values);
    } else {
      return Internal("not complex");
    }
  });
}

Status ConjugateTranspose(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(context.inputs[0], Conjugated(context.inputs[0]));
  return Transpose(context);
}

//   shape: vector of sizes >= 0 that the input broadcasts to, dimension by dimension from the last
Status BroadcastTo(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& shape_input = context.inputs[1];
  if (shape_input.rank() != 1) {
    return InvalidArgument("shape must be a vector of {int32,int64}, got shape " +
                           DimsString(shape_input.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, IndexValues(shape_input));
  for (int64_t dim : dims) {
    if (dim < 0) return InvalidArgument("Dimension " + std::to_string(dim) + " must be >= 0");
  }
  const int64_t rank = static_cast<int64_t>(dims.size());
  if (input.rank() > rank) {
    return InvalidArgument("Rank of input (" + std::to_string(input.rank()) +
                           ") must be no greater than rank of output shape (" +
                           std::to_string(rank) + ").");
  }
  Result<Dims> common = BroadcastShape(input.dims(), dims);
  if (!common.ok() || *common != dims) {
    return InvalidArgument("Incompatible shapes: " + DimsString(input.dims()) + " vs. " +
                           DimsString(dims));
  }
  // Along a dimension that is repeated a step goes nowhere.
  std::vector<int64_t> strides = StridesOf(input.dims());
  const size_t missing = dims.size() - strides.size();
  for (size_t d = 0; d < strides.size(); ++d) {
    if (input.dims()[d] != dims[missing + d]) strides[d] = 0;
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, dims, [&](const Dims& at) {
                             return std::inner_product(
                                 strides.begin(), strides.end(),
                                 at.begin() + static_cast<std::ptrdiff_t>(missing), int64_t{0});
                           }));
  return Status();
}

}  // namespace

Status RegisterArrayRepeatKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Tile", Tile},
                                {"Transpose", Transpose},
                                {"ConjugateTranspose", ConjugateTranspose},
                                {"BroadcastTo", BroadcastTo}});
}

}  // namespace tagflow::reference
