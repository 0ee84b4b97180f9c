#ifndef TAGFLOW_OPTIMIZED_FORMULAS_TRAINING_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_TRAINING_H_

// What a training step makes of one element of each of its variables. Those steps that pull
// variables towards 0 are in training_pulls.h.
//
// A formula has
//   kForm                the inputs of its op, in the form that changes whole variables
//   With(scalars, flag)  a function of the gradient's element and of a reference to each slot's,
//                        which it changes (it holds the flag last: g++ remarks on complex numbers
//                        that are not aligned)
//
// Tested by conformance/ops/training.ops.

#include <cmath>
#include <concepts>
#include <cstdint>

#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/numbers.h"

namespace tagflow::optimized::training {

inline constexpr int kSlotsMax = 4;
inline constexpr int kInputsMax = 10;

struct Form {
  int slots;              // variables, the first inputs
  int gradient;           // the number of that input; what is behind it, and between, are scalars
  const char* flag = "";  // an attr, none if empty
};
inline constexpr char kNesterov[] = "use_nesterov";
inline constexpr char kUpdateSlots[] = "update_slots";

// The scalars that a formula takes: [k] is of input k.
template <Continuous C>
using Scalars = C[kInputsMax];

// The number of a step is rounded to float, whatever is trained.
template <Continuous C>
TAGFLOW_ANYWHERE C OfStepNumber(int64_t number) {
  return static_cast<C>(static_cast<float>(number));
}

template <Continuous C>
TAGFLOW_ANYWHERE C SquareRoot(C x) {
  if constexpr (std::floating_point<C>) {
    return std::sqrt(x);
  } else {
    return ByDouble(x, [](auto wide) { return std::sqrt(wide); });
  }
}
// One rounding.
template <Continuous C>
TAGFLOW_ANYWHERE C InverseRoot(C x) {
  return ByDouble(x, [](auto wide) { return 1.0 / std::sqrt(wide); });
}
template <Continuous C>
TAGFLOW_ANYWHERE C One() {
  return static_cast<C>(1.0);
}
template <Floating C>
TAGFLOW_ANYWHERE C Magnitude(C x) {
  return x < C(0.0) ? -x : x;
}
// -1, 0 or 1; of NaN itself.
template <Floating C>
TAGFLOW_ANYWHERE C SignOf(C x) {
  if (x > C(0.0)) return One<C>();
  return x < C(0.0) ? -One<C>() : x;
}
template <Floating C>
TAGFLOW_ANYWHERE C Greater(C a, C b) {
  return a < b ? b : a;
}

//   var, alpha, delta
struct GradientDescent {
  static constexpr Form kForm = {.slots = 1, .gradient = 2};
  template <Continuous C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool) {
    return [rate = of[1]](C gradient, C& variable) { variable = variable - rate * gradient; };
  }
};

//   var, accum, lr, grad, momentum
struct Momentum {
  static constexpr Form kForm = {.slots = 2, .gradient = 3, .flag = kNesterov};
  template <Continuous C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool flag) {
    return [rate = of[2], momentum = of[4], flag](C gradient, C& variable, C& sum) {
      sum = sum * momentum + gradient;
      variable = variable - (flag ? gradient * rate + sum * momentum * rate : sum * rate);
    };
  }
};

//   var, accum, lr, grad, momentum
struct KerasMomentum {
  static constexpr Form kForm = {.slots = 2, .gradient = 3, .flag = kNesterov};
  template <Continuous C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool flag) {
    return [rate = of[2], momentum = of[4], flag](C gradient, C& variable, C& sum) {
      const C step = gradient * rate;
      sum = sum * momentum - step;
      variable = variable + (flag ? sum * momentum - step : sum);
    };
  }
};

//   var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad
struct Adam {
  static constexpr Form kForm = {.slots = 3, .gradient = 9, .flag = kNesterov};
  template <Continuous C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool flag) {
    const C one = One<C>();
    const C rate = of[5] * SquareRoot(one - of[4]) / (one - of[3]);
    const C beta1 = of[6], beta2 = of[7], epsilon = of[8];
    return [one, rate, beta1, beta2, epsilon, flag](C gradient, C& variable, C& mean, C& square) {
      mean = mean + (gradient - mean) * (one - beta1);
      square = square + (gradient * gradient - square) * (one - beta2);
      const C step = flag ? gradient * (one - beta1) + beta1 * mean : mean;
      variable = variable - step * rate / (SquareRoot(square) + epsilon);
    };
  }
};

//   var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad
struct AdamWithAmsgrad {
  static constexpr Form kForm = {.slots = 4, .gradient = 10};
  template <Floating C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool) {
    const C one = One<C>();
    const C rate = of[6] * SquareRoot(one - of[5]) / (one - of[4]);
    const C beta1 = of[7], beta2 = of[8], epsilon = of[9];
    return [=](C gradient, C& variable, C& mean, C& square, C& most) {
      mean = mean + (gradient - mean) * (one - beta1);
      square = square + (gradient * gradient - square) * (one - beta2);
      most = Greater(most, square);
      variable = variable - mean * rate / (SquareRoot(most) + epsilon);
    };
  }
};

//   var, accum, lr, grad
struct Adagrad {
  static constexpr Form kForm = {.slots = 2, .gradient = 3, .flag = kUpdateSlots};
  template <Continuous C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool flag) {
    return [rate = of[2], flag](C gradient, C& variable, C& sum) {
      if (flag) sum = sum + gradient * gradient;
      variable = variable - gradient * rate * InverseRoot(sum);
    };
  }
};

//   var, accum, lr, epsilon, grad
struct AdagradV2 {
  static constexpr Form kForm = {.slots = 2, .gradient = 4, .flag = kUpdateSlots};
  template <Continuous C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool flag) {
    return [rate = of[2], epsilon = of[3], flag](C gradient, C& variable, C& sum) {
      if (flag) sum = sum + gradient * gradient;
      variable = variable - gradient * rate / (SquareRoot(sum) + epsilon);
    };
  }
};

//   var, ms, mom, lr, rho, momentum, epsilon, grad
struct RmsProp {
  static constexpr Form kForm = {.slots = 3, .gradient = 7};
  template <Continuous C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool) {
    const C rate = of[3], share = One<C>() - of[4], momentum = of[5], epsilon = of[6];
    return [=](C gradient, C& variable, C& square, C& step) {
      square = square + (gradient * gradient - square) * share;
      step = step * momentum + gradient * rate / SquareRoot(square + epsilon);
      variable = variable - step;
    };
  }
};

//   var, mg, ms, mom, lr, rho, momentum, epsilon, grad
struct CenteredRmsProp {
  static constexpr Form kForm = {.slots = 4, .gradient = 8};
  template <Continuous C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool) {
    const C rate = of[4], share = One<C>() - of[5], momentum = of[6], epsilon = of[7];
    return [=](C gradient, C& variable, C& mean, C& square, C& step) {
      square = square + (gradient * gradient - square) * share;
      mean = mean + (gradient - mean) * share;
      const C root = SquareRoot(square - mean * mean + epsilon);
      step = step * momentum + rate * gradient / root;
      variable = variable - step;
    };
  }
};

//   var, accum, accum_update, lr, rho, epsilon, grad
struct Adadelta {
  static constexpr Form kForm = {.slots = 3, .gradient = 6};
  template <Continuous C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool) {
    const C rate = of[3], rho = of[4], epsilon = of[5], rest = One<C>() - rho;
    return [=](C gradient, C& variable, C& square, C& steps) {
      square = square * rho + gradient * gradient * rest;
      const C step = SquareRoot(steps + epsilon) * InverseRoot(square + epsilon) * gradient;
      variable = variable - step * rate;
      steps = steps * rho + step * step * rest;
    };
  }
};

//   var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad
struct AdaMax {
  static constexpr Form kForm = {.slots = 3, .gradient = 8};
  template <Floating C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool) {
    const C rate = of[4] / (One<C>() - of[3]);
    const C share = One<C>() - of[5], decay = of[6], epsilon = of[7];
    return [=](C gradient, C& variable, C& mean, C& largest) {
      mean = mean + (gradient - mean) * share;
      largest = Greater(decay * largest, Magnitude(gradient));
      variable = variable - rate * (mean / (largest + epsilon));
    };
  }
};

// Steps that are larger where the gradient has the sign of its mean, by what Factor makes of
//   var, m, lr, a parameter, sign_decay, beta, grad
template <typename Factor>
struct BySign {
  static constexpr Form kForm = {.slots = 2, .gradient = 6};
  template <Floating C>
  TAGFLOW_ANYWHERE static auto With(const Scalars<C>& of, bool) {
    const C rate = of[2], parameter = of[3], decay = of[4], beta = of[5];
    const C share = One<C>() - beta;
    return [=](C gradient, C& variable, C& mean) {
      mean = mean * beta + gradient * share;
      const C agreement = SignOf(gradient) * SignOf(mean);
      variable = variable - rate * Factor::Of(parameter, decay, agreement) * gradient;
    };
  }
};
struct SignSum {
  template <Floating C>
  TAGFLOW_ANYWHERE static C Of(C alpha, C decay, C agreement) {
    return alpha + decay * agreement;
  }
};
struct SignPower {
  template <Floating C>
  TAGFLOW_ANYWHERE static C Of(C logbase, C decay, C agreement) {
    return ByDouble(logbase * decay * agreement, [](double wide) { return std::exp(wide); });
  }
};

}  // namespace tagflow::optimized::training

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_TRAINING_H_
