// Einsum: sums of products that an equation spells, brought to products of matrices.
//
// The labels of two inputs fall into groups:
//
//   batch     in both inputs and the output        left, right  in one input and the output
//   inner     in both inputs alone                 own          in one input alone
//
// Each input is laid out as a batch of matrices, [batch, left, inner] and [batch, inner, right],
// along the diagonal of labels it has twice and summed over its own labels; the matrices are
// multiplied, and the products laid out as the output wants them. An input that lies so already is
// taken as it is. A single input is laid out and summed only.
//
// Half, bfloat16, float and complex64 are computed as their wide types where there are own labels,
// so that no sum is rounded twice.

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "graph/limits.h"
#include "graph/ops/einsum_equation.h"
#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/product.h"
#include "optimized/kernels/reduction.h"
#include "optimized/kernels/strided_copy.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kSummed = kContinuous | SetOf(DType::kInt32, DType::kInt64);

using LabelDims = std::map<int, int64_t>;

bool Has(const EinsumLabels& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}
EinsumLabels Distinct(const EinsumLabels& labels) {
  EinsumLabels distinct;
  for (int label : labels) {
    if (!Has(distinct, label)) distinct.push_back(label);
  }
  return distinct;
}
EinsumLabels Joined(EinsumLabels a, const EinsumLabels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// ---- What an equation says of these inputs ----

struct Plan {
  std::vector<EinsumLabels> inputs;
  EinsumLabels output;
  LabelDims dims;
};

// The dimension of each label: one for all its places, but those of "..." broadcast.
Status AddDims(LabelDims& dims, const EinsumLabels& labels, DimsView shape) {
  for (size_t i = 0; i < labels.size(); ++i) {
    int64_t& known = dims.try_emplace(labels[i], shape[i]).first->second;
    const bool broadcasts = labels[i] < 0;
    if (broadcasts && known == 1) known = shape[i];
    if (known == shape[i] || (broadcasts && shape[i] == 1)) continue;
    return InvalidArgument("a label of Einsum has the dimensions " + std::to_string(known) +
                           " and " + std::to_string(shape[i]));
  }
  return Status();
}

Result<Plan> PlanOf(const EinsumEquation& equation, const KernelContext& context) {
  Plan plan;
  int ellipsis_rank = 0;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Tensor& input = context.input(i);
    const auto number = static_cast<size_t>(i);
    TAGFLOW_ASSIGN_OR_RETURN(EinsumLabels labels, equation.InputLabels(number, input.rank()));
    TAGFLOW_RETURN_IF_ERROR(AddDims(plan.dims, labels, input.dims()));
    plan.inputs.push_back(std::move(labels));
    ellipsis_rank = std::max(ellipsis_rank, equation.EllipsisRank(number, input.rank()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(plan.output, equation.OutputLabels(ellipsis_rank));
  if (plan.output.size() <= kMostDimensions) return plan;
  return InvalidArgument("the output of Einsum has too many dimensions");
}

Dims DimsOf(const LabelDims& dims, const EinsumLabels& labels) {
  Dims result;
  for (int label : labels) result.push_back(dims.at(label));
  return result;
}

// ---- Tensors by their labels ----

// How far a step along each label goes: along the diagonal of one that comes twice.
std::map<int, int64_t> StepsOf(const EinsumLabels& labels, DimsView dims) {
  const SmallDims strides = StridesOf(dims);
  std::map<int, int64_t> steps;
  for (size_t i = 0; i < labels.size(); ++i) steps[labels[i]] += strides[i];
  return steps;
}

struct Labelled {
  Tensor tensor;
  EinsumLabels labels;

  LabelDims dims() const {
    LabelDims dims;
    for (size_t i = 0; i < labels.size(); ++i) dims[labels[i]] = tensor.dim(static_cast<int>(i));
    return dims;
  }
};

StridedCopy CopyTo(const Labelled& input, const EinsumLabels& order) {
  const auto steps = StepsOf(input.labels, input.tensor.dims());
  SmallDims from_steps;
  for (int label : order) from_steps.push_back(steps.at(label));
  StridedCopy copy;
  copy.AddAll(DimsOf(input.dims(), order), from_steps);
  return copy;
}

// The elements in the order of these labels, once each; shared where they lie so.
//   Errors: RESOURCE_EXHAUSTED
Result<Labelled> LaidOut(const Labelled& input, const EinsumLabels& order) {
  const Dims dims = DimsOf(input.dims(), order);
  const StridedCopy copy = CopyTo(input, order);
  if (input.labels.size() == order.size() && copy.is_one_run()) {
    return Labelled{input.tensor.Reshaped(dims), order};
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out, Tensor::AllocateUninitialized(input.tensor.dtype(), dims));
  copy.Run(MoverOf(out.dtype()), input.tensor.raw_data(), out.mutable_raw_data());
  return Labelled{std::move(out), order};
}

DType WideDType(DType dtype) {
  return ForWidestType(dtype, []<typename W>(Computing<W>) { return DTypeOf<W>::value; });
}
Result<Tensor> Widened(const Tensor& tensor) {
  const Widening* widening = WidestWidening(tensor.dtype());
  if (widening == nullptr) return tensor;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor wide,
                           Tensor::AllocateUninitialized(WideDType(tensor.dtype()), tensor.dims()));
  widening->load(tensor.raw_data(), wide.mutable_raw_data(), tensor.num_elements());
  return wide;
}

// An input without its own labels, which are those not in `kept`, summed over.
Result<Labelled> WithoutOwn(const Labelled& input, const EinsumLabels& kept,
                            const KernelContext& context) {
  EinsumLabels staying, own;
  for (int label : Distinct(input.labels)) (Has(kept, label) ? staying : own).push_back(label);
  if (own.empty()) return input;
  TAGFLOW_ASSIGN_OR_RETURN(const Labelled laid_out, LaidOut(input, Joined(staying, own)));
  Dims dims = DimsOf(input.dims(), staying);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor sums, Tensor::AllocateUninitialized(input.tensor.dtype(), dims));
  dims.resize(laid_out.labels.size(), 1);
  TAGFLOW_RETURN_IF_ERROR(
      Reduce(ReducerOf(SumReducers(), sums.dtype()), laid_out.tensor, dims, sums, context));
  return Labelled{std::move(sums), staying};
}

// ---- Products ----

struct Groups {
  EinsumLabels batch, left, inner, right;
};
Groups GroupsOf(const Labelled& a, const Labelled& b, const EinsumLabels& output) {
  Groups groups;
  for (int label : Distinct(a.labels)) {
    const bool in_output = Has(output, label);
    if (!Has(b.labels, label)) {
      groups.left.push_back(label);
    } else {
      (in_output ? groups.batch : groups.inner).push_back(label);
    }
  }
  for (int label : Distinct(b.labels)) {
    if (!Has(a.labels, label)) groups.right.push_back(label);
  }
  return groups;
}

// Matrices one after the other, as the product reads them.
struct Matrices {
  Labelled elements;
  Dims batch;
  Factor form;  // of each; without data, which may lie in the tensor itself
};
Result<Matrices> MatricesOf(const Labelled& input, const EinsumLabels& batch,
                            const EinsumLabels& rows, const EinsumLabels& columns) {
  const LabelDims dims = input.dims();
  // Transposed, if that spares the copy.
  const EinsumLabels turned = Joined(Joined(batch, columns), rows);
  const bool is_turned = input.labels == turned;
  Matrices matrices;
  TAGFLOW_ASSIGN_OR_RETURN(
      matrices.elements, LaidOut(input, is_turned ? turned : Joined(Joined(batch, rows), columns)));
  matrices.batch = DimsOf(dims, batch);
  matrices.form = {nullptr, input.tensor.dtype(), ProductOf(DimsOf(dims, rows)),
                   ProductOf(DimsOf(dims, columns)), is_turned};
  return matrices;
}

// Of two inputs without own labels: [batch, left, right].
Result<Labelled> Product(const Labelled& a, const Labelled& b, const Plan& plan,
                         const KernelContext& context) {
  const Groups groups = GroupsOf(a, b, plan.output);
  TAGFLOW_ASSIGN_OR_RETURN(const Matrices x,
                           MatricesOf(a, groups.batch, groups.left, groups.inner));
  TAGFLOW_ASSIGN_OR_RETURN(const Matrices y,
                           MatricesOf(b, groups.batch, groups.inner, groups.right));
  const EinsumLabels order = Joined(Joined(groups.batch, groups.left), groups.right);
  const DType dtype = a.tensor.dtype();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out,
                           Tensor::AllocateUninitialized(dtype, DimsOf(plan.dims, order)));
  const Mover& mover = MoverOf(dtype);
  Factor left = x.form, right = y.form;
  const BroadcastRows rows({x.batch, y.batch}, DimsOf(plan.dims, groups.batch));
  int64_t number = 0;
  Status status;
  rows.ForEach([&](const int64_t* offsets) {
    for (int64_t i = 0; i < rows.row_size() && status.ok(); ++i, ++number) {
      left.data = mover.At(x.elements.tensor.raw_data(),
                           (offsets[0] + i * rows.step(0)) * left.rows * left.columns);
      right.data = mover.At(y.elements.tensor.raw_data(),
                            (offsets[1] + i * rows.step(1)) * right.rows * right.columns);
      void* to = mover.At(out.mutable_raw_data(), number * left.rows * right.columns);
      status = Multiply(dtype, left, right, to, context);
    }
    return status.ok();
  });
  TAGFLOW_RETURN_IF_ERROR(status);
  return Labelled{std::move(out), order};
}

// ---- The kernel ----

// Whether one input has the label, and nothing else does: what is summed over it, though it be
// none, is a factor like any other.
bool IsOwn(const Plan& plan, int label) {
  const auto has = [&](const EinsumLabels& input) { return Has(input, label); };
  return !Has(plan.output, label) && std::ranges::count_if(plan.inputs, has) == 1;
}
bool HasOwn(const Plan& plan) {
  return std::ranges::any_of(plan.dims, [&](const auto& dim) { return IsOwn(plan, dim.first); });
}

Result<Labelled> Compute(const KernelContext& context, const Plan& plan) {
  const bool is_wide = HasOwn(plan);
  std::vector<Labelled> inputs;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const auto number = static_cast<size_t>(i);
    Labelled input{context.input(i), plan.inputs[number]};
    if (is_wide) {
      TAGFLOW_ASSIGN_OR_RETURN(input.tensor, Widened(input.tensor));
    }
    EinsumLabels kept = plan.output;
    if (plan.inputs.size() == 2) kept = Joined(kept, plan.inputs[1 - number]);
    TAGFLOW_ASSIGN_OR_RETURN(input, WithoutOwn(input, kept, context));
    inputs.push_back(std::move(input));
  }
  if (inputs.size() == 1) return inputs[0];
  return Product(inputs[0], inputs[1], plan, context);
}

// Writes the result where the output's labels say; the rest stays.
Status Place(const Labelled& result, const Plan& plan, Tensor& out) {
  const auto to_steps = StepsOf(plan.output, out.dims());
  const auto from_steps = StepsOf(result.labels, result.tensor.dims());
  const EinsumLabels order = Distinct(plan.output);
  SmallDims from, to;
  for (int label : order) {
    from.push_back(from_steps.at(label));
    to.push_back(to_steps.at(label));
  }
  StridedCopy copy;
  copy.AddAll(DimsOf(plan.dims, order), from, to);
  const Widening* widening = WidestWidening(out.dtype());
  if (result.tensor.dtype() == out.dtype() || widening == nullptr) {
    copy.Run(MoverOf(out.dtype()), result.tensor.raw_data(), out.mutable_raw_data());
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor narrow,
                           Tensor::AllocateUninitialized(out.dtype(), result.tensor.dims()));
  widening->store(result.tensor.raw_data(), narrow.mutable_raw_data(), narrow.num_elements());
  copy.Run(MoverOf(out.dtype()), narrow.raw_data(), out.mutable_raw_data());
  return Status();
}

//   inputs: one or two; attr equation: see einsum_equation.h
//   output: zero off the diagonals that labels which come twice in it name
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (equation, shapes), RESOURCE_EXHAUSTED
Result<BoundKernel> BindEinsum(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kSummed));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, StringAttr(binding.node, "equation"));
  TAGFLOW_ASSIGN_OR_RETURN(const EinsumEquation equation,
                           EinsumEquation::Parse(text, binding.signature.inputs.size()));
  return BoundKernel([equation, dtype](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Plan plan, PlanOf(equation, context));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                             context.Allocate(0, dtype, DimsOf(plan.dims, plan.output)));
    std::memset(out->mutable_raw_data(), 0, out->byte_size());
    for (const auto& [label, size] : plan.dims) {
      if (size == 0 && !IsOwn(plan, label)) return Status();
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Labelled result, Compute(context, plan));
    return Place(result, plan, *out);
  });
}

}  // namespace

Status RegisterEinsumKernels(KernelRegistry& registry) {
  return registry.Register("Einsum", BindEinsum, Cost::kHeavy);
}

}  // namespace tagflow::optimized
