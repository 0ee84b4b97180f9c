#ifndef TAGFLOW_FUZZ_GENERATE_FACT_H_
#define TAGFLOW_FUZZ_GENERATE_FACT_H_

// What the generator knows of a value before any run: enough to keep programs tame (no accidental
// NaN, no rounding error that decides a branch, no error that grows without bound).

#include <cstdint>
#include <optional>
#include <span>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

struct Fact {
  double lo = 0, hi = 0;  // every element lies in [lo, hi]; infinite: anything at all, NaN too
  // Every engine gives the same bits. Only such values may decide something: a predicate, a bound,
  // an index, what a cast to an integer gives.
  bool exact = true;
  bool active = false;  // depends on a fed value
  // About how much an error in any one value it is made from is magnified.
  double slope = 0;
  int32_t least = 1, most = 1;  // elements

  bool finite() const;
  bool Within(const Fact& other) const { return lo >= other.lo && hi <= other.hi; }
};

// Either of the two.
Fact Either(const Fact& a, const Fact& b);
// Everything a value of `dtype` may be.
Fact Anything(DType dtype);

// What keeps the magnitudes of a profile's values in bounds.
struct Limits {
  double magnitude = 1e6;  // of floats
  double slope = 1e9;
  bool specials = false;  // exact operations may have infinite and NaN operands
  bool smooth = false;    // no operation with a kink but where exact values decide
  bool exact = false;     // no operation that engines round differently
};

// What is known of op(operands…): elementwise operations and reductions. No value where the
// operation must not be applied to these operands; of the sizes, those of the first. `dtype` is
// that of the first operand (of the second for kSelect), `result` that of the output.
std::optional<Fact> Apply(Op op, std::span<const Fact> operands, DType dtype, DType result,
                          const Limits& limits);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_FACT_H_
