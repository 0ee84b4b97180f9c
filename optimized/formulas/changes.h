#ifndef TAGFLOW_OPTIMIZED_FORMULAS_CHANGES_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_CHANGES_H_

// What an element becomes that another one changes in one direction only. An element that is NaN
// stays, and a NaN changes nothing.
//
// Tested by conformance/ops/scatter.ops.

#include <concepts>

#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized::formulas {

template <typename V>
concept Ordered = std::integral<V> || std::floating_point<V>;

struct Lower {
  template <Ordered V>
  TAGFLOW_ANYWHERE V operator()(V a, V b) const {
    return b < a ? b : a;
  }
};

struct Raise {
  template <Ordered V>
  TAGFLOW_ANYWHERE V operator()(V a, V b) const {
    return b > a ? b : a;
  }
};

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_CHANGES_H_
