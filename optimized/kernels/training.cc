// What a training step does to its variables: ApplyAdam, ResourceApplyMomentum, …; and to rows of
// them: SparseApplyAdagrad, ….
//
// The variables of a step are changed as one: all are locked (in the order of their addresses, so
// that two steps never wait for one another), all is checked, and then all are written, in place
// where nobody holds a snapshot. Each becomes what it does by the values that all had before; of
// two inputs that are one variable, the later is what it becomes.
// Tested by conformance/ops/training.ops.

#include <algorithm>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "optimized/formulas/numbers.h"
#include "optimized/kernels/change.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/training_formulas.h"
#include "optimized/kernels/training_pulls.h"
#include "optimized/kernels/variable_access.h"
#include "optimized/kernels/widening.h"

namespace tagflow::optimized {

using namespace training;  // NOLINT: the formulas
namespace {

// ---- Applying one to tensors ----

constexpr char kNesterov[] = "use_nesterov";
constexpr char kUpdateSlots[] = "update_slots";
constexpr char kByRate[] = "multiply_linear_by_lr";

enum class Extent : uint8_t { kAll, kRows };  // of the variables

// What an op takes, numbered as the inputs of its dense form.
struct Form {
  int slots = 0;          // variables, the first inputs
  int gradient = 0;       // the number of that input
  const char* flag = "";  // an attr, none if empty
  DTypeSet dtypes = kContinuous;
  DTypeSet sparse_dtypes = dtypes;  // of the sparse form
};

// Where input `i` of the dense form is: of a sparse one the rows are behind the gradient.
int PlaceOf(int i, const Form& form, Extent extent) {
  return extent == Extent::kRows && i > form.gradient ? i + 1 : i;
}

// A part of the variables that a part of the gradient goes to, by elements.
struct Part {
  int64_t target, source, count;
};

// Makes the parts of the slots what the formula says; or says what is refused, and does nothing.
// REQUIRES: what Check checks; unique slots
struct Training {
  const KernelContext& context;
  const Form& form;
  Extent extent;
  bool flag;
  std::span<const Part> parts;
  std::vector<Tensor>* slots;  // null: only to say what is refused
};
using Apply = const char* (*)(const Training& training);

// The number of a step is rounded to float, whatever is trained.
template <typename C>
C ScalarOf(const Tensor& scalar, const Widening* widening) {
  if (scalar.dtype() == DType::kInt64) {
    return static_cast<C>(static_cast<float>(scalar.scalar<int64_t>()));
  }
  if (widening == nullptr) return *static_cast<const C*>(scalar.raw_data());
  C wide;
  widening->load(scalar.raw_data(), &wide, 1);
  return wide;
}

template <typename C, typename Formula>
void RunInPlace(Operands<C> operands, const Tensor& gradient, const Part& part,
                std::vector<Tensor>& slots) {
  for (size_t k = 0; k < slots.size(); ++k) {
    operands.slots[k] = static_cast<C*>(slots[k].mutable_raw_data()) + part.target;
  }
  operands.gradient = static_cast<const C*>(gradient.raw_data()) + part.source;
  operands.count = part.count;
  Formula::Run(operands);
}

// The same on widened blocks.
template <typename C, typename Formula>
void RunWidened(Operands<C> operands, const Tensor& gradient, const Part& part,
                std::vector<Tensor>& slots, const Widening& widening) {
  C wide[kSlotsMax][kWideBlock];
  C wide_gradient[kWideBlock];
  const int64_t size = static_cast<int64_t>(DTypeSize(gradient.dtype()));
  operands.gradient = wide_gradient;
  for (int64_t begin = 0; begin < part.count; begin += kWideBlock) {
    operands.count = std::min(kWideBlock, part.count - begin);
    const auto at = [&](void* data) {
      return static_cast<char*>(data) + (part.target + begin) * size;
    };
    widening.load(static_cast<const char*>(gradient.raw_data()) + (part.source + begin) * size,
                  wide_gradient, operands.count);
    for (size_t k = 0; k < slots.size(); ++k) {
      widening.load(at(slots[k].mutable_raw_data()), wide[k], operands.count);
      operands.slots[k] = wide[k];
    }
    Formula::Run(operands);
    for (size_t k = 0; k < slots.size(); ++k) {
      widening.store(wide[k], at(slots[k].mutable_raw_data()), operands.count);
    }
  }
}

template <typename C, typename Formula>
const char* Refusal(const Operands<C>& operands, Extent extent) {
  if constexpr (requires { Formula::Refuses(operands); }) {
    return Formula::Refuses(operands);
  } else if constexpr (requires { Formula::RefusesRows(operands); }) {
    return extent == Extent::kRows ? Formula::RefusesRows(operands) : nullptr;
  }
  return nullptr;
}

template <typename C, typename Formula>
const char* ApplyFormula(const Training& training) {
  const KernelContext& context = training.context;
  const Form& form = training.form;
  const Tensor& gradient = context.input(form.gradient);
  const Widening* widening = ComputingWidening(gradient.dtype());
  Operands<C> operands{};
  operands.flag = training.flag;
  for (int i = form.slots; PlaceOf(i, form, training.extent) < context.num_inputs(); ++i) {
    if (i == form.gradient) continue;
    const Tensor& scalar = context.input(PlaceOf(i, form, training.extent));
    operands.scalars[static_cast<size_t>(i)] = ScalarOf<C>(scalar, widening);
  }
  const char* refusal = Refusal<C, Formula>(operands, training.extent);
  if (refusal != nullptr || training.slots == nullptr) return refusal;
  for (const Part& part : training.parts) {
    if (widening == nullptr) {
      RunInPlace<C, Formula>(operands, gradient, part, *training.slots);
    } else {
      RunWidened<C, Formula>(operands, gradient, part, *training.slots, *widening);
    }
  }
  return nullptr;
}

// Null for a dtype that is not trained.
template <typename C, typename Formula>
Apply ApplyOf() {
  if constexpr (requires(const Operands<C>& operands) { Formula::Run(operands); }) {
    return &ApplyFormula<C, Formula>;
  }
  return nullptr;
}
template <typename Formula>
Apply FindApply(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return ApplyOf<float, Formula>();
    case DType::kDouble:
      return ApplyOf<double, Formula>();
    case DType::kHalf:
      return ApplyOf<RoundedHalf, Formula>();
    case DType::kBFloat16:
      return ApplyOf<RoundedBFloat16, Formula>();
    case DType::kComplex64:
      return ApplyOf<std::complex<float>, Formula>();
    case DType::kComplex128:
      return ApplyOf<std::complex<double>, Formula>();
    default:
      return nullptr;
  }
}

// ---- Kernels ----

using Variables = std::vector<std::shared_ptr<Variable>>;

Status CheckValue(const Variable& variable, const Tensor& value, By by) {
  if (value.has_value()) return Status();
  if (by == By::kReference) return Uninitialized(variable);
  return Internal("variable '" + variable.name() +
                  "' has no value: run what assigns it before it is trained");
}

// The variables of the first `count` inputs, with a value each.
Result<Variables> FindVariables(KernelContext& context, int count, By by) {
  Variables variables;
  for (int i = 0; i < count; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(auto variable,
                             by == By::kHandle ? VariableOf(context, i) : context.variable(i));
    TAGFLOW_RETURN_IF_ERROR(CheckValue(*variable, variable->value(), by));
    variables.push_back(std::move(variable));
  }
  return variables;
}

// The contents of variables that are locked, by input.
using Contents = std::vector<Variable::Contents*>;

// Calls use() with all of the variables locked and `contents` theirs.
//   order: each variable once, by address
template <typename F>
Status WithAll(std::span<Variable* const> order, const Variables& variables, Contents& contents,
               F use) {
  if (order.empty()) return use();
  return order[0]->With([&](Variable::Contents& locked) {
    for (size_t k = 0; k < variables.size(); ++k) {
      if (variables[k].get() == order[0]) contents[k] = &locked;
    }
    return WithAll(order.subspan(1), variables, contents, use);
  });
}

Status NotLike(const Variable& variable, DimsView dims, const Tensor& gradient) {
  return InvalidArgument("variable '" + variable.name() + "' of shape " + DimsString(dims) +
                         " and a gradient of shape " + DimsString(gradient.dims()) +
                         " do not have the same shape");
}

// What the variables must be like: of the same shape as the gradient, or as many rows as the first
// of them has.
//   Errors: INVALID_ARGUMENT
Result<Dims> WantedDims(const KernelContext& context, const Form& form, Extent extent,
                        const Tensor& variable) {
  const Tensor& gradient = context.input(form.gradient);
  Dims dims(gradient.dims().begin(), gradient.dims().end());
  if (extent == Extent::kAll) return dims;
  const Tensor& indices = context.input(form.gradient + 1);
  if (indices.rank() != 1) return InvalidArgument("indices must be one-dimensional");
  if (dims.empty() || dims[0] != indices.dim(0)) {
    return InvalidArgument("grad must be the same size as indices in the first dimension.");
  }
  if (variable.rank() == 0) return InvalidArgument("var must be at least 1 dimensional");
  dims[0] = variable.dim(0);
  return dims;
}

Status Check(const KernelContext& context, const Form& form, Extent extent, By by,
             const Variables& variables, const Contents& contents) {
  const Tensor& gradient = context.input(form.gradient);
  for (size_t k = 0; k < variables.size(); ++k) {
    const Tensor& value = contents[k]->value;
    TAGFLOW_RETURN_IF_ERROR(CheckValue(*variables[k], value, by));
    if (value.dtype() != gradient.dtype()) {
      return WrongDType("train", value.dtype(), gradient.dtype());
    }
  }
  for (int i = form.slots; i < context.num_inputs(); ++i) {
    const bool are_rows = extent == Extent::kRows && i == form.gradient + 1;
    if (i == form.gradient || are_rows || context.input(i).rank() == 0) continue;
    return InvalidArgument("input " + std::to_string(i) + " must be a scalar, but has shape " +
                           DimsString(context.input(i).dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims wanted,
                           WantedDims(context, form, extent, contents[0]->value));
  for (size_t k = 0; k < variables.size(); ++k) {
    const DimsView dims = contents[k]->value.dims();
    if (!std::ranges::equal(dims, wanted)) return NotLike(*variables[k], dims, gradient);
  }
  return Status();
}

// The parts of the variables that change: all, or a row after the other.
//   Errors: INVALID_ARGUMENT: a row that is not there
Result<std::vector<Part>> PartsOf(const KernelContext& context, const Form& form, Extent extent,
                                  const Tensor& variable) {
  const Tensor& gradient = context.input(form.gradient);
  const int64_t count = gradient.num_elements();
  if (extent == Extent::kAll) return std::vector<Part>{{0, 0, count}};
  TAGFLOW_ASSIGN_OR_RETURN(const IntView rows, IntView::Of(context.input(form.gradient + 1)));
  std::vector<Part> parts;
  parts.reserve(static_cast<size_t>(rows.size()));
  const int64_t width = rows.size() == 0 ? 0 : count / rows.size();
  for (int64_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= variable.dim(0)) {
      return InvalidArgument("Index " + std::to_string(rows[i]) + " at offset " +
                             std::to_string(i) + " in indices is out of range");
    }
    parts.push_back({rows[i] * width, i * width, width});
  }
  return parts;
}

// The values of the variables, to be changed: out of a variable that is one slot only, so that
// they may be unique; else the copy is what becomes so.
Result<std::vector<Tensor>> TakeValues(const Contents& contents) {
  std::vector<Tensor> slots;
  for (Variable::Contents* held : contents) slots.push_back(held->value);
  // Nothing fails from here on but for want of memory, and then the variables still have all.
  for (size_t k = 0; k < slots.size(); ++k) {
    if (std::ranges::count(contents, contents[k]) == 1) contents[k]->value = Tensor();
    const Status made = MakeUnique(slots[k]);
    if (made.ok()) continue;
    for (size_t j = 0; j <= k; ++j) contents[j]->value = slots[j];
    return made;
  }
  return slots;
}

struct Trainer {
  Form form;
  Extent extent;
  bool flag;
  By by;
  Apply apply;

  // With all variables locked.
  Status Train(const KernelContext& context, const Variables& variables,
               const Contents& contents) const {
    TAGFLOW_RETURN_IF_ERROR(Check(context, form, extent, by, variables, contents));
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Part> parts,
                             PartsOf(context, form, extent, contents[0]->value));
    Training training = {context, form, extent, flag, parts, nullptr};
    const char* refusal = apply(training);
    if (refusal != nullptr) return InvalidArgument(refusal);
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> slots, TakeValues(contents));
    training.slots = &slots;
    apply(training);
    for (size_t k = 0; k < slots.size(); ++k) contents[k]->value = std::move(slots[k]);
    return Status();
  }

  Status operator()(KernelContext& context) const {
    TAGFLOW_ASSIGN_OR_RETURN(const Variables variables, FindVariables(context, form.slots, by));
    std::vector<Variable*> order;
    for (const auto& variable : variables) order.push_back(variable.get());
    std::ranges::sort(order);
    order.erase(std::unique(order.begin(), order.end()), order.end());
    Contents contents(variables.size());
    TAGFLOW_RETURN_IF_ERROR(WithAll(order, variables, contents, [&]() -> Status {
      return Train(context, variables, contents);
    }));
    if (by == By::kReference) context.output(0) = context.Take(0);
    return Status();
  }
};

template <typename Formula>
Binder Bind(Form form, Extent extent, By by) {
  return [form, extent, by](const Binding& binding) -> Result<BoundKernel> {
    const DType dtype = binding.input_dtype(static_cast<size_t>(form.gradient));
    TAGFLOW_RETURN_IF_ERROR(
        RequireDType(binding, dtype, extent == Extent::kAll ? form.dtypes : form.sparse_dtypes));
    const Apply apply = FindApply<Formula>(dtype);
    if (apply == nullptr) return NoKernelFor(binding, dtype);
    bool flag = false;
    if (*form.flag != '\0') {
      TAGFLOW_ASSIGN_OR_RETURN(flag, BoolAttr(binding.node, form.flag));
    }
    return BoundKernel(Trainer{form, extent, flag, by, apply});
  };
}

// Collects kernels; the first error stays.
class Registration {
 public:
  explicit Registration(KernelRegistry& registry) : registry_(registry) {}
  const Status& status() const { return status_; }

  template <typename Formula>
  void ByHandle(const std::string& name, Extent extent, const Form& form) {
    const std::string prefix = extent == Extent::kAll ? "ResourceApply" : "ResourceSparseApply";
    Add(prefix + name, Bind<Formula>(form, extent, By::kHandle));
  }
  template <typename Formula>
  void Dense(const std::string& name, const Form& form) {
    Add("Apply" + name, Bind<Formula>(form, Extent::kAll, By::kReference));
    ByHandle<Formula>(name, Extent::kAll, form);
  }
  template <typename Formula>
  void DenseAndSparse(const std::string& name, const Form& form) {
    Dense<Formula>(name, form);
    Add("SparseApply" + name, Bind<Formula>(form, Extent::kRows, By::kReference));
    ByHandle<Formula>(name, Extent::kRows, form);
  }

 private:
  void Add(const std::string& op, const Binder& bind) {
    if (status_.ok()) status_ = registry_.Register(op, bind);
  }

  KernelRegistry& registry_;
  Status status_;
};

constexpr DTypeSet kNoBFloat16 = kContinuous & ~SetOf(DType::kBFloat16);
constexpr DTypeSet kWide = SetOf(DType::kFloat, DType::kDouble);

}  // namespace

Status RegisterTrainingKernels(KernelRegistry& registry) {
  Registration all(registry);
  all.Dense<GradientDescent>("GradientDescent", {1, 2});
  all.Dense<Adam>("Adam", {3, 9, kNesterov});
  all.Dense<AdaMax>("AdaMax", {3, 8, "", kFloats & kNoBFloat16});
  all.Dense<BySign<SignSum>>("AddSign", {2, 6, "", kFloats});
  all.Dense<BySign<SignPower>>("PowerSign", {2, 6, "", kFloats});
  all.DenseAndSparse<Momentum>("Momentum", {2, 3, kNesterov});
  all.DenseAndSparse<Adagrad>("Adagrad", {2, 3, kUpdateSlots});
  all.DenseAndSparse<AdagradV2>("AdagradV2", {2, 4, kUpdateSlots});
  all.DenseAndSparse<RmsProp>("RMSProp", {3, 7, "", kContinuous, kNoBFloat16});
  all.DenseAndSparse<CenteredRmsProp>("CenteredRMSProp", {4, 8, "", kContinuous, kNoBFloat16});
  all.DenseAndSparse<Adadelta>("Adadelta", {3, 6});
  all.DenseAndSparse<AdagradDA>("AdagradDA", {3, 3, "", kWide});
  all.DenseAndSparse<Ftrl<false>>("Ftrl", {3, 3, kByRate, kFloats});
  all.DenseAndSparse<Ftrl<true>>("FtrlV2", {3, 3, kByRate, kFloats});
  all.DenseAndSparse<ProximalGradientDescent>("ProximalGradientDescent", {1, 4, "", kWide});
  all.DenseAndSparse<ProximalAdagrad>("ProximalAdagrad", {2, 5, "", kWide});
  for (const Extent extent : {Extent::kAll, Extent::kRows}) {
    all.ByHandle<KerasMomentum>("KerasMomentum", extent, {2, 3, kNesterov});
  }
  all.ByHandle<AdamWithAmsgrad>("AdamWithAmsgrad", Extent::kAll, {4, 10, "", kFloats});
  return all.status();
}

}  // namespace tagflow::optimized
