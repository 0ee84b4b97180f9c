#ifndef TAGFLOW_OPTIMIZED_KERNELS_TRAINING_PULLS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TRAINING_PULLS_H_

// Formulas of training steps that pull their variables towards 0, or let them be 0: for
// training.cc.
//
// One may have a function that says why it refuses its scalars, or null: Refuses for all of its
// forms, RefusesRows for those that change rows of the variables.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "optimized/formulas/numbers.h"
#include "optimized/kernels/training_formulas.h"

namespace tagflow::optimized::training {

// x, pulled towards 0 where `is_pulled`, and then divided.
template <Floating C>
C Shrunk(C x, bool is_pulled, C pull, C divisor) {
  const C shorter = Greater(Magnitude(x) - pull, C(0.0));
  return (is_pulled ? SignOf(x) * shorter : x) / divisor;
}

//   var, alpha, l1, l2, delta
struct ProximalGradientDescent {
  template <Floating C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    const C rate = o.scalars[1];
    const bool is_pulled = o.scalars[2] > C(0.0);
    const C pull = rate * o.scalars[2], divisor = One<C>() + o.scalars[3] * rate;
    for (int64_t i = 0; i < o.count; ++i) {
      variable[i] = Shrunk(variable[i] - o.gradient[i] * rate, is_pulled, pull, divisor);
    }
  }
};

//   var, accum, lr, l1, l2, grad
struct ProximalAdagrad {
  template <Floating C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict sum = o.slots[1];
    const C l1 = o.scalars[3], l2 = o.scalars[4];
    const bool is_pulled = l1 > C(0.0);
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      sum[i] = sum[i] + gradient * gradient;
      const C rate = o.scalars[2] * InverseRoot(sum[i]);
      variable[i] =
          Shrunk(variable[i] - gradient * rate, is_pulled, rate * l1, One<C>() + l2 * rate);
    }
  }
  template <Floating C>
  static const char* Refuses(const Operands<C>& o) {
    const C zero = C(0.0);
    if (!(o.scalars[2] > zero)) return "lr must be positive";
    const bool are_fine = o.scalars[3] >= zero && o.scalars[4] >= zero;
    return are_fine ? nullptr : "l1 and l2 must not be negative";
  }
};

//   var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step
struct AdagradDA {
  template <Floating C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict sum = o.slots[1];
    C* __restrict squares = o.slots[2];
    const C rate = o.scalars[4], l1 = o.scalars[5], step = o.scalars[7];
    const C added = o.scalars[6] * (step * rate);
    for (int64_t i = 0; i < o.count; ++i) {
      const C gradient = o.gradient[i];
      sum[i] = sum[i] + gradient;
      squares[i] = squares[i] + gradient * gradient;
      const C divisor = added + SquareRoot(squares[i]);
      variable[i] = -(rate * Shrunk(sum[i], l1 > C(0.0), step * l1, divisor));
    }
  }
};

//   var, accum, linear, grad, lr, l1, l2, lr_power; of the second version l2_shrinkage before that
// With the flag, `linear` is held multiplied by lr.
template <bool kShrinks>
struct Ftrl {
  template <Floating C>
  static void Run(const Operands<C>& o) {
    C* __restrict variable = o.slots[0];
    C* __restrict sum = o.slots[1];
    C* __restrict linear = o.slots[2];
    const C rate = o.scalars[4], exponent = -o.scalars[kPower], two = C(2.0);
    const C l1 = o.flag ? o.scalars[5] * rate : o.scalars[5];
    const C added = o.flag ? two * o.scalars[6] * rate : two * o.scalars[6];
    for (int64_t i = 0; i < o.count; ++i) {
      C gradient = o.gradient[i];
      const C before = Power(sum[i], exponent);
      sum[i] = sum[i] + gradient * gradient;
      const C after = Power(sum[i], exponent), grown = after - before;
      if (kShrinks) gradient = gradient + two * o.scalars[7] * variable[i];
      linear[i] = linear[i] + (o.flag ? gradient * rate - grown * variable[i]
                                      : gradient - grown / rate * variable[i]);
      const C divisor = (o.flag ? after : after / rate) + added;
      const bool is_beyond = Magnitude(linear[i]) > l1;
      variable[i] = is_beyond ? (l1 * SignOf(linear[i]) - linear[i]) / divisor : C(0.0);
    }
  }
  template <Floating C>
  static const char* RefusesRows(const Operands<C>& o) {
    const C zero = C(0.0), rate = o.scalars[4];
    if (!(rate > zero) && !(o.flag && rate == zero)) return "lr must be positive";
    if (!(o.scalars[5] >= zero && o.scalars[6] >= zero)) return "l1 and l2 must not be negative";
    if (kShrinks && !(o.scalars[7] >= zero)) return "l2_shrinkage must not be negative";
    return o.scalars[kPower] <= zero ? nullptr : "lr_power must not be positive";
  }

 private:
  static constexpr size_t kPower = kShrinks ? 8 : 7;

  template <Floating C>
  static C Power(C x, C exponent) {
    if (exponent == C(0.5)) return SquareRoot(x);
    return ByDouble(x, [&](double wide) { return std::pow(wide, static_cast<double>(exponent)); });
  }
};

}  // namespace tagflow::optimized::training

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TRAINING_PULLS_H_
