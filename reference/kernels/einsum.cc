// Einsum: sums of products that an equation spells.
//
// Each input is first taken to its own labels, once each: the diagonal of those it has twice, and
// the sum over those that nothing else has. Then each element of the output is the sum of the
// products over the labels that remain. Half, bfloat16, float and complex64 are added in double and
// rounded once; integers wrap.

#include <algorithm>
#include <map>
#include <string>

#include "graph/limits.h"
#include "graph/ops/einsum_equation.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

constexpr DTypeSet kSummed = kFloating | kComplexes | DTypeSet{DType::kInt32, DType::kInt64};

using LabelDims = std::map<int, int64_t>;

bool Has(const EinsumLabels& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

// The dimension of each label: one for all its places, but those of "..." broadcast.
Status AddDims(LabelDims& dims, const EinsumLabels& labels, DimsView shape) {
  for (size_t i = 0; i < labels.size(); ++i) {
    int64_t& known = dims.try_emplace(labels[i], shape[i]).first->second;
    if (labels[i] < 0 && known == 1) known = shape[i];
    if (known == shape[i] || (labels[i] < 0 && shape[i] == 1)) continue;
    return InvalidArgument("a label of Einsum has the dimensions " + std::to_string(known) +
                           " and " + std::to_string(shape[i]));
  }
  return Status();
}

Dims DimsOf(const LabelDims& dims, const EinsumLabels& labels) {
  Dims result;
  for (int label : labels) result.push_back(dims.at(label));
  return result;
}

// Each of the labels once.
EinsumLabels Distinct(const EinsumLabels& labels) {
  EinsumLabels distinct;
  for (int label : labels) {
    if (!Has(distinct, label)) distinct.push_back(label);
  }
  return distinct;
}

// Walks the values of some labels in row-major order.
class Walk {
 public:
  Walk(const EinsumLabels& labels, const LabelDims& dims, std::map<int, int64_t>& at)
      : labels_(labels), dims_(dims), at_(at) {
    for (int label : labels_) {
      at_[label] = 0;
      if (dims_.at(label) == 0) done_ = true;
    }
  }
  bool done() const { return done_; }
  void Next() {
    for (size_t i = labels_.size(); i-- > 0;) {
      if (++at_[labels_[i]] < dims_.at(labels_[i])) return;
      at_[labels_[i]] = 0;
    }
    done_ = true;
  }

 private:
  const EinsumLabels& labels_;
  const LabelDims& dims_;
  std::map<int, int64_t>& at_;
  bool done_ = false;
};

// A factor: a label, once each, for every dimension.
template <typename S>
struct Factor {
  EinsumLabels labels;
  Dims dims;
  std::vector<S> values;

  // The element at the values of the labels; a dimension of 1 repeats.
  S at(const std::map<int, int64_t>& values_of) const {
    int64_t index = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      index = index * dims[i] + (dims[i] == 1 ? 0 : values_of.at(labels[i]));
    }
    return values[static_cast<size_t>(index)];
  }
};

// An input by the labels in `kept`, the rest summed over.
//   Errors: RESOURCE_EXHAUSTED: an input without elements may have any number of sums
template <typename S, typename C>
Result<Factor<S>> Reduced(const Tensor& input, const EinsumLabels& labels,
                          const EinsumLabels& kept) {
  LabelDims own;
  for (size_t i = 0; i < labels.size(); ++i) own[labels[i]] = input.dims()[i];
  const std::vector<C> elements = Load<C>(input);
  const EinsumLabels distinct = Distinct(labels);
  Factor<S> factor;
  for (int label : distinct) {
    if (Has(kept, label)) factor.labels.push_back(label);
  }
  factor.dims = DimsOf(own, factor.labels);
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(factor.dims));
  factor.values.assign(static_cast<size_t>(*NumElements(factor.dims)), S(0));
  std::map<int, int64_t> at;
  for (Walk walk(distinct, own, at); !walk.done(); walk.Next()) {
    int64_t from = 0;
    for (size_t i = 0; i < labels.size(); ++i) from = from * input.dims()[i] + at[labels[i]];
    int64_t into = 0;
    for (size_t i = 0; i < factor.labels.size(); ++i) {
      into = into * factor.dims[i] + at[factor.labels[i]];
    }
    S& sum = factor.values[static_cast<size_t>(into)];
    sum = Plus(sum, static_cast<S>(elements[static_cast<size_t>(from)]));
  }
  return factor;
}

// What an equation says of these inputs.
struct Plan {
  std::vector<EinsumLabels> inputs;
  EinsumLabels output;
  LabelDims dims;
};

template <typename S, typename C>
Result<Tensor> Compute(const std::vector<Tensor>& inputs, const Plan& plan) {
  std::vector<Factor<S>> factors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    EinsumLabels kept = plan.output;
    if (inputs.size() == 2) {
      kept.insert(kept.end(), plan.inputs[1 - i].begin(), plan.inputs[1 - i].end());
    }
    TAGFLOW_ASSIGN_OR_RETURN(Factor<S> factor, (Reduced<S, C>(inputs[i], plan.inputs[i], kept)));
    factors.push_back(std::move(factor));
  }
  EinsumLabels summed;  // what both have, and the output has not
  for (int label : factors[0].labels) {
    if (!Has(plan.output, label)) summed.push_back(label);
  }
  const EinsumLabels outer = Distinct(plan.output);
  const Dims dims = DimsOf(plan.dims, plan.output);
  std::vector<C> values(static_cast<size_t>(*NumElements(dims)), C(0));
  std::map<int, int64_t> at;
  for (Walk walk(outer, plan.dims, at); !walk.done(); walk.Next()) {
    S sum = S(0);
    for (Walk inner(summed, plan.dims, at); !inner.done(); inner.Next()) {
      S product = factors[0].at(at);
      if (factors.size() == 2) product = Times(product, factors[1].at(at));
      sum = Plus(sum, product);
    }
    int64_t into = 0;
    for (size_t i = 0; i < plan.output.size(); ++i) into = into * dims[i] + at[plan.output[i]];
    values[static_cast<size_t>(into)] = static_cast<C>(sum);
  }
  return Store(inputs[0].dtype(), dims, values);
}

Result<Plan> ReadPlan(const KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, StringAttr(context.node, "equation"));
  TAGFLOW_ASSIGN_OR_RETURN(const EinsumEquation equation,
                           EinsumEquation::Parse(text, context.inputs.size()));
  Plan plan;
  int ellipsis_rank = 0;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    const Tensor& input = context.inputs[i];
    TAGFLOW_ASSIGN_OR_RETURN(EinsumLabels labels, equation.InputLabels(i, input.rank()));
    TAGFLOW_RETURN_IF_ERROR(AddDims(plan.dims, labels, input.dims()));
    plan.inputs.push_back(std::move(labels));
    ellipsis_rank = std::max(ellipsis_rank, equation.EllipsisRank(i, input.rank()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(plan.output, equation.OutputLabels(ellipsis_rank));
  if (plan.output.size() <= kMostDimensions) return plan;
  return InvalidArgument("the output of Einsum has too many dimensions");
}

//   inputs: one or two; attr equation: see einsum_equation.h
//   output: zero off the diagonals that labels which come twice in it name
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (equation, shapes), RESOURCE_EXHAUSTED
Status Einsum(KernelContext& context) {
  const DType dtype = context.inputs[0].dtype();
  TAGFLOW_RETURN_IF_ERROR(RequireDType("Einsum", dtype, kSummed));
  for (const Tensor& input : context.inputs) {
    TAGFLOW_RETURN_IF_ERROR(RequireSameDType("Einsum", dtype, input.dtype()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Plan plan, ReadPlan(context));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(DimsOf(plan.dims, plan.output)));
  return WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Status {
    if constexpr (ComplexElement<C>) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0],
                               (Compute<std::complex<double>, C>(context.inputs, plan)));
    } else if constexpr (FloatElement<C>) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Compute<double, C>(context.inputs, plan)));
    } else if constexpr (std::same_as<C, int64_t>) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Compute<C, C>(context.inputs, plan)));
    }
    return Status();
  });
}

}  // namespace

Status RegisterEinsumKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Einsum", Einsum}});
}

}  // namespace tagflow::reference
