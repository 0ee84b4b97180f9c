#ifndef TAGFLOW_OPTIMIZED_FORMULAS_COMPARISONS_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_COMPARISONS_H_

// Comparisons of two numbers, and logic. NaN is unequal to all and neither less nor greater.
//
// Tested by conformance/ops/compare.ops.

#include <concepts>

#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/numbers.h"

namespace tagflow::optimized::formulas {

struct Equal {
  template <typename C>
  TAGFLOW_ANYWHERE bool operator()(const C& x, const C& y) const {
    return x == y;
  }
};
struct NotEqual {
  template <typename C>
  TAGFLOW_ANYWHERE bool operator()(const C& x, const C& y) const {
    return !(x == y);
  }
};
struct Less {
  template <Real C>
  TAGFLOW_ANYWHERE bool operator()(C x, C y) const {
    return x < y;
  }
};
struct LessEqual {
  template <Real C>
  TAGFLOW_ANYWHERE bool operator()(C x, C y) const {
    return x <= y;
  }
};
struct Greater {
  template <Real C>
  TAGFLOW_ANYWHERE bool operator()(C x, C y) const {
    return x > y;
  }
};
struct GreaterEqual {
  template <Real C>
  TAGFLOW_ANYWHERE bool operator()(C x, C y) const {
    return x >= y;
  }
};

// By the operators of bits, which work on many bytes at a time.
struct LogicalAnd {
  TAGFLOW_ANYWHERE bool operator()(std::same_as<bool> auto x, std::same_as<bool> auto y) const {
    return x & y;
  }
};
struct LogicalOr {
  TAGFLOW_ANYWHERE bool operator()(std::same_as<bool> auto x, std::same_as<bool> auto y) const {
    return x | y;
  }
};
struct LogicalNot {
  TAGFLOW_ANYWHERE bool operator()(std::same_as<bool> auto x) const { return x ^ true; }
};

}  // namespace tagflow::optimized::formulas

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_COMPARISONS_H_
