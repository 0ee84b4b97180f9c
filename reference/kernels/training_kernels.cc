// What a training step does to its variables. All is computed before anything is written, each
// variable from the values that all had before; of two inputs that are one variable, the later is
// what it becomes. A sparse form takes rows of a gradient, and changes those rows of the variables,
// one after the other.

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
C InverseRoot(C x) {
  return InDouble(x, [](auto wide) { return 1.0 / std::sqrt(wide); });
}
template <typename C>
C One() {
  return static_cast<C>(1.0);
}
template <FloatElement C>
C Magnitude(C x) {
  return x < C(0.0) ? -x : x;
}
// -1, 0 or 1; of NaN itself.
template <FloatElement C>
C SignOf(C x) {
  return x > C(0.0) ? One<C>() : x < C(0.0) ? -One<C>() : x;
}
template <FloatElement C>
C Greater(C a, C b) {
  return a < b ? b : a;
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

//   var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad
struct AdamWithAmsgrad {
  template <FloatElement C>
  void operator()(Element<C> e) const {
    const C one = One<C>();
    const C rate = e.inputs[6] * SquareRoot(one - e.inputs[5]) / (one - e.inputs[4]);
    C& m = e.slots[1];
    C& v = e.slots[2];
    C& most = e.slots[3];
    m = m + (e.gradient - m) * (one - e.inputs[7]);
    v = v + (e.gradient * e.gradient - v) * (one - e.inputs[8]);
    most = Greater(most, v);
    e.slots[0] = e.slots[0] - m * rate / (SquareRoot(most) + e.inputs[9]);
  }
};

//   var, accum, lr, grad
struct Adagrad {
  template <typename C>
  void operator()(Element<C> e) const {
    C& accum = e.slots[1];
    if (e.flag) accum = accum + e.gradient * e.gradient;
    e.slots[0] = e.slots[0] - e.gradient * e.inputs[2] * InverseRoot(accum);
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

//   var, mg, ms, mom, lr, rho, momentum, epsilon, grad
struct CenteredRmsProp {
  template <typename C>
  void operator()(Element<C> e) const {
    C &mean = e.slots[1], &mean_square = e.slots[2], &step = e.slots[3];
    const C rate = e.inputs[4], share = One<C>() - e.inputs[5];
    mean_square = mean_square + (e.gradient * e.gradient - mean_square) * share;
    mean = mean + (e.gradient - mean) * share;
    const C variance = mean_square - mean * mean + e.inputs[7];
    step = step * e.inputs[6] + rate * e.gradient / SquareRoot(variance);
    e.slots[0] = e.slots[0] - step;
  }
};

//   var, accum, accum_update, lr, rho, epsilon, grad
struct Adadelta {
  template <typename C>
  void operator()(Element<C> e) const {
    C &square = e.slots[1], &square_of_steps = e.slots[2];
    const C rho = e.inputs[4], epsilon = e.inputs[5], rest = One<C>() - rho;
    square = square * rho + e.gradient * e.gradient * rest;
    const C inverse = InverseRoot(square + epsilon);
    const C step = SquareRoot(square_of_steps + epsilon) * inverse * e.gradient;
    e.slots[0] = e.slots[0] - step * e.inputs[3];
    square_of_steps = square_of_steps * rho + step * step * rest;
  }
};

//   var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad
struct AdaMax {
  template <FloatElement C>
  void operator()(Element<C> e) const {
    C &m = e.slots[1], &v = e.slots[2];
    m = m + (e.gradient - m) * (One<C>() - e.inputs[5]);
    v = Greater(e.inputs[6] * v, Magnitude(e.gradient));
    const C rate = e.inputs[4] / (One<C>() - e.inputs[3]);
    e.slots[0] = e.slots[0] - rate * (m / (v + e.inputs[7]));
  }
};

//   var, m, lr, alpha, sign_decay, beta, grad
struct AddSign {
  template <FloatElement C>
  void operator()(Element<C> e) const {
    C& m = e.slots[1];
    m = m * e.inputs[5] + e.gradient * (One<C>() - e.inputs[5]);
    const C agreement = SignOf(e.gradient) * SignOf(m);
    const C factor = e.inputs[3] + e.inputs[4] * agreement;
    e.slots[0] = e.slots[0] - e.inputs[2] * factor * e.gradient;
  }
};

//   var, m, lr, logbase, sign_decay, beta, grad
struct PowerSign {
  template <FloatElement C>
  void operator()(Element<C> e) const {
    C& m = e.slots[1];
    m = m * e.inputs[5] + e.gradient * (One<C>() - e.inputs[5]);
    const C agreement = SignOf(e.gradient) * SignOf(m);
    const C factor =
        InDouble(e.inputs[3] * e.inputs[4] * agreement, [](double wide) { return std::exp(wide); });
    e.slots[0] = e.slots[0] - e.inputs[2] * factor * e.gradient;
  }
};

// x pulled towards 0 by `pull`, which may be 0, and then made smaller.
template <FloatElement C>
C Shrunk(C x, bool is_pulled, C pull, C divisor) {
  if (!is_pulled) return x / divisor;
  return SignOf(x) * Greater(Magnitude(x) - pull, C(0.0)) / divisor;
}

//   var, alpha, l1, l2, delta
struct ProximalGradientDescent {
  template <FloatElement C>
  void operator()(Element<C> e) const {
    const C rate = e.inputs[1], l1 = e.inputs[2], l2 = e.inputs[3];
    const C stepped = e.slots[0] - e.gradient * rate;
    e.slots[0] = Shrunk(stepped, l1 > C(0.0), rate * l1, One<C>() + l2 * rate);
  }
};

//   var, accum, lr, l1, l2, grad
struct ProximalAdagrad {
  template <FloatElement C>
  void operator()(Element<C> e) const {
    C& accum = e.slots[1];
    accum = accum + e.gradient * e.gradient;
    const C rate = e.inputs[2] * InverseRoot(accum), l1 = e.inputs[3];
    const C stepped = e.slots[0] - e.gradient * rate;
    e.slots[0] = Shrunk(stepped, l1 > C(0.0), rate * l1, One<C>() + e.inputs[4] * rate);
  }
  template <FloatElement C>
  static const char* Refuses(const C* inputs, bool) {
    if (!(inputs[2] > C(0.0))) return "lr must be positive";
    return inputs[3] >= C(0.0) && inputs[4] >= C(0.0) ? nullptr : "l1 and l2 must not be negative";
  }
};

//   var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step
struct AdagradDA {
  template <FloatElement C>
  void operator()(Element<C> e) const {
    C &sum = e.slots[1], &squares = e.slots[2];
    const C rate = e.inputs[4], l1 = e.inputs[5], l2 = e.inputs[6], step = e.inputs[7];
    sum = sum + e.gradient;
    squares = squares + e.gradient * e.gradient;
    const C divisor = l2 * (step * rate) + SquareRoot(squares);
    e.slots[0] = -(rate * Shrunk(sum, l1 > C(0.0), step * l1, divisor));
  }
};

//   var, accum, linear, grad, lr, l1, l2, lr_power; of the second version l2_shrinkage before that
// With the flag, `linear` is held multiplied by lr.
template <bool kShrinks>
struct Ftrl {
  template <FloatElement C>
  void operator()(Element<C> e) const {
    const C rate = e.inputs[4], l2 = e.inputs[6], power = e.inputs[kShrinks ? 8 : 7];
    C& variable = e.slots[0];
    C &accum = e.slots[1], &linear = e.slots[2];
    const C two = C(2.0);
    const C gradient = kShrinks ? e.gradient + two * e.inputs[7] * variable : e.gradient;
    const C sum = accum + e.gradient * e.gradient;
    const C grown = Power(sum, power) - Power(accum, power);
    linear = e.flag ? linear + (gradient * rate - grown * variable)
                    : linear + (gradient - grown / rate * variable);
    const C l1 = e.flag ? e.inputs[5] * rate : e.inputs[5];
    const C divisor =
        e.flag ? Power(sum, power) + two * l2 * rate : Power(sum, power) / rate + two * l2;
    const bool is_beyond = Magnitude(linear) > l1;
    variable = is_beyond ? (l1 * SignOf(linear) - linear) / divisor : C(0.0);
    accum = sum;
  }
  // What the sparse forms refuse.
  template <FloatElement C>
  static const char* RefusesRows(const C* inputs, bool flag) {
    const C zero = C(0.0);
    if (!(inputs[4] > zero) && !(flag && inputs[4] == zero)) return "lr must be positive";
    if (!(inputs[5] >= zero && inputs[6] >= zero)) return "l1 and l2 must not be negative";
    if (kShrinks && !(inputs[7] >= zero)) return "l2_shrinkage must not be negative";
    return inputs[kShrinks ? 8 : 7] <= zero ? nullptr : "lr_power must not be positive";
  }

 private:
  // x to the power of -`power`.
  template <FloatElement C>
  static C Power(C x, C power) {
    const C exponent = -power;
    if (exponent == C(0.5)) return SquareRoot(x);
    return InDouble(x, [&](double wide) { return std::pow(wide, static_cast<double>(exponent)); });
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

// What an op takes, numbered as the inputs of its dense form.
struct Form {
  size_t slots;           // variables, the first inputs
  size_t gradient;        // the number of that input
  std::string flag = {};  // an attr, none if empty
  DTypeSet dtypes = kFloating | kComplexes;
  DTypeSet sparse_dtypes = dtypes;  // of the sparse form
};
enum class Extent { kAll, kRows };  // of the variables; rows are numbered by the input behind grad

// Where input `i` of the dense form is.
size_t PlaceOf(size_t i, const Form& form, Extent extent) {
  return extent == Extent::kRows && i > form.gradient ? i + 1 : i;
}

Status NotLike(const Variable& slot, const Tensor& grad) {
  return InvalidArgument("variable '" + slot.name + "' of shape " + DimsString(slot.value.dims()) +
                         " and a gradient of shape " + DimsString(grad.dims()) +
                         " do not have the same shape");
}

// The numbers of the variables' elements that the gradient's elements go to, which all variables,
// of one shape, have.
//   Errors: INVALID_ARGUMENT
Result<std::vector<size_t>> Targets(const KernelContext& context, const Variables& slots,
                                    const Form& form, Extent extent) {
  const Tensor& grad = context.inputs[form.gradient];
  Dims dims = ToDims(grad.dims());
  std::vector<int64_t> rows;
  if (extent == Extent::kRows) {
    const Tensor& indices = context.inputs[form.gradient + 1];
    if (indices.rank() != 1) return InvalidArgument("indices must be one-dimensional");
    if (dims.empty() || dims[0] != indices.dim(0)) {
      return InvalidArgument("grad must be the same size as indices in the first dimension.");
    }
    TAGFLOW_ASSIGN_OR_RETURN(rows, IndexValues(indices));
    const Tensor& variable = slots[0]->value;
    if (variable.rank() == 0) return InvalidArgument("var must be at least 1 dimensional");
    dims[0] = variable.dim(0);
  }
  for (const auto& slot : slots) {
    if (ToDims(slot->value.dims()) != dims) return NotLike(*slot, grad);
  }
  std::vector<size_t> targets;
  const auto count = static_cast<size_t>(grad.num_elements());
  const size_t width = rows.empty() ? count : count / rows.size();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= 0 && rows[i] < dims[0]) continue;
    return InvalidArgument("Index " + std::to_string(rows[i]) + " at offset " + std::to_string(i) +
                           " in indices is out of range");
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = rows.empty() ? 0 : static_cast<size_t>(rows[i / width]) * width;
    targets.push_back(begin + i % width);
  }
  return targets;
}

Status CheckInputs(const KernelContext& context, const Variables& slots, const Form& form,
                   Extent extent) {
  const DType dtype = context.inputs[form.gradient].dtype();
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype,
                                       extent == Extent::kAll ? form.dtypes : form.sparse_dtypes));
  for (const auto& slot : slots) {
    if (slot->value.dtype() != dtype) return WrongDType("train", slot->value.dtype(), dtype);
  }
  for (size_t i = slots.size(); i < context.inputs.size(); ++i) {
    const bool is_indices = extent == Extent::kRows && i == form.gradient + 1;
    if (i == form.gradient || is_indices || context.inputs[i].rank() == 0) continue;
    return InvalidArgument("input " + std::to_string(i) + " must be a scalar, but has shape " +
                           DimsString(context.inputs[i].dims()));
  }
  return Status();
}

// The scalars among the inputs, numbered as of the dense form. The number of a step is rounded to
// float, whatever is trained.
template <ContinuousElement C>
std::vector<C> ScalarsOf(const KernelContext& context, const Form& form, Extent extent) {
  std::vector<C> scalars(context.inputs.size());
  for (size_t i = form.slots; PlaceOf(i, form, extent) < context.inputs.size(); ++i) {
    const Tensor& input = context.inputs[PlaceOf(i, form, extent)];
    if (i == form.gradient) continue;
    scalars[i] = input.dtype() == DType::kInt64
                     ? static_cast<C>(static_cast<float>(input.scalar<int64_t>()))
                     : Load<C>(input)[0];
  }
  return scalars;
}

template <typename Formula, ContinuousElement C>
const char* Refusal(const std::vector<C>& scalars, Extent extent, bool flag) {
  if constexpr (requires { Formula::Refuses(scalars.data(), flag); }) {
    return Formula::Refuses(scalars.data(), flag);
  } else if constexpr (requires { Formula::RefusesRows(scalars.data(), flag); }) {
    return extent == Extent::kRows ? Formula::RefusesRows(scalars.data(), flag) : nullptr;
  }
  return nullptr;
}

template <ContinuousElement C, typename Formula>
Status Update(const KernelContext& context, const Variables& slots, const Form& form, Extent extent,
              Formula formula) {
  bool flag = false;
  if (!form.flag.empty()) {
    TAGFLOW_ASSIGN_OR_RETURN(flag, BoolAttr(context.node, form.flag));
  }
  const std::vector<C> scalars = ScalarsOf<C>(context, form, extent);
  const char* refusal = Refusal<Formula>(scalars, extent, flag);
  if (refusal != nullptr) return InvalidArgument(refusal);
  TAGFLOW_ASSIGN_OR_RETURN(const auto targets, Targets(context, slots, form, extent));
  std::vector<std::vector<C>> values;
  for (const auto& slot : slots) values.push_back(Load<C>(slot->value));
  const std::vector<C> gradients = Load<C>(context.inputs[form.gradient]);
  std::vector<C> element(slots.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    for (size_t k = 0; k < element.size(); ++k) element[k] = values[k][targets[i]];
    formula(Element<C>{element.data(), scalars.data(), gradients[i], flag});
    for (size_t k = 0; k < element.size(); ++k) values[k][targets[i]] = element[k];
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

// The kernel of a formula, over references or over handles.
template <typename Formula>
Kernel Training(Form form, By by, Extent extent, Formula formula) {
  return [=](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Variables slots, Slots(context, form.slots, by == By::kHandle));
    TAGFLOW_RETURN_IF_ERROR(CheckInputs(context, slots, form, extent));
    if (by == By::kReference) context.output_variables[0] = slots[0];
    return WithComputingType(context.inputs[form.gradient].dtype(),
                             [&]<typename C>(Computing<C>) -> Status {
                               if constexpr (ContinuousElement<C>) {
                                 if constexpr (requires(Element<C> e) { formula(e); }) {
                                   return Update<C>(context, slots, form, extent, formula);
                                 }
                               }
                               return Internal("not a dtype of the formula");
                             });
  };
}

// Collects kernels; the first error stays.
class Registration {
 public:
  explicit Registration(KernelRegistry& registry) : registry_(registry) {}
  const Status& status() const { return status_; }

  template <typename Formula>
  void Dense(const std::string& name, const Form& form, Formula formula) {
    Add("Apply" + name, Training(form, By::kReference, Extent::kAll, formula));
    Add("ResourceApply" + name, Training(form, By::kHandle, Extent::kAll, formula));
  }
  template <typename Formula>
  void DenseAndSparse(const std::string& name, const Form& form, Formula formula) {
    Dense(name, form, formula);
    Add("SparseApply" + name, Training(form, By::kReference, Extent::kRows, formula));
    Add("ResourceSparseApply" + name, Training(form, By::kHandle, Extent::kRows, formula));
  }
  void Add(const std::string& op, Kernel kernel) {
    if (status_.ok()) status_ = registry_.Register(op, std::move(kernel));
  }

 private:
  KernelRegistry& registry_;
  Status status_;
};

}  // namespace

Status RegisterTrainingKernels(KernelRegistry& registry) {
  const std::string nesterov = "use_nesterov", update_slots = "update_slots";
  const std::string by_rate = "multiply_linear_by_lr";
  constexpr DTypeSet kAll = kFloating | kComplexes;
  constexpr DTypeSet kNoBFloat16 = kAll - DTypeSet{DType::kBFloat16};
  constexpr DTypeSet kWide = {DType::kFloat, DType::kDouble};
  Registration all(registry);
  all.Dense("GradientDescent", {1, 2}, GradientDescent());
  all.Dense("Adam", {3, 9, nesterov}, Adam());
  all.Dense("AdaMax", {3, 8, "", kFloating - DTypeSet{DType::kBFloat16}}, AdaMax());
  all.Dense("AddSign", {2, 6, "", kFloating}, AddSign());
  all.Dense("PowerSign", {2, 6, "", kFloating}, PowerSign());
  all.DenseAndSparse("Momentum", {2, 3, nesterov}, Momentum());
  all.DenseAndSparse("Adagrad", {2, 3, update_slots}, Adagrad());
  all.DenseAndSparse("AdagradV2", {2, 4, update_slots}, AdagradV2());
  all.DenseAndSparse("RMSProp", {3, 7, "", kAll, kNoBFloat16}, RmsProp());
  all.DenseAndSparse("CenteredRMSProp", {4, 8, "", kAll, kNoBFloat16}, CenteredRmsProp());
  all.DenseAndSparse("Adadelta", {3, 6}, Adadelta());
  all.DenseAndSparse("AdagradDA", {3, 3, "", kWide}, AdagradDA());
  all.DenseAndSparse("Ftrl", {3, 3, by_rate, kFloating}, Ftrl<false>());
  all.DenseAndSparse("FtrlV2", {3, 3, by_rate, kFloating}, Ftrl<true>());
  all.DenseAndSparse("ProximalGradientDescent", {1, 4, "", kWide}, ProximalGradientDescent());
  all.DenseAndSparse("ProximalAdagrad", {2, 5, "", kWide}, ProximalAdagrad());
  for (const Extent extent : {Extent::kAll, Extent::kRows}) {
    const std::string sparse = extent == Extent::kRows ? "Sparse" : "";
    all.Add("Resource" + sparse + "ApplyKerasMomentum",
            Training({2, 3, nesterov}, By::kHandle, extent, KerasMomentum()));
  }
  all.Add("ResourceApplyAdamWithAmsgrad",
          Training({4, 10, "", kFloating}, By::kHandle, Extent::kAll, AdamWithAmsgrad()));
  return all.status();
}

}  // namespace tagflow::reference
