// What a training step does to its variables: ApplyAdam, ResourceApplyMomentum, …; and to rows of
// them: SparseApplyAdagrad, ….
//
// The variables of a step are changed as one: all are locked, all is checked, and then all are
// written, in place where nobody holds a snapshot. Each becomes what it does by the values that all
// had before; of two inputs that are one variable, the later is what it becomes. Tested by
// conformance/ops/training.ops.

#include "optimized/formulas/training.h"

#include <algorithm>
#include <array>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "optimized/formulas/numbers.h"
#include "optimized/formulas/training_pulls.h"
#include "optimized/kernels/change.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/trained_variables.h"
#include "optimized/kernels/widening.h"

namespace tagflow::optimized {

using namespace training;  // NOLINT: the formulas
namespace {

// ---- Applying one to tensors ----

// A part of the variables that a part of the gradient goes to, by elements.
struct Part {
  int64_t target, source, count;
};

// Makes the parts of the slots what the formula says; or says what is refused, and does nothing.
// REQUIRES: what Check checks; unique slots
struct Training {
  const KernelContext& context;
  Extent extent;
  bool flag;
  std::span<const Part> parts;
  std::vector<Tensor>* slots;  // null: only to say what is refused
};
using Apply = const char* (*)(const Training& training);

template <typename C>
C ScalarOf(const Tensor& scalar, const Widening* widening) {
  if (scalar.dtype() == DType::kInt64) return OfStepNumber<C>(scalar.scalar<int64_t>());
  if (widening == nullptr) return *static_cast<const C*>(scalar.raw_data());
  C wide;
  widening->load(scalar.raw_data(), &wide, 1);
  return wide;
}

// Elements that belong together, of each slot and of the gradient.
template <typename C>
struct Stretch {
  std::array<C*, kSlotsMax> slots;
  const C* gradient;
  int64_t count;
};

// No two slots overlap, so that the loop becomes vector code.
template <typename C, typename Step, typename... Slots>
void RunEach(const Step& step, const C* gradient, int64_t count, Slots* __restrict... slots) {
  for (int64_t i = 0; i < count; ++i) step(gradient[i], slots[i]...);
}
template <typename Formula, typename C, typename Step>
void Run(const Step& step, const Stretch<C>& on) {
  const auto run = [&]<size_t... k>(std::index_sequence<k...>) {
    RunEach(step, on.gradient, on.count, on.slots[k]...);
  };
  run(std::make_index_sequence<Formula::kForm.slots>());
}

template <typename Formula, typename C, typename Step>
void RunInPlace(const Step& step, const Tensor& gradient, const Part& part,
                std::vector<Tensor>& slots) {
  Stretch<C> stretch{};
  for (size_t k = 0; k < slots.size(); ++k) {
    stretch.slots[k] = static_cast<C*>(slots[k].mutable_raw_data()) + part.target;
  }
  stretch.gradient = static_cast<const C*>(gradient.raw_data()) + part.source;
  stretch.count = part.count;
  Run<Formula>(step, stretch);
}

// The same on widened blocks.
template <typename Formula, typename C, typename Step>
void RunWidened(const Step& step, const Tensor& gradient, const Part& part,
                std::vector<Tensor>& slots, const Widening& widening) {
  C wide[kSlotsMax][kWideBlock];
  C wide_gradient[kWideBlock];
  const int64_t size = static_cast<int64_t>(DTypeSize(gradient.dtype()));
  Stretch<C> block{};
  block.gradient = wide_gradient;
  for (int64_t begin = 0; begin < part.count; begin += kWideBlock) {
    block.count = std::min(kWideBlock, part.count - begin);
    const auto at = [&](void* data) {
      return static_cast<char*>(data) + (part.target + begin) * size;
    };
    widening.load(static_cast<const char*>(gradient.raw_data()) + (part.source + begin) * size,
                  wide_gradient, block.count);
    for (size_t k = 0; k < slots.size(); ++k) {
      widening.load(at(slots[k].mutable_raw_data()), wide[k], block.count);
      block.slots[k] = wide[k];
    }
    Run<Formula>(step, block);
    for (size_t k = 0; k < slots.size(); ++k) {
      widening.store(wide[k], at(slots[k].mutable_raw_data()), block.count);
    }
  }
}

template <typename Formula, typename C>
const char* Refusal(const Scalars<C>& scalars, bool flag, Extent extent) {
  if constexpr (requires { Formula::Refuses(scalars, flag); }) {
    return Formula::Refuses(scalars, flag);
  } else if constexpr (requires { Formula::RefusesRows(scalars, flag); }) {
    return extent == Extent::kRows ? Formula::RefusesRows(scalars, flag) : nullptr;
  }
  return nullptr;
}

template <typename C, typename Formula>
const char* ApplyFormula(const Training& training) {
  const KernelContext& context = training.context;
  constexpr Form kForm = Formula::kForm;
  const Tensor& gradient = context.input(kForm.gradient);
  const Widening* widening = ComputingWidening(gradient.dtype());
  Scalars<C> scalars{};
  for (int i = kForm.slots; PlaceOf(i, kForm, training.extent) < context.num_inputs(); ++i) {
    if (i == kForm.gradient) continue;
    scalars[i] = ScalarOf<C>(context.input(PlaceOf(i, kForm, training.extent)), widening);
  }
  const char* refusal = Refusal<Formula>(scalars, training.flag, training.extent);
  if (refusal != nullptr || training.slots == nullptr) return refusal;
  const auto step = Formula::With(scalars, training.flag);
  for (const Part& part : training.parts) {
    if (widening == nullptr) {
      RunInPlace<Formula, C>(step, gradient, part, *training.slots);
    } else {
      RunWidened<Formula, C>(step, gradient, part, *training.slots, *widening);
    }
  }
  return nullptr;
}

// Null for a dtype that is not trained.
template <typename C, typename Formula>
Apply ApplyOf() {
  if constexpr (requires(const Scalars<C>& scalars) { Formula::With(scalars, false); }) {
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

using Contents = std::vector<Variable::Contents*>;

// The parts of the variables that change: all, or a row after the other.
//   Errors: INVALID_ARGUMENT: a row that is not there
Result<std::vector<Part>> PartsOf(const KernelContext& context, const Form& form, Extent extent,
                                  const Tensor& variable) {
  const Tensor& gradient = context.input(form.gradient);
  const int64_t count = gradient.num_elements();
  if (extent == Extent::kAll) return std::vector<Part>{{0, 0, count}};
  const Tensor& indices = context.input(form.gradient + 1);
  TAGFLOW_RETURN_IF_ERROR(CheckTrainedRows(indices, variable.dim(0)));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView rows, IntView::Of(indices));
  std::vector<Part> parts;
  parts.reserve(static_cast<size_t>(rows.size()));
  const int64_t width = rows.size() == 0 ? 0 : count / rows.size();
  for (int64_t i = 0; i < rows.size(); ++i) {
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
  Status Train(const KernelContext& context, const TrainedVariables& variables) const {
    TAGFLOW_RETURN_IF_ERROR(variables.Check(context));
    const Contents& contents = variables.contents();
    TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Part> parts,
                             PartsOf(context, form, extent, contents[0]->value));
    Training training = {context, extent, flag, parts, nullptr};
    const char* refusal = apply(training);
    if (refusal != nullptr) return InvalidArgument(refusal);
    TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> slots, TakeValues(contents));
    training.slots = &slots;
    apply(training);
    for (size_t k = 0; k < slots.size(); ++k) contents[k]->value = std::move(slots[k]);
    return Status();
  }

  Status operator()(KernelContext& context) const {
    TAGFLOW_ASSIGN_OR_RETURN(TrainedVariables variables,
                             TrainedVariables::Find(context, form, extent, by));
    TAGFLOW_RETURN_IF_ERROR(variables.With([&] { return Train(context, variables); }));
    if (by == By::kReference) context.output(0) = context.Take(0);
    return Status();
  }
};

template <typename Formula>
Binder Bind(Extent extent, By by, DTypeSet dtypes) {
  return [extent, by, dtypes](const Binding& binding) -> Result<BoundKernel> {
    constexpr Form kForm = Formula::kForm;
    const DType dtype = binding.input_dtype(static_cast<size_t>(kForm.gradient));
    TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, dtypes));
    const Apply apply = FindApply<Formula>(dtype);
    if (apply == nullptr) return NoKernelFor(binding, dtype);
    bool flag = false;
    if (*kForm.flag != '\0') {
      TAGFLOW_ASSIGN_OR_RETURN(flag, BoolAttr(binding.node, kForm.flag));
    }
    return BoundKernel(Trainer{kForm, extent, flag, by, apply});
  };
}

// Collects kernels; the first error stays.
class Registration {
 public:
  explicit Registration(KernelRegistry& registry) : registry_(registry) {}
  const Status& status() const { return status_; }

  template <typename Formula>
  void ByHandle(const std::string& name, Extent extent, DTypeSet dtypes = kContinuous) {
    const std::string prefix = extent == Extent::kAll ? "ResourceApply" : "ResourceSparseApply";
    Add(prefix + name, Bind<Formula>(extent, By::kHandle, dtypes));
  }
  template <typename Formula>
  void Dense(const std::string& name, DTypeSet dtypes = kContinuous) {
    Add("Apply" + name, Bind<Formula>(Extent::kAll, By::kReference, dtypes));
    ByHandle<Formula>(name, Extent::kAll, dtypes);
  }
  template <typename Formula>
  void Sparse(const std::string& name, DTypeSet dtypes = kContinuous) {
    Add("SparseApply" + name, Bind<Formula>(Extent::kRows, By::kReference, dtypes));
    ByHandle<Formula>(name, Extent::kRows, dtypes);
  }
  template <typename Formula>
  void DenseAndSparse(const std::string& name, DTypeSet dtypes = kContinuous) {
    Dense<Formula>(name, dtypes);
    Sparse<Formula>(name, dtypes);
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
  all.Dense<GradientDescent>("GradientDescent");
  all.Dense<Adam>("Adam");
  all.Dense<AdaMax>("AdaMax", kFloats & kNoBFloat16);
  all.Dense<BySign<SignSum>>("AddSign", kFloats);
  all.Dense<BySign<SignPower>>("PowerSign", kFloats);
  all.DenseAndSparse<Momentum>("Momentum");
  all.DenseAndSparse<Adagrad>("Adagrad");
  all.DenseAndSparse<AdagradV2>("AdagradV2");
  all.Dense<RmsProp>("RMSProp");
  all.Sparse<RmsProp>("RMSProp", kNoBFloat16);
  all.Dense<CenteredRmsProp>("CenteredRMSProp");
  all.Sparse<CenteredRmsProp>("CenteredRMSProp", kNoBFloat16);
  all.DenseAndSparse<Adadelta>("Adadelta");
  all.DenseAndSparse<AdagradDA>("AdagradDA", kWide);
  all.DenseAndSparse<Ftrl<false>>("Ftrl", kFloats);
  all.DenseAndSparse<Ftrl<true>>("FtrlV2", kFloats);
  all.DenseAndSparse<ProximalGradientDescent>("ProximalGradientDescent", kWide);
  all.DenseAndSparse<ProximalAdagrad>("ProximalAdagrad", kWide);
  for (const Extent extent : {Extent::kAll, Extent::kRows}) {
    all.ByHandle<KerasMomentum>("KerasMomentum", extent);
  }
  all.ByHandle<AdamWithAmsgrad>("AdamWithAmsgrad", Extent::kAll, kFloats);
  return all.status();
}

}  // namespace tagflow::optimized
