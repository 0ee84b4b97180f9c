// Programs in which the executor is everything: loops of scalar arithmetic.

#include "bench/program_maker.h"
#include "bench/program_makers.h"

namespace tagflow::bench {
namespace {

OutputList FizzBuzzBody(const Scope&, const OutputList& v) {
  const Output& i = v[0];
  const OutputList none = {v[1], v[2], v[3]};
  const auto divides = [&](const Scope& s, int by) { return Equal(s, FloorMod(s, i, by), 0); };
  const auto keep = [&](const Scope& s) { return IdentityN(s, none); };
  const auto third = [&](const Scope& s) -> OutputList {
    return Cond(
        s, divides(s, 5),
        [&](const Scope& b) -> OutputList {
          return {Identity(b, v[1]), Identity(b, v[2]), Add(b, v[3], 1)};
        },
        keep);
  };
  const auto second = [&](const Scope& s) -> OutputList {
    return Cond(
        s, divides(s, 3),
        [&](const Scope& b) -> OutputList {
          return {Identity(b, v[1]), Add(b, v[2], 1), Identity(b, v[3])};
        },
        third);
  };
  const Scope scope = Scope::Current(i);
  return Cond(
      scope, divides(scope, 15),
      [&](const Scope& b) -> OutputList {
        return {Add(b, v[1], 1), Identity(b, v[2]), Identity(b, v[3])};
      },
      second);
}

// The terms of k's Collatz sequence.
Output CollatzLength(const Scope& scope, const Output& k) {
  const OutputList steps = WhileLoop(
      scope, {k, Const(scope, 1)},
      [](const Scope& s, const OutputList& v) { return NotEqual(s, v[0], 1); },
      [](const Scope& s, const OutputList& v) -> OutputList {
        const Output& m = v[0];
        const Output next = Cond(
            s, Equal(s, FloorMod(s, m, 2), 0), [&](const Scope& b) { return FloorDiv(b, m, 2); },
            [&](const Scope& b) { return Add(b, Mul(b, m, 3), 1); });
        return {next, Add(s, v[1], 1)};
      },
      {.back_prop = false});
  return steps[1];
}

// How many times u, v can be iterated before they leave the circle: 50 at most.
Output MandelbrotTimes(const Scope& scope, const Output& cx, const Output& cy) {
  const auto inside = [](const Scope& s, const OutputList& v) {
    const Output radius = Add(s, Mul(s, v[1], v[1]), Mul(s, v[2], v[2]));
    return LogicalAnd(s, Less(s, v[0], 50), LessEqual(s, radius, 4.0f));
  };
  const auto step = [&](const Scope& s, const OutputList& v) -> OutputList {
    const Output& u = v[1];
    return {Add(s, v[0], 1), Add(s, Sub(s, Mul(s, u, u), Mul(s, v[2], v[2])), cx),
            Add(s, Mul(s, Mul(s, u, 2.0f), v[2]), cy)};
  };
  return WhileLoop(scope, {Const(scope, 0), Const(scope, 0.0f), Const(scope, 0.0f)}, inside, step,
                   {.back_prop = false})[0];
}

// x * 3 / size + offset
Output Coordinate(const Scope& scope, const Output& x, float size, float offset) {
  const Output scaled = RealDiv(scope, Mul(scope, Cast(scope, x, DType::kFloat), 3.0f), size);
  return Add(scope, scaled, offset);
}

}  // namespace

Result<Program> MakeScalar(int64_t size) {
  ProgramMaker maker;
  const Output n = maker.Bound(size);
  return maker.Finish(CountTo(maker.scope, n, Const(maker.scope, 0),
                              [](const Scope&, const OutputList&) { return OutputList(); }));
}

Result<Program> MakeLoop4(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  return maker.Finish(CountTo(s, n, {Const(s, 0), Const(s, 1.0f), Const(s, 1.0f), Const(s, 1.0f)},
                              [](const Scope& b, const OutputList& v) -> OutputList {
                                return {Add(b, v[1], 1), Mul(b, v[2], 1.0001f), Sub(b, v[3], 1)};
                              }));
}

// The body halves on one device and adds on the other, so that it crosses twice.
Result<Program> MakePingPong(int64_t size) {
  ProgramMaker maker;
  const Scope s = maker.scope.WithDevice("/device:CPU:0");
  const Output n = maker.Bound(size);
  return maker.Finish(CountTo(s, n, {Const(s, 0), Const(s, 0.0f)},
                              [](const Scope& b, const OutputList& v) -> OutputList {
                                const Output half = Mul(b, v[1], 0.5f);
                                return {Add(b.WithDevice("/device:CPU:1"), half, 1)};
                              }));
}

Result<Program> MakeCondWhile(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  return maker.Finish(CountTo(s, n, {Const(s, 0), Const(s, 0.0f)},
                              [](const Scope& b, const OutputList& v) -> OutputList {
                                return Cond(
                                    b, Equal(b, FloorMod(b, v[0], 2), 0),
                                    [&](const Scope& branch) { return Add(branch, v[1], 1); },
                                    [&](const Scope& branch) { return Sub(branch, v[1], 1); });
                              }));
}

Result<Program> MakeNested2(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  const Output m = maker.Fed("inner_bound", Tensor::Scalar<int32_t>(100));
  const CountedBody inner = [](const Scope& b, const OutputList& v) { return Add(b, v[1], 1); };
  return maker.Finish(CountTo(s, n, {Const(s, 0), Const(s, 0.0f)},
                              [&](const Scope& b, const OutputList& v) -> OutputList {
                                return CountTo(b, m, {Const(b, 0), v[1]}, inner)[1];
                              }));
}

Result<Program> MakeNested3(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  const Output middle = maker.Fed("middle_bound", Tensor::Scalar<int32_t>(20));
  const Output inner = maker.Fed("inner_bound", Tensor::Scalar<int32_t>(50));
  const CountedBody add = [](const Scope& b, const OutputList& v) { return Add(b, v[1], 1); };
  const CountedBody rows = [&](const Scope& b, const OutputList& v) -> OutputList {
    return CountTo(b, inner, {Const(b, 0), v[1]}, add)[1];
  };
  return maker.Finish(CountTo(s, n, {Const(s, 0), Const(s, 0.0f)},
                              [&](const Scope& b, const OutputList& v) -> OutputList {
                                return CountTo(b, middle, {Const(b, 0), v[1]}, rows)[1];
                              }));
}

Result<Program> MakeFizzBuzz(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  return maker.Finish(
      CountTo(s, n, {Const(s, 0), Const(s, 0), Const(s, 0), Const(s, 0)}, FizzBuzzBody));
}

Result<Program> MakeCollatz(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  const CountedBody body = [](const Scope& b, const OutputList& v) -> OutputList {
    const Output length = CollatzLength(b, v[0]);
    const CondResult best = Cond(
        b, Greater(b, length, v[1]),
        [&](const Scope& branch) -> OutputList {
          return {Identity(branch, length), Identity(branch, v[0])};
        },
        [&](const Scope& branch) -> OutputList {
          return {Identity(branch, v[1]), Identity(branch, v[2])};
        });
    return {best[0], best[1], Add(b, v[3], Sub(b, length, 1))};
  };
  return maker.Finish(CountTo(s, n, {Const(s, 1), Const(s, 0), Const(s, 0), Const(s, 0)}, body));
}

Result<Program> MakeMandelbrot(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  const auto points = static_cast<float>(size);
  const CountedBody rows = [&](const Scope& b, const OutputList& v) -> OutputList {
    const Output cy = Coordinate(b, v[0], points, -1.5f);
    const CountedBody columns = [&](const Scope& c, const OutputList& w) {
      return Add(c, w[1], MandelbrotTimes(c, Coordinate(c, w[0], points, -2.0f), cy));
    };
    return CountTo(b, n, {Const(b, 0), v[1]}, columns)[1];
  };
  return maker.Finish(CountTo(s, n, {Const(s, 0), Const(s, 0)}, rows));
}

Result<Program> MakeTensorArray(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  const TensorArray array(s, n, DType::kFloat, {.element_shape = PartialShape(Dims{})});
  const OutputList written = CountTo(s, n, {Const(s, 0), array.flow()},
                                     [&](const Scope& b, const OutputList& v) -> OutputList {
                                       const Output value = Cast(b, v[0], DType::kFloat);
                                       return array.WithFlow(v[1]).Write(b, v[0], value).flow();
                                     });
  const TensorArray full = array.WithFlow(written[1]);
  return maker.Finish(CountTo(
      s, n, {Const(s, 0), Const(s, 0.0f)},
      [&](const Scope& b, const OutputList& v) { return Add(b, v[1], full.Read(b, v[0])); })[1]);
}

// Nothing but control edges orders what happens to a stack: an iteration's step waits for its push
// or pop, and the pops wait for the first loop's end.
Result<Program> MakeStack(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  const Stack stack(s, n, DType::kFloat);
  const WhileOptions in_order = {.parallel_iterations = 1, .back_prop = false};
  const auto below = [&](const Scope& b, const OutputList& v) { return Less(b, v[0], n); };
  const auto after = [](const Scope& b, const Output& effect, const Output& i) {
    return Add(b.WithControlDependencies({effect.op()}), i, 1);
  };
  const OutputList pushed = WhileLoop(
      s, {Const(s, 0)}, below,
      [&](const Scope& b, const OutputList& v) -> OutputList {
        return after(b, stack.Push(b, Cast(b, v[0], DType::kFloat)), v[0]);
      },
      in_order);
  const Scope then = s.WithControlDependencies({pushed[0].op()});
  return maker.Finish(WhileLoop(
      then, {Const(s, 0), Const(s, 0.0f)}, below,
      [&](const Scope& b, const OutputList& v) -> OutputList {
        const Output popped = stack.Pop(b);
        return {after(b, popped, v[0]), Add(b, v[1], popped)};
      },
      in_order)[1]);
}

}  // namespace tagflow::bench
