#ifndef TAGFLOW_TRANSFORM_GRADIENTS_RECURRENCE_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_RECURRENCE_H_

// Gradients of scans along an axis (Cumprod, CumulativeLogsumexp) are solutions of
//   s[i] = b[i] + a[i] s[i + 1],   s[n] = 0
// which is found by doubling: with b and a the sums and products of 2^k terms, those of 2^(k+1) are
//   b[i] + a[i] b[i + 2^k]  and  a[i] a[i + 2^k].
// No division, so zeros need no care, and every step is differentiable to any order. It takes
// log2(n) steps over the whole tensor: unrolled where n is known, else a loop.

#include "graph/builder/builder.h"
#include "transform/gradients/gradient_function.h"

namespace tagflow {

// The axis that a scan runs along, in tensors of one shape, which it treats as [outer, n, inner].
class ScanAxis {
 public:
  // Input 0 is scanned along the axis that input 1 says, from its end if `reverse`.
  ScanAxis(NodeGradient& node, bool reverse);

  // As [outer, n, inner], the scan running upwards; and back.
  Output Flat(const Output& x) const;
  Output Back(const Output& flat) const;

  // Of flat tensors: x[i + 1], without the last.
  Output Next(const Output& x) const;
  // All but the last.
  Output AllButLast(const Output& x) const;
  // A zero behind the last.
  Output WithZero(const Output& x) const;
  // x[i + 1], and 0 at the end.
  Output Shifted(const Output& x) const { return WithZero(Next(x)); }

  // The solution, of flat tensors.
  Output Solve(const Output& a, const Output& b) const;

 private:
  Output From(const Scope& scope, const Output& x, const Output& begin) const;
  Output Pad(const Scope& scope, const Output& x, const Output& count) const;
  Output ShiftedBy(const Scope& scope, const Output& x, const Output& count) const;

  const Scope& scope_;
  bool reverse_;
  Output dims_;  // of the tensors
  Output flat_dims_;
  Output length_;
  int64_t known_length_ = PartialShape::kUnknownDim;
  Output one_;  // 1, or 0 where there is nothing
};

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_RECURRENCE_H_
