#ifndef TAGFLOW_OPTIMIZED_FORMULAS_TRAINING_PULLS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_TRAINING_PULLS_H_

// Formulas of training steps that pull their variables towards 0, or let them be 0.
//
// One may have a function that says why it refuses its scalars, or null: Refuses for all of its
// forms, RefusesRows for those that change rows of the variables.
//
// Tested by conformance/ops/training.ops.

#include <cmath>

#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/numbers.h"
#include "optimized/formulas/training.h"

namespace tagflow::optimized::training {

inline constexpr char kByRate[] = "multiply_linear_by_lr";

// x, pulled towards 0 where `is_pulled`, and then divided.
template <Floating C>
TAGFLOW_ANYWHERE C Shrunk(C x, bool is_pulled, C pull, C divisor) {
  const C shorter = Greater(Magnitude(x) - pull, C(0.0));
  return (is_pulled ? SignOf(x) * shorter : x) / divisor;
}

//   var, alpha, l1, l2, delta
struct ProximalGradientDescent {
  static constexpr Form kForm = {.slots = 1, .gradient = 4};
  template <Floating C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool) {
    const C rate = of[1], pull = rate * of[2], divisor = One<C>() + of[3] * rate;
    const bool is_pulled = of[2] > C(0.0);
    return [=](C gradient, C& variable) {
      variable = Shrunk(variable - gradient * rate, is_pulled, pull, divisor);
    };
  }
};

//   var, accum, lr, l1, l2, grad
struct ProximalAdagrad {
  static constexpr Form kForm = {.slots = 2, .gradient = 5};
  template <Floating C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool) {
    const C first_rate = of[2], l1 = of[3], l2 = of[4];
    const bool is_pulled = l1 > C(0.0);
    return [=](C gradient, C& variable, C& sum) {
      sum = sum + gradient * gradient;
      const C rate = first_rate * InverseRoot(sum);
      variable = Shrunk(variable - gradient * rate, is_pulled, rate * l1, One<C>() + l2 * rate);
    };
  }
  template <Floating C>
  TAGFLOW_ANYWHERE static const char* Refuses(const Scalars<C>& of, bool) {
    const C zero = C(0.0);
    if (!(of[2] > zero)) return "lr must be positive";
    return of[3] >= zero && of[4] >= zero ? nullptr : "l1 and l2 must not be negative";
  }
};

//   var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step
struct AdagradDA {
  static constexpr Form kForm = {.slots = 3, .gradient = 3};
  static constexpr int kStepNumber = 7;  // an input of int64
  template <Floating C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool) {
    const C rate = of[4], l1 = of[5], step = of[kStepNumber], added = of[6] * (step * rate);
    return [=](C gradient, C& variable, C& sum, C& squares) {
      sum = sum + gradient;
      squares = squares + gradient * gradient;
      const C divisor = added + SquareRoot(squares);
      variable = -(rate * Shrunk(sum, l1 > C(0.0), step * l1, divisor));
    };
  }
};

//   var, accum, linear, grad, lr, l1, l2, lr_power; of the second version l2_shrinkage before that
// With the flag, `linear` is held multiplied by lr.
template <bool kShrinks>
struct Ftrl {
  static constexpr Form kForm = {.slots = 3, .gradient = 3, .flag = kByRate};
  template <Floating C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool flag) {
    const C rate = of[4], exponent = -of[kPower], two = C(2.0), shrinkage = of[7];
    const C l1 = flag ? of[5] * rate : of[5];
    const C added = flag ? two * of[6] * rate : two * of[6];
    return [=](C gradient, C& variable, C& sum, C& linear) {
      const C before = Power(sum, exponent);
      sum = sum + gradient * gradient;
      const C after = Power(sum, exponent), grown = after - before;
      if (kShrinks) gradient = gradient + two * shrinkage * variable;
      linear =
          linear + (flag ? gradient * rate - grown * variable : gradient - grown / rate * variable);
      const C divisor = (flag ? after : after / rate) + added;
      const bool is_beyond = Magnitude(linear) > l1;
      variable = is_beyond ? (l1 * SignOf(linear) - linear) / divisor : C(0.0);
    };
  }
  template <Floating C>
  TAGFLOW_ANYWHERE static const char* RefusesRows(const Scalars<C>& of, bool flag) {
    const C zero = C(0.0), rate = of[4];
    if (!(rate > zero) && !(flag && rate == zero)) return "lr must be positive";
    if (!(of[5] >= zero && of[6] >= zero)) return "l1 and l2 must not be negative";
    if (kShrinks && !(of[7] >= zero)) return "l2_shrinkage must not be negative";
    return of[kPower] <= zero ? nullptr : "lr_power must not be positive";
  }

 private:
  static constexpr int kPower = kShrinks ? 8 : 7;

  template <Floating C>
  TAGFLOW_ANYWHERE static C Power(C x, C exponent) {
    if (exponent == C(0.5)) return SquareRoot(x);
    return ByDouble(x, [&](double wide) { return std::pow(wide, static_cast<double>(exponent)); });
  }
};

}  // namespace tagflow::optimized::training

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_TRAINING_PULLS_H_
