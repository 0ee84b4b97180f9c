// Gradients of loops: what the history of a loop and its way back cost.

#include "bench/program_maker.h"
#include "bench/program_makers.h"
#include "transform/gradients/gradients.h"

namespace tagflow::bench {
namespace {

// The y that a loop makes of x, given the bound and x.
using Loop = Output (*)(ProgramMaker&, const Output&, const Output&);

// The program that fetches dy/dx.
Result<Program> MakeGradient(int64_t bound, Loop loop, const Tensor& of = Tensor::Scalar(1.0001f)) {
  ProgramMaker maker;
  const Output n = maker.Bound(bound);
  const Output x = maker.Fed("x", of);
  const Output y = loop(maker, n, x);
  const Result<OutputList> gradients = Gradients(maker.scope, y, x);
  if (!gradients.ok()) return gradients.status();
  return maker.Finish(*gradients);
}

OutputList CountWithGradient(const Scope& scope, const Output& n, const Output& a,
                             const CountedBody& body) {
  return CountTo(scope, n, {Const(scope, 0), a}, body, {.back_prop = true});
}

// a, n times multiplied by x.
Output Power(const Scope& scope, const Output& n, const Output& a, const Output& x) {
  return CountWithGradient(scope, n, a,
                           [&](const Scope& b, const OutputList& v) { return Mul(b, v[1], x); })[1];
}

}  // namespace

Result<Program> MakeScalarGradient(int64_t size) {
  return MakeGradient(size, [](ProgramMaker& maker, const Output& n, const Output& x) {
    return Power(maker.scope, n, Const(maker.scope, 1.0f), x);
  });
}

Result<Program> MakeVectorGradient(int64_t size) {
  const auto sum_of_power = [](ProgramMaker& maker, const Output& n, const Output& x) {
    return Sum(maker.scope, Power(maker.scope, n, OnesLike(maker.scope, x), x), 0);
  };
  return MakeGradient(size, sum_of_power, Filled({100}, 1.0001f));
}

Result<Program> MakeNestedGradient(int64_t size) {
  return MakeGradient(size, [](ProgramMaker& maker, const Output& n, const Output& x) {
    const Output m = maker.Fed("inner_bound", Tensor::Scalar<int32_t>(40));
    const Output one = Const(maker.scope, 1.0f);
    return CountWithGradient(maker.scope, n, one, [&](const Scope& b, const OutputList& v) {
      return Power(b, m, v[1], x);
    })[1];
  });
}

Result<Program> MakeCondGradient(int64_t size) {
  return MakeGradient(size, [](ProgramMaker& maker, const Output& n, const Output& x) {
    const Output one = Const(maker.scope, 1.0f);
    return CountWithGradient(maker.scope, n, one, [&](const Scope& b, const OutputList& v) {
      return Cond(
          b, Equal(b, FloorMod(b, v[0], 2), 0), [&](const Scope& t) { return Mul(t, v[1], x); },
          [&](const Scope& f) { return Add(f, v[1], x); });
    })[1];
  });
}

}  // namespace tagflow::bench
