// What a training step does to its variables. All is computed before anything is written, each
// variable from the values that all had before; of two inputs that are one variable, the later is
// what it becomes.

#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/variable_access.h"

namespace tagflow::reference {
namespace {

// Reads: slots[k] is an element of the variable of input k, inputs[k] the scalar of input k, and
// gradient the element of the gradient. Changes the slots.
//   flag: attr use_nesterov or update_slots
template <ContinuousElement C>
struct Element {
  C* slots;
  const C* inputs;
  C gradient;
  bool flag;
};

template <typename C>
C SquareRoot(C x) {
  return InDouble(x, [](auto wide) { return std::sqrt(wide); });
}
template <typename C>
C One() {
  return static_cast<C>(1.0);
}

//   var, alpha, delta
struct GradientDescent {
  template <typename C>
  void operator()(Element<C> e) const {
    e.slots[0] = e.slots[0] - e.inputs[1] * e.gradient;
  }
};

//   var, accum, lr, grad, momentum
struct Momentum {
  template <typename C>
  void operator()(Element<C> e) const {
    C& accum = e.slots[1];
    const C rate = e.inputs[2], momentum = e.inputs[4];
    accum = accum * momentum + e.gradient;
    e.slots[0] = e.flag ? e.slots[0] - (e.gradient * rate + accum * momentum * rate)
                        : e.slots[0] - accum * rate;
  }
};

//   var, accum, lr, grad, momentum
struct KerasMomentum {
  template <typename C>
  void operator()(Element<C> e) const {
    C& accum = e.slots[1];
    const C rate = e.inputs[2], momentum = e.inputs[4];
    accum = accum * momentum - e.gradient * rate;
    e.slots[0] = e.flag ? e.slots[0] + (accum * momentum - e.gradient * rate) : e.slots[0] + accum;
  }
};

//   var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad
struct Adam {
  template <typename C>
  void operator()(Element<C> e) const {
    const C one = One<C>();
    const C beta1 = e.inputs[6], beta2 = e.inputs[7];
    const C rate = e.inputs[5] * SquareRoot(one - e.inputs[4]) / (one - e.inputs[3]);
    C& m = e.slots[1];
    C& v = e.slots[2];
    m = m + (e.gradient - m) * (one - beta1);
    v = v + (e.gradient * e.gradient - v) * (one - beta2);
    const C step = e.flag ? e.gradient * (one - beta1) + beta1 * m : m;
    e.slots[0] = e.slots[0] - step * rate / (SquareRoot(v) + e.inputs[8]);
  }
};

//   var, accum, lr, grad
struct Adagrad {
  template <typename C>
  void operator()(Element<C> e) const {
    C& accum = e.slots[1];
    if (e.flag) accum = accum + e.gradient * e.gradient;
    const C inverse = InDouble(accum, [](auto wide) { return 1.0 / std::sqrt(wide); });
    e.slots[0] = e.slots[0] - e.gradient * e.inputs[2] * inverse;
  }
};

//   var, accum, lr, epsilon, grad
struct AdagradV2 {
  template <typename C>
  void operator()(Element<C> e) const {
    C& accum = e.slots[1];
    if (e.flag) accum = accum + e.gradient * e.gradient;
    e.slots[0] = e.slots[0] - e.gradient * e.inputs[2] / (SquareRoot(accum) + e.inputs[3]);
  }
};

//   var, ms, mom, lr, rho, momentum, epsilon, grad
struct RmsProp {
  template <typename C>
  void operator()(Element<C> e) const {
    C& mean_square = e.slots[1];
    C& step = e.slots[2];
    mean_square = mean_square + (e.gradient * e.gradient - mean_square) * (One<C>() - e.inputs[4]);
    step = step * e.inputs[5] + e.gradient * e.inputs[3] / SquareRoot(mean_square + e.inputs[6]);
    e.slots[0] = e.slots[0] - step;
  }
};

using Variables = std::vector<std::shared_ptr<Variable>>;

// The variables of the first `count` inputs, references or handles, with a value each.
Result<Variables> Slots(KernelContext& context, size_t count, bool by_handle) {
  Variables slots;
  for (size_t i = 0; i < count; ++i) {
    std::shared_ptr<Variable> variable = context.variables[i];
    if (by_handle) {
      TAGFLOW_ASSIGN_OR_RETURN(variable, VariableOf(context, i));
    }
    LogAccess(context, *variable, true);
    if (!by_handle) {
      TAGFLOW_RETURN_IF_ERROR(CheckInitialized(*variable));
    } else if (!variable->value.has_value()) {
      return Internal("variable '" + variable->name +
                      "' has no value: run what assigns it before it is trained");
    }
    slots.push_back(std::move(variable));
  }
  return slots;
}

Status CheckInputs(const KernelContext& context, const Variables& slots, size_t gradient) {
  const Tensor& grad = context.inputs[gradient];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, grad.dtype(), kFloating | kComplexes));
  for (const auto& slot : slots) {
    if (slot->value.dtype() != grad.dtype()) {
      return WrongDType("train", slot->value.dtype(), grad.dtype());
    }
    if (ToDims(slot->value.dims()) == ToDims(grad.dims())) continue;
    return InvalidArgument("variable '" + slot->name + "' of shape " +
                           DimsString(slot->value.dims()) + " and a gradient of shape " +
                           DimsString(grad.dims()) + " do not have the same shape");
  }
  for (size_t i = slots.size(); i < context.inputs.size(); ++i) {
    if (i == gradient || context.inputs[i].rank() == 0) continue;
    return InvalidArgument("input " + std::to_string(i) + " must be a scalar, but has shape " +
                           DimsString(context.inputs[i].dims()));
  }
  return Status();
}

template <ContinuousElement C, typename Formula>
Status Update(const KernelContext& context, const Variables& slots, size_t gradient, bool flag,
              Formula formula) {
  std::vector<std::vector<C>> values;
  for (const auto& slot : slots) values.push_back(Load<C>(slot->value));
  std::vector<C> inputs(context.inputs.size());
  for (size_t i = slots.size(); i < inputs.size(); ++i) {
    if (i != gradient) inputs[i] = Load<C>(context.inputs[i])[0];
  }
  const std::vector<C> gradients = Load<C>(context.inputs[gradient]);
  std::vector<C> element(slots.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    for (size_t k = 0; k < element.size(); ++k) element[k] = values[k][i];
    formula(Element<C>{element.data(), inputs.data(), gradients[i], flag});
    for (size_t k = 0; k < element.size(); ++k) values[k][i] = element[k];
  }
  std::vector<Tensor> results;
  for (size_t k = 0; k < slots.size(); ++k) {
    const Tensor& old = slots[k]->value;
    TAGFLOW_ASSIGN_OR_RETURN(Tensor result, Store<C>(old.dtype(), old.dims(), values[k]));
    results.push_back(std::move(result));
  }
  for (size_t k = 0; k < slots.size(); ++k) slots[k]->value = std::move(results[k]);
  return Status();
}

struct Form {
  size_t slots;           // variables, the first inputs
  size_t gradient;        // the number of that input
  std::string flag = {};  // an attr, none if empty
};

// The kernel of a formula, over references or over handles.
template <typename Formula>
Kernel Training(Form form, bool by_handle, Formula formula) {
  return [=](KernelContext& context) -> Status {
    bool flag = false;
    if (!form.flag.empty()) {
      TAGFLOW_ASSIGN_OR_RETURN(flag, BoolAttr(context.node, form.flag));
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Variables slots, Slots(context, form.slots, by_handle));
    TAGFLOW_RETURN_IF_ERROR(CheckInputs(context, slots, form.gradient));
    if (!by_handle) context.output_variables[0] = slots[0];
    return WithComputingType(context.inputs[form.gradient].dtype(),
                             [&]<typename C>(Computing<C>) -> Status {
                               if constexpr (ContinuousElement<C>) {
                                 return Update<C>(context, slots, form.gradient, flag, formula);
                               } else {
                                 return Internal("not a continuous dtype");
                               }
                             });
  };
}

template <typename Formula>
Status RegisterBoth(KernelRegistry& registry, const std::string& name, Form form, Formula formula) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Apply" + name, Training(form, false, formula)));
  return registry.Register("ResourceApply" + name, Training(form, true, formula));
}

}  // namespace

Status RegisterTrainingKernels(KernelRegistry& registry) {
  const std::string nesterov = "use_nesterov";
  const std::string update_slots = "update_slots";
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth(registry, "GradientDescent", {1, 2}, GradientDescent()));
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth(registry, "Momentum", {2, 3, nesterov}, Momentum()));
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth(registry, "Adam", {3, 9, nesterov}, Adam()));
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth(registry, "Adagrad", {2, 3, update_slots}, Adagrad()));
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth(registry, "AdagradV2", {2, 4, update_slots}, AdagradV2()));
  TAGFLOW_RETURN_IF_ERROR(RegisterBoth(registry, "RMSProp", {3, 7}, RmsProp()));
  return registry.Register("ResourceApplyKerasMomentum",
                           Training({2, 3, nesterov}, true, KerasMomentum()));
}

}  // namespace tagflow::reference
