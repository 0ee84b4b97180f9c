#ifndef TAGFLOW_OPTIMIZED_FORMULAS_SCANS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_SCANS_H_

// Running totals: what one more element makes of a total, and the total of none.
//
// Tested by conformance/ops/math.ops.

#include <cmath>
#include <limits>

#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/numbers.h"

namespace tagflow::optimized::formulas {

struct Cumsum {
  static constexpr double kOfNothing = 0;
  template <Number W>
  TAGFLOW_ANYWHERE static W Next(W total, W x) {
    return Plus(total, x);
  }
};
struct Cumprod {
  static constexpr double kOfNothing = 1;
  template <Number W>
  TAGFLOW_ANYWHERE static W Next(W total, W x) {
    return Times(total, x);
  }
};
// log(exp(total) + exp(x)), with an exponential that does not overflow.
struct CumulativeLogsumexp {
  static constexpr double kOfNothing = -std::numeric_limits<double>::infinity();
  TAGFLOW_ANYWHERE static double Next(double total, double x) {
    if (total == x) return x + std::log(2.0);  // infinities too
    const bool grows = total > x;
    return (grows ? total : x) + std::log1p(std::exp(grows ? x - total : total - x));
  }
};

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_SCANS_H_
