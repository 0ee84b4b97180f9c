// What a training step does to its variables: ApplyAdam, ResourceApplyMomentum, ….
//
// The variables of a step are changed as one: all are locked (in the order of their addresses, so
// that two steps never wait for one another), all is checked, and then all are written, in place
// where nobody holds a snapshot. Each becomes what it does by the values that all had before; of
// two inputs that are one variable, the later is what it becomes.
// Tested by conformance/ops/training.ops.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "optimized/formulas/numbers.h"
#include "optimized/kernels/change.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/variable_access.h"
#include "optimized/kernels/widening.h"

namespace tagflow::optimized {
namespace {

constexpr int kSlotsMax = 3;
constexpr int kInputsMax = 10;

// ---- Formulas ----

// slots[k] are the elements of the variable of input k, scalars[k] is the scalar of input k.
//   flag: attr use_nesterov or update_slots
template <Continuous C>
struct Operands {
  std::array<C*, kSlotsMax> slots;
  std::array<C, kInputsMax> scalars;
  const C* gradient;
  int64_t count;
  bool flag;
};

template <Continuous C>
C SquareRoot(C x) {
  if constexpr (std::floating_point<C>) {
    return std::sqrt(x);
  } else {
    return ByDouble(x, [](auto wide) { return std::sqrt(wide); });
  }
}
template <Continuous C>
C One() {
  return static_cast<C>(1.0);
}

//   var, alpha, delta
struct GradientDescent {
  template <typename C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    const C rate = o.scalars[1];
    for (int64_t i = 0; i < o.count; ++i) variable[i] = variable[i] - rate * o.gradient[i];
  }
};

//   var, accum, lr, grad, momentum
struct Momentum {
  template <typename C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict sum = o.slots[1];
    const C rate = o.scalars[2], momentum = o.scalars[4];
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      sum[i] = sum[i] * momentum + gradient;
      variable[i] =
          variable[i] - (o.flag ? gradient * rate + sum[i] * momentum * rate : sum[i] * rate);
    }
  }
};

//   var, accum, lr, grad, momentum
struct KerasMomentum {
  template <typename C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict sum = o.slots[1];
    const C rate = o.scalars[2], momentum = o.scalars[4];
    for (int64_t i = 0; i < o.count; ++i) {
      const C step = o.gradient[i] * rate;
      sum[i] = sum[i] * momentum - step;
      variable[i] = variable[i] + (o.flag ? sum[i] * momentum - step : sum[i]);
    }
  }
};

//   var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad
struct Adam {
  template <typename C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict mean = o.slots[1];
    C* __restrict square = o.slots[2];
    const C one = One<C>();
    const C rate = o.scalars[5] * SquareRoot(one - o.scalars[4]) / (one - o.scalars[3]);
    const C beta1 = o.scalars[6], beta2 = o.scalars[7], epsilon = o.scalars[8];
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      mean[i] = mean[i] + (gradient - mean[i]) * (one - beta1);
      square[i] = square[i] + (gradient * gradient - square[i]) * (one - beta2);
      const C step = o.flag ? gradient * (one - beta1) + beta1 * mean[i] : mean[i];
      variable[i] = variable[i] - step * rate / (SquareRoot(square[i]) + epsilon);
    }
  }
};

//   var, accum, lr, grad
struct Adagrad {
  template <typename C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict sum = o.slots[1];
    const C rate = o.scalars[2];
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      if (o.flag) sum[i] = sum[i] + gradient * gradient;
      // One rounding, as of a reciprocal square root.
      const C inverse = ByDouble(sum[i], [](auto wide) { return 1.0 / std::sqrt(wide); });
      variable[i] = variable[i] - gradient * rate * inverse;
    }
  }
};

//   var, accum, lr, epsilon, grad
struct AdagradV2 {
  template <typename C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict sum = o.slots[1];
    const C rate = o.scalars[2], epsilon = o.scalars[3];
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      if (o.flag) sum[i] = sum[i] + gradient * gradient;
      variable[i] = variable[i] - gradient * rate / (SquareRoot(sum[i]) + epsilon);
    }
  }
};

//   var, ms, mom, lr, rho, momentum, epsilon, grad
struct RmsProp {
  template <typename C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict square = o.slots[1];
    C* __restrict step = o.slots[2];
    const C rate = o.scalars[3], momentum = o.scalars[5], epsilon = o.scalars[6];
    const C share = One<C>() - o.scalars[4];
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      square[i] = square[i] + (gradient * gradient - square[i]) * share;
      step[i] = step[i] * momentum + gradient * rate / SquareRoot(square[i] + epsilon);
      variable[i] = variable[i] - step[i];
    }
  }
};

// ---- Applying one to tensors ----

constexpr char kNesterov[] = "use_nesterov";
constexpr char kUpdateSlots[] = "update_slots";

struct Form {
  int slots = 0;          // variables, the first inputs
  int gradient = 0;       // the number of that input
  const char* flag = "";  // an attr, none if empty
};

// Makes the slots' elements what the formula says. REQUIRES: what Check checks; unique slots
using Apply = void (*)(const KernelContext& context, const Form& form, bool flag,
                       std::vector<Tensor>& slots);

template <typename C>
C ScalarOf(const Tensor& scalar, const Widening* widening) {
  if (widening == nullptr) return *static_cast<const C*>(scalar.raw_data());
  C wide;
  widening->load(scalar.raw_data(), &wide, 1);
  return wide;
}

template <typename C, typename Formula>
void RunInPlace(Operands<C> operands, const Tensor& gradient, std::vector<Tensor>& slots) {
  for (size_t k = 0; k < slots.size(); ++k) {
    operands.slots[k] = static_cast<C*>(slots[k].mutable_raw_data());
  }
  operands.gradient = static_cast<const C*>(gradient.raw_data());
  operands.count = gradient.num_elements();
  Formula::Run(operands);
}

// The same on widened blocks.
template <typename C, typename Formula>
void RunWidened(Operands<C> operands, const Tensor& gradient, std::vector<Tensor>& slots,
                const Widening& widening) {
  C wide[kSlotsMax][kWideBlock];
  C wide_gradient[kWideBlock];
  const int64_t size = static_cast<int64_t>(DTypeSize(gradient.dtype()));
  operands.gradient = wide_gradient;
  for (int64_t begin = 0; begin < gradient.num_elements(); begin += kWideBlock) {
    operands.count = std::min(kWideBlock, gradient.num_elements() - begin);
    const auto at = [&](void* data) { return static_cast<char*>(data) + begin * size; };
    widening.load(static_cast<const char*>(gradient.raw_data()) + begin * size, wide_gradient,
                  operands.count);
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
void ApplyFormula(const KernelContext& context, const Form& form, bool flag,
                  std::vector<Tensor>& slots) {
  const Tensor& gradient = context.input(form.gradient);
  const Widening* widening = ComputingWidening(gradient.dtype());
  Operands<C> operands{};
  operands.flag = flag;
  for (int i = form.slots; i < context.num_inputs(); ++i) {
    if (i != form.gradient) {
      operands.scalars[static_cast<size_t>(i)] = ScalarOf<C>(context.input(i), widening);
    }
  }
  if (widening == nullptr) {
    RunInPlace<C, Formula>(operands, gradient, slots);
  } else {
    RunWidened<C, Formula>(operands, gradient, slots, *widening);
  }
}

// Null for a dtype that is not trained.
template <typename Formula>
Apply FindApply(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return &ApplyFormula<float, Formula>;
    case DType::kDouble:
      return &ApplyFormula<double, Formula>;
    case DType::kHalf:
      return &ApplyFormula<RoundedHalf, Formula>;
    case DType::kBFloat16:
      return &ApplyFormula<RoundedBFloat16, Formula>;
    case DType::kComplex64:
      return &ApplyFormula<std::complex<float>, Formula>;
    case DType::kComplex128:
      return &ApplyFormula<std::complex<double>, Formula>;
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

Status Check(const KernelContext& context, const Form& form, By by, const Variables& variables,
             const Contents& contents) {
  const Tensor& gradient = context.input(form.gradient);
  for (size_t k = 0; k < variables.size(); ++k) {
    const Tensor& value = contents[k]->value;
    TAGFLOW_RETURN_IF_ERROR(CheckValue(*variables[k], value, by));
    if (value.dtype() != gradient.dtype()) {
      return WrongDType("train", value.dtype(), gradient.dtype());
    }
    if (std::ranges::equal(value.dims(), gradient.dims())) continue;
    return InvalidArgument("variable '" + variables[k]->name() + "' of shape " +
                           DimsString(value.dims()) + " and a gradient of shape " +
                           DimsString(gradient.dims()) + " do not have the same shape");
  }
  for (int i = form.slots; i < context.num_inputs(); ++i) {
    if (i == form.gradient || context.input(i).rank() == 0) continue;
    return InvalidArgument("input " + std::to_string(i) + " must be a scalar, but has shape " +
                           DimsString(context.input(i).dims()));
  }
  return Status();
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
  bool flag;
  By by;
  Apply apply;

  Status operator()(KernelContext& context) const {
    TAGFLOW_ASSIGN_OR_RETURN(const Variables variables, FindVariables(context, form.slots, by));
    std::vector<Variable*> order;
    for (const auto& variable : variables) order.push_back(variable.get());
    std::ranges::sort(order);
    order.erase(std::unique(order.begin(), order.end()), order.end());
    Contents contents(variables.size());
    TAGFLOW_RETURN_IF_ERROR(WithAll(order, variables, contents, [&]() -> Status {
      TAGFLOW_RETURN_IF_ERROR(Check(context, form, by, variables, contents));
      TAGFLOW_ASSIGN_OR_RETURN(std::vector<Tensor> slots, TakeValues(contents));
      apply(context, form, flag, slots);
      for (size_t k = 0; k < slots.size(); ++k) contents[k]->value = std::move(slots[k]);
      return Status();
    }));
    if (by == By::kReference) context.output(0) = context.Take(0);
    return Status();
  }
};

template <typename Formula>
Binder Training(Form form, By by) {
  return [form, by](const Binding& binding) -> Result<BoundKernel> {
    const DType dtype = binding.input_dtype(static_cast<size_t>(form.gradient));
    const Apply apply = FindApply<Formula>(dtype);
    if (apply == nullptr) return NoKernelFor(binding, dtype);
    bool flag = false;
    if (*form.flag != '\0') {
      TAGFLOW_ASSIGN_OR_RETURN(flag, BoolAttr(binding.node, form.flag));
    }
    return BoundKernel(Trainer{form, flag, by, apply});
  };
}

template <typename Formula>
Status RegisterBoth(KernelRegistry& registry, const std::string& name, Form form) {
  TAGFLOW_RETURN_IF_ERROR(
      registry.Register("Apply" + name, Training<Formula>(form, By::kReference)));
  return registry.Register("ResourceApply" + name, Training<Formula>(form, By::kHandle));
}

}  // namespace

Status RegisterTrainingKernels(KernelRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth<GradientDescent>(registry, "GradientDescent", {1, 2}));
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth<Momentum>(registry, "Momentum", {2, 3, kNesterov}));
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth<Adam>(registry, "Adam", {3, 9, kNesterov}));
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth<Adagrad>(registry, "Adagrad", {2, 3, kUpdateSlots}));
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth<AdagradV2>(registry, "AdagradV2", {2, 4, kUpdateSlots}));
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth<RmsProp>(registry, "RMSProp", {3, 7}));
  return registry.Register("ResourceApplyKerasMomentum",
                           Training<KerasMomentum>({2, 3, kNesterov}, By::kHandle));
}

}  // namespace tagflow::optimized
