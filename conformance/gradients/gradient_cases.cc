#include "conformance/gradients/gradient_cases.h"

#include <cmath>

#include "transform/gradients/gradients.h"
#include "transform/gradients/jvp.h"

namespace tagflow::conformance {
namespace {

using Values = std::vector<double>;
using Loop = std::function<OutputList(const Scope&, const OutputList&)>;

Output Real(const Scope& scope, const char* name) {
  return Placeholder(scope.WithOpName(name), DType::kDouble, Dims{});
}
Output Reals(const Scope& scope, const char* name) {
  return Placeholder(scope.WithOpName(name), DType::kDouble, {PartialShape::kUnknownDim});
}
Output Whole(const Scope& scope, const char* name) {
  return Placeholder(scope.WithOpName(name), DType::kInt32, Dims{});
}
Output Wholes(const Scope& scope, const char* name) {
  return Placeholder(scope.WithOpName(name), DType::kInt32, {PartialShape::kUnknownDim});
}

GradientStep Step(std::vector<std::pair<std::string, Tensor>> feeds, std::vector<Tensor> expect) {
  return {std::move(feeds), std::move(expect)};
}
// Of scalars n, x and, where there are three numbers, y: the values of the fetches.
GradientStep At(int32_t n, const Values& xs, const Values& expect) {
  GradientStep step;
  step.feeds.emplace_back("n", Tensor::Scalar(n));
  step.feeds.emplace_back("x", Tensor::Scalar(xs[0]));
  if (xs.size() > 1) step.feeds.emplace_back("y", Tensor::Scalar(xs[1]));
  for (const double value : expect) step.expect.push_back(Tensor::Scalar(value));
  return step;
}
Tensor Vec(const Values& values) { return Tensor::Vector(values); }
Tensor Ints(const std::vector<int32_t>& values) { return Tensor::Vector(values); }

// n iterations: given i and the other variables, the next values of all but i. What they are last.
OutputList Repeat(const Scope& scope, const Input& n, const OutputList& initial, const Loop& body,
                  const WhileOptions& options = {}) {
  OutputList variables = Const(scope, 0);
  for (const Output& one : initial) variables.push_back(one);
  const OutputList last = WhileLoop(
      scope, variables, [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
      [&](const Scope& s, const OutputList& v) {
        OutputList next = Add(s, v[0], 1);
        for (const Output& one : body(s, v)) next.push_back(one);
        return next;
      },
      options);
  return OutputList(std::vector<Output>(last.begin() + 1, last.end()));
}

// x to the n.
Output Power(const Scope& scope, const Output& x, const Input& n,
             const WhileOptions& options = {}) {
  const Loop body = [&](const Scope& s, const OutputList& v) { return Mul(s, v[1], x); };
  return Repeat(scope, n, Const(scope, 1.0), body, options)[0];
}

// Names the gradients of y by xs.
void Differentiate(const Scope& scope, const Output& y, const OutputList& xs,
                   const std::vector<std::string>& names, const GradientOptions& options = {}) {
  const Result<OutputList> gradients = Gradients(scope, y, xs, {}, options);
  if (!gradients.ok()) return scope.Fail(gradients.status());
  for (size_t i = 0; i < names.size(); ++i) {
    Identity(scope.WithOpName(names[i]), (*gradients)[i]);
  }
}

// ---- Variables of loops ----

void PassSwapAndDouble(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x"), y = Real(s, "y");
  const OutputList last = Repeat(s, n, {x, x, y, x, x}, [](const Scope& b, const OutputList& v) {
    const Output more = Mul(b, v[4], v[1]);
    return OutputList{v[1], v[3], v[2], more, more};
  });
  Differentiate(s, Add(s, Mul(s, last[3], last[1]), last[2]), {x, y}, {"dx", "dy"});
}

void CapturedEmbedding(const Scope& s) {
  const Output n = Whole(s, "n"), rows = Wholes(s, "rows");
  const Output table = Placeholder(s.WithOpName("table"), DType::kDouble, Dims{4, 2});
  const Output unused = Real(s, "unused");
  const Loop body = [&](const Scope& b, const OutputList& v) {
    Mul(b, unused, 2.0);
    const Output row = ElementAt(b, table, ElementAt(b, rows, v[0]));
    const Output weight = Cast(b, Add(b, v[0], 1), DType::kDouble);
    return OutputList(Add(b, v[1], Mul(b, Sum(b, row, 0), weight)));
  };
  Differentiate(s, Repeat(s, n, Const(s, 0.0), body)[0], table, {"dtable"});
}

void IndexFromData(const Scope& s) {
  const Output n = Whole(s, "n"), next = Wholes(s, "next"), x = Reals(s, "x");
  const Loop body = [&](const Scope& b, const OutputList& v) {
    const Output place = ElementAt(b, next, v[1]);
    return OutputList{place, Mul(b, v[2], ElementAt(b, x, place))};
  };
  Differentiate(s, Repeat(s, n, {Const(s, 0), Const(s, 1.0)}, body)[1], x, {"dx"});
}

void UnusedVariable(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x"), y = Real(s, "y");
  const Loop body = [&](const Scope& b, const OutputList& v) {
    return OutputList{v[1], Mul(b, v[2], x), Const(b, 7.0)};
  };
  const OutputList last = Repeat(s, n, {y, x, y}, body);
  Differentiate(s, Mul(s, last[0], Add(s, last[1], last[2])), {x, y}, {"dx", "dy"});
}

void OneConstantStartsThree(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x"), zero = Const(s, 0.0);
  const Loop body = [&](const Scope& b, const OutputList& v) {
    return OutputList{Add(b, v[1], x), Add(b, v[2], Mul(b, x, x)), Add(b, v[3], v[1])};
  };
  const OutputList last = Repeat(s, n, {zero, zero, zero}, body);
  Differentiate(s, Add(s, Mul(s, last[0], last[1]), last[2]), x, {"dx"});
}

void VariableAndCapture(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x");
  const Loop body = [&](const Scope&, const OutputList& v) { return OutputList(v[1] * x); };
  const Output y = Repeat(s, n, x, body)[0];
  Identity(s.WithOpName("y"), y);
  Differentiate(s, y, x, {"dx"});
}

void GrowingShape(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x");
  WhileOptions options;
  options.shape_invariants = {PartialShape::Scalar(), PartialShape::UnknownOfRank(1)};
  const Loop body = [&](const Scope& b, const OutputList& v) {
    const Output element = Mul(b, x, Cast(b, v[0], DType::kDouble));
    return OutputList(Concat(b, {v[1], ExpandDims(b, Mul(b, element, element), 0)}, 0));
  };
  const Output last = Repeat(s, n, Const(s, Values{}), body, options)[0];
  Differentiate(s, Sum(s, last, 0), x, {"dx"});
}

void AnyParallelism(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x");
  for (const int64_t parallel : {1, 2, 32}) {
    WhileOptions options;
    options.parallel_iterations = parallel;
    Differentiate(s, Power(s, x, n, options), x, {"dx" + std::to_string(parallel)});
  }
}

void StoppedInLoop(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x");
  const Loop body = [&](const Scope& b, const OutputList& v) {
    return OutputList(Add(b, Mul(b, v[1], x), StopGradient(b, v[1])));
  };
  Differentiate(s, Repeat(s, n, Const(s, 1.0), body)[0], x, {"dx"});
}

void LoopWithoutGradient(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x");
  WhileOptions options;
  options.back_prop = false;
  const Loop add = [&](const Scope&, const OutputList& v) { return OutputList(v[1] + x); };
  const Output sum = Repeat(s, n, Const(s, 0.0), add, options)[0];
  const Loop body = [&](const Scope& b, const OutputList& v) {
    return OutputList(Add(b, v[1], Mul(b, x, sum)));
  };
  Differentiate(s, Repeat(s, n, Const(s, 0.0), body)[0], x, {"dx"});
}

// ---- Loops that run again ----

void BothModesOfARerun(const Scope& s) {
  const Output x = Real(s, "x"), y = Power(s, x, 7, {.name = "power"});
  const GradientOptions blocks{.rematerialize = {{.loop = "power"}}};
  const GradientOptions few{.rematerialize = {{.loop = "power", .states = 2}}};
  Differentiate(s, y, x, {"dx_blocks"}, blocks);
  Differentiate(s, y, x, {"dx_few"}, few);
  const Result<OutputList> along = Jvp(s, y, x, Const(s, 1.0), few);
  if (!along.ok()) return s.Fail(along.status());
  Identity(s.WithOpName("along"), (*along)[0]);
}

void OneReadInARerun(const Scope& s) {
  const Output x = Reals(s, "x"), n = Size(s, x);
  const TensorArray array =
      TensorArray(s, n, DType::kDouble, {.element_shape = PartialShape::Scalar()}).Unstack(s, x);
  const Loop body = [&](const Scope& b, const OutputList& v) {
    const Output read = array.Read(b, v[0]);
    return OutputList(Add(b, Mul(b, v[1], read), read));
  };
  const Output y = Repeat(s, n, Const(s, 0.0), body, {.name = "reads"})[0];
  Differentiate(s, y, x, {"dx"}, {.rematerialize = {{.loop = "reads"}}});
}

// ---- Orders ----

void ThreeOrders(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x");
  Output y = Power(s, x, n);
  for (const char* name : {"first", "second", "third"}) {
    const Result<OutputList> gradients = Gradients(s, y, x);
    if (!gradients.ok()) return s.Fail(gradients.status());
    y = Identity(s.WithOpName(name), (*gradients)[0]);
  }
}

void MixedSecondOrder(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x"), y = Real(s, "y");
  const Loop body = [&](const Scope& b, const OutputList& v) {
    return OutputList(Add(b, Mul(b, v[1], x), y));
  };
  const Result<OutputList> first = Gradients(s, Repeat(s, n, y, body)[0], {x, y});
  if (!first.ok()) return s.Fail(first.status());
  Differentiate(s, (*first)[0], {x, y}, {"dxdx", "dxdy"});
  Differentiate(s, (*first)[1], x, {"dydx"});
}

void TwiceTheSame(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x");
  const Output y = Power(s, x, n);
  Differentiate(s, y, x, {"one"});
  Differentiate(s, y, x, {"other"});
}

// ---- Branches ----

void LoopInABranch(const Scope& s) {
  const Output p = Placeholder(s.WithOpName("p"), DType::kBool, Dims{});
  const Output n = Whole(s, "n"), x = Real(s, "x"), y = Real(s, "y");
  const Output chosen = Cond(
      s, p, [&](const Scope& b) { return Power(b, x, n); },
      [&](const Scope& b) { return Power(b, Mul(b, x, y), 2); });
  Differentiate(s, chosen, {x, y}, {"dx", "dy"});
}

void UntakenFailures(const Scope& s) {
  const Output x = Reals(s, "x"), n = Size(s, x);
  const Loop body = [&](const Scope& b, const OutputList& v) {
    const Output element = ElementAt(b, x, v[0]);
    const Output more = Cond(
        b, Greater(b, element, 0.0),
        [&](const Scope& t) { return Add(t, Log(t, element), RealDiv(t, 1.0, element)); },
        [&](const Scope& f) { return Mul(f, element, 3.0); });
    return OutputList(Add(b, v[1], more));
  };
  Differentiate(s, Repeat(s, n, Const(s, 0.0), body)[0], x, {"dx"});
}

// Three frames: x comes from two out, a from one, b from the loop itself.
void CapturesFromEveryFrame(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x");
  const Output last = Repeat(s, n, Const(s, 1.0), [&](const Scope& outer, const OutputList& a) {
    return Repeat(outer, 2, a[1], [&](const Scope& inner, const OutputList& b) {
      return OutputList(Cond(
          inner, Equal(inner, b[0], 0),
          [&](const Scope& t) { return Add(t, Mul(t, b[1], x), a[1]); },
          [&](const Scope& f) { return Mul(f, b[1], a[1]); }));
    });
  })[0];
  Identity(s.WithOpName("y"), last);
  Differentiate(s, last, x, {"dx"});
}

void AliasBeforeABranch(const Scope& s) {
  const Output x = Real(s, "x"), alias = Identity(s, Identity(s, x));
  const Output y = Cond(
      s, Greater(s, alias, 0.0), [&](const Scope& b) { return Mul(b, x, alias); },
      [&](const Scope& b) { return Identity(b, alias); });
  Differentiate(s, y, x, {"dx"});
}

// ---- Arrays ----

void ArrayInEachIteration(const Scope& s) {
  const Output n = Whole(s, "n"), x = Real(s, "x");
  const Loop body = [&](const Scope& outer, const OutputList& a) {
    const TensorArray array(outer, 3, DType::kDouble, {.element_shape = PartialShape::Scalar()});
    const Output flow = Repeat(outer, 3, array.flow(), [&](const Scope& b, const OutputList& v) {
      const Output value = Add(b, Mul(b, a[1], x), Cast(b, v[0], DType::kDouble));
      return OutputList(array.WithFlow(v[1]).Write(b, v[0], value).flow());
    })[0];
    return OutputList(Sum(outer, array.WithFlow(flow).Gather(outer), 0));
  };
  Differentiate(s, Repeat(s, n, Const(s, 1.0), body)[0], x, {"dx"});
}

// Iteration i reads elements 0 to i.
void ReadsOfAllSoFar(const Scope& s) {
  const Output x = Reals(s, "x"), n = Size(s, x);
  const TensorArray array =
      TensorArray(s, n, DType::kDouble,
                  {.element_shape = PartialShape::Scalar(), .clear_after_read = false})
          .Unstack(s, x);
  const Output last = Repeat(s, n, Const(s, 0.0), [&](const Scope& outer, const OutputList& a) {
    return Repeat(outer, Add(outer, a[0], 1), a[1], [&](const Scope& b, const OutputList& v) {
      return OutputList(Add(b, v[1], array.Read(b, v[0])));
    });
  })[0];
  Differentiate(s, last, x, {"dx"});
}

void OneReadInEachBranch(const Scope& s) {
  const Output x = Reals(s, "x"), n = Size(s, x);
  const TensorArray array =
      TensorArray(s, n, DType::kDouble, {.element_shape = PartialShape::Scalar()}).Unstack(s, x);
  const Loop body = [&](const Scope& b, const OutputList& v) {
    return OutputList(Cond(
        b, Equal(b, FloorMod(b, v[0], 2), 0),
        [&](const Scope& t) { return Add(t, v[1], array.Read(t, v[0])); },
        [&](const Scope& f) { return Mul(f, v[1], array.Read(f, v[0])); }));
  };
  Differentiate(s, Repeat(s, n, Const(s, 0.0), body)[0], x, {"dx"});
}

GradientStep EmbeddingStep(int32_t n, const Values& expect) {
  const std::vector<double> table(8, 1.0);
  return Step({{"n", Tensor::Scalar(n)},
               {"rows", Ints({3, 1, 3})},
               {"unused", Tensor::Scalar(1.0)},
               {"table", Tensor::Of<double>(Dims{4, 2}, table)}},
              {Tensor::Of<double>(Dims{4, 2}, expect)});
}

GradientStep BranchStep(bool p, int32_t n, const Values& expect) {
  GradientStep step = At(n, {2, 3}, expect);
  step.feeds.emplace_back("p", Tensor::Scalar(p));
  return step;
}

std::vector<GradientCase> VariableCases() {
  return {
      {"40-gradients-of-variables-that-pass-through-swap-and-double",
       "Variables that are handed on as they are, change places, or are one value twice.",
       {"next.1", "exit.1"},
       {"dx", "dy"},
       {At(0, {2, 3}, {4, 1}), At(2, {2, 3}, {32, 1}), At(3, {2, 3}, {97, 16})},
       PassSwapAndDouble},
      {"41-the-gradient-of-a-captured-embedding",
       "Rows of a captured table, gathered in a loop, one of them twice, beside a capture of no "
       "use.",
       {"enter.2", "next.1"},
       {"dtable"},
       {EmbeddingStep(3, {0, 0, 2, 2, 0, 0, 4, 4}), EmbeddingStep(0, Values(8, 0))},
       CapturedEmbedding},
      {"42-a-gradient-where-the-index-depends-on-data",
       "Each iteration reads where the last one pointed to.",
       {"next.1"},
       {"dx"},
       {Step({{"n", Tensor::Scalar(4)}, {"next", Ints({1, 2, 0})}, {"x", Vec({2, 3, 5})}},
             {Vec({45, 60, 18})}),
        Step({{"n", Tensor::Scalar(0)}, {"next", Ints({1, 2, 0})}, {"x", Vec({2, 3, 5})}},
             {Vec({0, 0, 0})})},
       IndexFromData},
      {"53-gradients-of-variables-that-the-body-does-not-use",
       "A variable that is only handed on, and one that each iteration sets anew.",
       {"next.1", "exit.1"},
       {"dx", "dy"},
       {At(0, {2, 3}, {3, 8}), At(1, {2, 3}, {12, 11}), At(2, {2, 3}, {36, 15})},
       UnusedVariable},
      {"64-the-gradient-where-one-constant-starts-three-sums",
       "One constant starts three variables, whose gradients begin as zeros: no two may be one.",
       {"enter.1", "next.1"},
       {"dx"},
       {At(3, {2}, {111}), At(0, {2}, {0})},
       OneConstantStartsThree},
      {"66-the-gradient-by-a-variable-that-is-captured-too",
       "One tensor starts the variable and is captured; without iterations it is handed on.",
       {"enter.1", "enter.2"},
       {"y", "dx"},
       {At(0, {3}, {3, 1}), At(1, {3}, {9, 6}), At(3, {3}, {81, 108})},
       VariableAndCapture},
  };
}

std::vector<GradientCase> LoopCases() {
  return {
      {"58-the-gradient-of-a-variable-that-grows",
       "A vector to which each iteration adds an element.",
       {"next.1"},
       {"dx"},
       {At(4, {3}, {84}), At(0, {3}, {0})},
       GrowingShape},
      {"36-gradients-with-any-parallel-iterations",
       "One loop, with 1, 2 and 32 iterations at once: their gradients are equal.",
       {"next.1", "frame.5"},
       {"dx1", "dx2", "dx32"},
       {At(5, {2}, {80, 80, 80}), At(40, {1}, {40, 40, 40})},
       AnyParallelism},
      {"57-the-gradient-past-a-stopped-one-in-a-loop",
       "StopGradient on an edge of the body: that edge is a constant.",
       {"next.1"},
       {"dx"},
       {At(2, {3}, {7}), At(3, {3}, {37}), At(0, {3}, {0})},
       StoppedInLoop},
      {"52-the-gradient-past-a-loop-without-one",
       "What a loop with back_prop off gives is a constant to the loop after it.",
       {"next.1", "exit.1"},
       {"dx"},
       {At(3, {2}, {18}), At(0, {2}, {0})},
       LoopWithoutGradient},
  };
}

std::vector<GradientCase> RerunCases() {
  return {
      {"68-both-modes-of-a-loop-that-runs-again",
       "A loop without a history, run again in blocks or from two states: the gradient, and the "
       "derivative along a direction.",
       {"next.1", "exit.1"},
       {"dx_blocks", "dx_few", "along"},
       {Step({{"x", Tensor::Scalar(2.0)}},
             {Tensor::Scalar(448.0), Tensor::Scalar(448.0), Tensor::Scalar(448.0)}),
        Step({{"x", Tensor::Scalar(-1.0)}},
             {Tensor::Scalar(7.0), Tensor::Scalar(7.0), Tensor::Scalar(7.0)})},
       BothModesOfARerun},
      {"56-the-gradient-of-one-read-in-a-loop-that-runs-again",
       "The loop is run again, but its reads are not: an element is gone after a read.",
       {"resource.2"},
       {"dx"},
       {Step({{"x", Vec({5, 6, 7, 2})}}, {Vec({84, 84, 74, 260})}),
        Step({{"x", Vec({})}}, {Vec({})})},
       OneReadInARerun},
  };
}

std::vector<GradientCase> OrderCases() {
  return {
      {"47-three-orders-of-a-loop",
       "The first, second and third derivative of x to the n by x: TensorFlow refuses the second.",
       {"next.1", "exit.1"},
       {"first", "second", "third"},
       {At(5, {2}, {80, 160, 240}), At(2, {3}, {6, 2, 0}), At(1, {3}, {1, 0, 0}),
        At(0, {3}, {0, 0, 0})},
       ThreeOrders},
      {"48-mixed-second-derivatives-of-a-loop",
       "A loop in two inputs: no derivative is missing, and the mixed ones are equal.",
       {"next.1", "exit.1"},
       {"dxdx", "dxdy", "dydx"},
       {At(3, {2, 5}, {70, 17, 17}), At(1, {2, 5}, {0, 1, 1})},
       MixedSecondOrder},
      {"50-a-gradient-taken-twice",
       "Two gradients of one loop: the second finds a graph that holds the first.",
       {"next.1", "exit.1"},
       {"one", "other"},
       {At(5, {2}, {80, 80})},
       TwiceTheSame},
  };
}

std::vector<GradientCase> BranchCases() {
  return {
      {"45-the-gradients-of-a-loop-in-either-branch",
       "A loop in each branch, run and not run: the one that did not run gives zeros.",
       {"exit.2", "merge.4"},
       {"dx", "dy"},
       {BranchStep(true, 4, {32, 0}), BranchStep(false, 4, {36, 24}), BranchStep(true, 0, {0, 0})},
       LoopInABranch},
      {"60-finite-gradients-beside-branches-not-taken",
       "A logarithm and a quotient in a branch that zero and negative numbers do not take.",
       {"switch.1", "merge.1"},
       {"dx"},
       {Step({{"x", Vec({-2, 0, 2, 4})}}, {Vec({3, 3, 0.25, 0.1875})}),
        Step({{"x", Vec({})}}, {Vec({})})},
       UntakenFailures},
      {"54-a-gradient-with-captures-from-every-frame",
       "A branch in a loop in a loop uses tensors of all three frames.",
       {"switch.1", "enter.2", "token.2"},
       {"y", "dx"},
       {At(1, {2}, {3, 1}), At(2, {2}, {27, 27}), At(0, {2}, {1, 0})},
       CapturesFromEveryFrame},
      {"63-the-gradient-by-an-alias-before-a-branch",
       "One tensor under two names is multiplied by itself in a branch.",
       {"switch.1", "merge.1"},
       {"dx"},
       {Step({{"x", Tensor::Scalar(3.0)}}, {Tensor::Scalar(6.0)}),
        Step({{"x", Tensor::Scalar(-3.0)}}, {Tensor::Scalar(1.0)})},
       AliasBeforeABranch},
  };
}

std::vector<GradientCase> ArrayCases() {
  return {
      {"44-the-gradient-of-an-array-in-each-outer-iteration",
       "Each iteration makes an array, which a loop in it fills.",
       {"resource.2", "resource.3"},
       {"dx"},
       {At(1, {2}, {3}), At(2, {2}, {45}), At(0, {2}, {0})},
       ArrayInEachIteration},
      {"55-the-gradient-of-reads-of-all-so-far",
       "An array whose elements are read again and again, kept after each read.",
       {"resource.2"},
       {"dx"},
       {Step({{"x", Vec({5, 6, 7})}}, {Vec({3, 2, 1})}), Step({{"x", Vec({5})}}, {Vec({1})})},
       ReadsOfAllSoFar},
      {"56-the-gradient-of-one-read-in-each-branch",
       "Each branch reads the element, which is gone after a read; one of them does.",
       {"resource.2", "fire.3"},
       {"dx"},
       {Step({{"x", Vec({5, 6, 7, 2})}}, {Vec({12, 10, 2, 37})})},
       OneReadInEachBranch},
  };
}

}  // namespace

const std::vector<GradientCase>& GradientCases() {
  static const auto& cases = *[] {
    auto* all = new std::vector<GradientCase>;
    for (auto family :
         {VariableCases, LoopCases, RerunCases, OrderCases, BranchCases, ArrayCases}) {
      for (GradientCase& one : family()) all->push_back(std::move(one));
    }
    return all;
  }();
  return cases;
}

}  // namespace tagflow::conformance
