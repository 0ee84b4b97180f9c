#ifndef TAGFLOW_OPTIMIZED_KERNELS_TRAINING_FORMULAS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TRAINING_FORMULAS_H_

// What a training step makes of the elements of its variables, one formula each: for training.cc.
// Those that pull variables towards 0 are in training_pulls.h.

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>

#include "optimized/formulas/numbers.h"

namespace tagflow::optimized::training {

inline constexpr int kSlotsMax = 4;
inline constexpr int kInputsMax = 10;

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
// One rounding.
template <Continuous C>
C InverseRoot(C x) {
  return ByDouble(x, [](auto wide) { return 1.0 / std::sqrt(wide); });
}
template <Continuous C>
C One() {
  return static_cast<C>(1.0);
}
template <Floating C>
C Magnitude(C x) {
  return x < C(0.0) ? -x : x;
}
// -1, 0 or 1; of NaN itself.
template <Floating C>
C SignOf(C x) {
  if (x > C(0.0)) return One<C>();
  return x < C(0.0) ? -One<C>() : x;
}
template <Floating C>
C Greater(C a, C b) {
  return a < b ? b : a;
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

//   var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad
struct AdamWithAmsgrad {
  template <Floating C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict mean = o.slots[1];
    C* __restrict square = o.slots[2];
    C* __restrict most = o.slots[3];
    const C one = One<C>();
    const C rate = o.scalars[6] * SquareRoot(one - o.scalars[5]) / (one - o.scalars[4]);
    const C beta1 = o.scalars[7], beta2 = o.scalars[8], epsilon = o.scalars[9];
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      mean[i] = mean[i] + (gradient - mean[i]) * (one - beta1);
      square[i] = square[i] + (gradient * gradient - square[i]) * (one - beta2);
      most[i] = Greater(most[i], square[i]);
      variable[i] = variable[i] - mean[i] * rate / (SquareRoot(most[i]) + epsilon);
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
      variable[i] = variable[i] - gradient * rate * InverseRoot(sum[i]);
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

//   var, mg, ms, mom, lr, rho, momentum, epsilon, grad
struct CenteredRmsProp {
  template <typename C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict mean = o.slots[1];
    C* __restrict square = o.slots[2];
    C* __restrict step = o.slots[3];
    const C rate = o.scalars[4], momentum = o.scalars[6], epsilon = o.scalars[7];
    const C share = One<C>() - o.scalars[5];
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      square[i] = square[i] + (gradient * gradient - square[i]) * share;
      mean[i] = mean[i] + (gradient - mean[i]) * share;
      const C root = SquareRoot(square[i] - mean[i] * mean[i] + epsilon);
      step[i] = step[i] * momentum + rate * gradient / root;
      variable[i] = variable[i] - step[i];
    }
  }
};

//   var, accum, accum_update, lr, rho, epsilon, grad
struct Adadelta {
  template <typename C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict square = o.slots[1];
    C* __restrict steps = o.slots[2];
    const C rate = o.scalars[3], rho = o.scalars[4], epsilon = o.scalars[5];
    const C rest = One<C>() - rho;
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      square[i] = square[i] * rho + gradient * gradient * rest;
      const C step = SquareRoot(steps[i] + epsilon) * InverseRoot(square[i] + epsilon) * gradient;
      variable[i] = variable[i] - step * rate;
      steps[i] = steps[i] * rho + step * step * rest;
    }
  }
};

//   var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad
struct AdaMax {
  template <Floating C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict mean = o.slots[1];
    C* __restrict largest = o.slots[2];
    const C rate = o.scalars[4] / (One<C>() - o.scalars[3]);
    const C share = One<C>() - o.scalars[5], decay = o.scalars[6], epsilon = o.scalars[7];
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      mean[i] = mean[i] + (gradient - mean[i]) * share;
      largest[i] = Greater(decay * largest[i], Magnitude(gradient));
      variable[i] = variable[i] - rate * (mean[i] / (largest[i] + epsilon));
    }
  }
};

// Steps that are larger where the gradient has the sign of its mean, by what Factor makes of
//   var, m, lr, a parameter, sign_decay, beta, grad
template <typename Factor>
struct BySign {
  template <Floating C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict mean = o.slots[1];
    const C rate = o.scalars[2], beta = o.scalars[5], share = One<C>() - beta;
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      mean[i] = mean[i] * beta + gradient * share;
      const C agreement = SignOf(gradient) * SignOf(mean[i]);
      const C factor = Factor::Of(o.scalars[3], o.scalars[4], agreement);
      variable[i] = variable[i] - rate * factor * gradient;
    }
  }
};
struct SignSum {
  template <Floating C>
  static C Of(C alpha, C decay, C agreement) {
    return alpha + decay * agreement;
  }
};
struct SignPower {
  template <Floating C>
  static C Of(C logbase, C decay, C agreement) {
    return ByDouble(logbase * decay * agreement, [](double wide) { return std::exp(wide); });
  }
};

}  // namespace tagflow::optimized::training

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TRAINING_FORMULAS_H_
