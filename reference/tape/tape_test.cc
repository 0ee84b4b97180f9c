// What the tape says of runs with branches, loops, arrays and stacks, against calculus by hand.
//
// Tests: recording.cc, tape.cc

#include "reference/tape/tape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/builder/builder.h"
#include "reference/tape/test_tape.h"

namespace tagflow::reference {
namespace {

// x^n, n multiplications in a loop.
Output Power(const Scope& scope, const Output& x, const Input& n) {
  return WhileLoop(
      scope, {Const(scope, 0), Const(scope, 1.0)},
      [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * x};
      })[1];
}

TEST(Tape, APowerByALoopHasItsDerivativeForAnyNumberOfTrips) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, PartialShape::Scalar());
  const Output y = Power(scope, x, n);
  auto session = MakeSession(scope);
  for (int32_t trips : {0, 1, 2, 9, 10, 11, 40}) {
    GradientCall call;
    call.feeds = {{"x", Tensor::Scalar(1.25)}, {"n", Tensor::Scalar(trips)}};
    call.ys = {y.name()};
    call.xs = {"x"};
    const Result<GradientRun> run = GradientsOfRun(*session, call);
    ASSERT_TRUE(run.ok()) << run.status().ToString();
    EXPECT_DOUBLE_EQ(run->ys[0].scalar<double>(), std::pow(1.25, trips));
    EXPECT_NEAR(Number(run->gradients[0]), trips * std::pow(1.25, trips - 1),
                1e-14 * run->gradients[0].magnitude.scalar<double>());
    EXPECT_EQ(run->gradients[0].connected, trips > 0);
  }
}

TEST(Tape, NestedLoopsAreOneLine) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  // (x^3)^2, the inner loop anew in each iteration of the outer.
  const Output y = WhileLoop(
      scope, {Const(scope, 0), Const(scope, 1.0)},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 2); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * Power(s, x, 3)};
      })[1];
  auto session = MakeSession(scope);
  EXPECT_NEAR(Number(Gradients(*session, y, {{"x", Tensor::Scalar(1.5)}})[0]), 6 * std::pow(1.5, 5),
              1e-12);
}

TEST(Tape, ABranchCountsOnlyWhenItIsTaken) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const Output z = DoubleInput(scope, "z");
  const Output y = Cond(
      scope, Greater(scope, x, 0), [&](const Scope& s) { return Mul(s, x, x); },
      [&](const Scope& s) { return Mul(s, x, z); });
  auto session = MakeSession(scope);
  const auto then =
      Gradients(*session, y, {{"x", Tensor::Scalar(3.0)}, {"z", Tensor::Scalar(5.0)}});
  EXPECT_EQ(Number(then[0]), 6);
  EXPECT_EQ(Number(then[1]), 0);
  EXPECT_FALSE(then[1].connected);
  const auto other =
      Gradients(*session, y, {{"x", Tensor::Scalar(-3.0)}, {"z", Tensor::Scalar(5.0)}});
  EXPECT_EQ(Number(other[0]), 5);
  EXPECT_EQ(Number(other[1]), -3);
}

TEST(Tape, AnElementWrittenInOneLoopIsReadInAnother) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  TensorArray powers(scope, 4, kDouble, {.clear_after_read = false});
  const OutputList written = WhileLoop(
      scope, {Const(scope, 0), Const(scope, 1.0), powers.flow()},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * x, powers.WithFlow(v[2]).Write(s, v[0], v[1] * x).flow()};
      });
  const TensorArray full = powers.WithFlow(written[2]);
  const Output sum = WhileLoop(
      scope, {Const(scope, 0), Const(scope, 0.0)},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output element = full.Read(s, v[0]);
        return {v[0] + 1, v[1] + element * element};
      })[1];
  const Output all = Sum(scope, full.Gather(scope), 0);
  const Output y = sum + all;
  auto session = MakeSession(scope);
  double expected = 0;
  for (int k = 1; k <= 4; ++k) {
    expected += 2 * k * std::pow(1.25, 2 * k - 1) + k * std::pow(1.25, k - 1);
  }
  EXPECT_NEAR(Number(Gradients(*session, y, {{"x", Tensor::Scalar(1.25)}})[0]), expected, 1e-12);
}

TEST(Tape, ArraysAreScatteredSplitGatheredAndJoined) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {3, 2});
  const auto indices = [&](std::vector<int32_t> v) { return Const(scope, Tensor::Vector(v)); };
  const TensorArray rows = TensorArray(scope, 3, kDouble).Scatter(scope, indices({2, 0, 1}), x);
  const TensorArray pieces =
      TensorArray(scope, 2, kDouble).Split(scope, x, Const(scope, Tensor::Vector<int64_t>({1, 2})));
  const Output gathered = rows.Gather(scope, indices({0, 2}));  // rows 1 and 0 of x
  const Output joined = pieces.Concat(scope);
  const Output weights =
      Const(scope, Tensor::Of<double>(Dims{2, 2}, std::vector<double>{1, 2, 3, 4}));
  const Output y = Sum(scope, gathered * weights, indices({0, 1})) +
                   Sum(scope, joined * joined, indices({0, 1}));
  auto session = MakeSession(scope);
  const Tensor fed = Tensor::Of<double>(Dims{3, 2}, std::vector<double>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Numbers(Gradients(*session, y, {{"x", fed}})[0]),
            (std::vector<double>{2 + 3, 4 + 4, 6 + 1, 8 + 2, 10, 12}));
}

TEST(Tape, WritesToAGradientArrayAddUp) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const TensorArray array =
      TensorArray(scope, 1, kDouble, {.element_shape = PartialShape::Scalar()})
          .Write(scope, 0, Const(scope, 1.0));
  const TensorArray gradient = array.Gradient(scope, "g").Write(scope, 0, x * 2);
  const TensorArray again = gradient.Write(scope, 0, x * x);
  const Output y = again.Read(scope, 0);
  auto session = MakeSession(scope);
  EXPECT_EQ(Number(Gradients(*session, y, {{"x", Tensor::Scalar(5.0)}})[0]), 12);
}

TEST(Tape, APopGivesItsGradientToThePushItUndoes) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {2});
  const Stack stack(scope, -1, kDouble);
  const Output first = stack.Push(scope, x * 2);
  const Output second = stack.Push(scope.WithControlDependencies({first}), x * x);
  const Output top = stack.Pop(scope.WithControlDependencies({second}));
  const Output third = stack.Push(scope.WithControlDependencies({top}), x * 10);
  const Output third_again = stack.Pop(scope.WithControlDependencies({third}));
  const Output bottom = stack.Pop(scope.WithControlDependencies({third_again}));
  auto session = MakeSession(scope);
  const NamedTensors feeds = {{"x", Tensor::Vector<double>({3, 5})}};
  EXPECT_EQ(Numbers(Gradients(*session, top, feeds)[0]), (std::vector<double>{6, 10}));
  EXPECT_EQ(Numbers(Gradients(*session, third_again, feeds)[0]), (std::vector<double>{10, 10}));
  EXPECT_EQ(Numbers(Gradients(*session, bottom, feeds)[0]), (std::vector<double>{2, 2}));
}

TEST(Tape, ASentTensorGetsTheGradientOfWhatWasReceived) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const auto key = [](const char* tensor) {
    return AttrMap{{"recv_device", "/device:CPU:1"},
                   {"send_device", "/device:CPU:0"},
                   {"send_device_incarnation", 1},
                   {"tensor_name", tensor}};
  };
  const auto receive = [&](const char* tensor) {
    AttrMap attrs = key(tensor);
    attrs.emplace_back("tensor_type", kDouble);
    return Output(Op(scope, "_Recv", {}, attrs));
  };
  Op(scope.WithOpName("send_a"), "_Send", {x * 2}, key("a"));
  Op(scope.WithOpName("send_b"), "_Send", {x * x}, key("b"));
  const Output y = receive("a") * 10 + receive("b");
  auto session = MakeSession(scope);
  GradientCall call;
  call.feeds = {{"x", Tensor::Scalar(3.0)}};
  call.ys = {y.name()};
  call.xs = {"x"};
  call.targets = {"send_a", "send_b"};
  for (uint64_t order = 0; order < 5; ++order) {
    call.options.seed = order;
    const Result<GradientRun> run = GradientsOfRun(*session, call);
    ASSERT_TRUE(run.ok()) << run.status().ToString();
    EXPECT_EQ(Number(run->gradients[0]), 26);
  }
}

TEST(Tape, AnXThatDiedHasNoGradient) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const Operation sides = Op(scope, "Switch", {x, Const(scope, true)});
  const Output dead = Identity(scope.WithOpName("dead"), sides[0]);
  const Output y = Op(scope, "Merge", {dead, sides[1] * 3});
  auto session = MakeSession(scope);
  GradientCall call;
  call.feeds = {{"x", Tensor::Scalar(3.0)}};
  call.ys = {y.name()};
  call.xs = {"dead", "x"};
  const Result<GradientRun> run = GradientsOfRun(*session, call);
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_FALSE(run->gradients[0].gradient.has_value());
  EXPECT_FALSE(run->gradients[0].connected);
  EXPECT_EQ(Number(run->gradients[1]), 3);
}

TEST(Tape, WhatDoesNotDependOnXHasAGradientOfZerosThatIsNotConnected) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x", {2});
  const Output z = DoubleInput(scope, "z");
  const Output stopped = Op(scope, "StopGradient", {x});
  const Output whole = Cast(scope, Cast(scope, x, DType::kInt32), kDouble);
  const Output y = Sum(scope, stopped + Op(scope, "Floor", {x}) + whole, 0) + z;
  auto session = MakeSession(scope);
  const auto gradients =
      Gradients(*session, y, {{"x", Tensor::Vector<double>({1, 2})}, {"z", Tensor::Scalar(1.0)}});
  EXPECT_EQ(Numbers(gradients[0]), (std::vector<double>{0, 0}));
  EXPECT_FALSE(gradients[0].connected);
  EXPECT_EQ(Number(gradients[1]), 1);
}

TEST(Tape, VariablesAreConstantsHoweverTheyAreRead) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const Output ref = Op(scope.WithOpName("v"), "VariableV2", {},
                        {{"dtype", kDouble}, {"shape", PartialShape::Scalar()}});
  const Output set = Op(scope, "Assign", {ref, x * 3});
  tagflow::Variable handle(scope, kDouble, PartialShape::Scalar(), {.name = "handle"});
  const Operation assigned = handle.Assign(scope, x);
  const Output read = handle.Read(scope.WithControlDependencies({assigned}));
  const Output y = Op(scope, "Mul", {set, x}) + read;
  auto session = MakeSession(scope);
  EXPECT_EQ(Number(Gradients(*session, y, {{"x", Tensor::Scalar(2.0)}})[0]), 6);
}

TEST(Tape, DifferentiatesByInnerTensorsOfTheRootAndByWhatStandsAboveThem) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const Output inner = Square(scope.WithOpName("inner"), x);
  const Output y = Power(scope, inner, 3);
  auto session = MakeSession(scope);
  GradientCall call;
  call.feeds = {{"x", Tensor::Scalar(2.0)}};
  call.ys = {y.name()};
  call.xs = {"inner", "x", y.name()};
  call.grad_ys = {Tensor::Scalar(0.5f)};
  const Result<GradientRun> run = GradientsOfRun(*session, call);
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_EQ(Number(run->gradients[0]), 0.5 * 48);
  EXPECT_EQ(Number(run->gradients[1]), 0.5 * 6 * 32);
  EXPECT_EQ(Number(run->gradients[2]), 0.5);
  call.feeds = {{"inner", Tensor::Scalar(2.0)}, {"x", Tensor::Scalar(2.0)}};
  const Result<GradientRun> fed = GradientsOfRun(*session, call);
  ASSERT_TRUE(fed.ok()) << fed.status().ToString();
  EXPECT_EQ(Number(fed->gradients[0]), 0.5 * 12);
  EXPECT_EQ(Number(fed->gradients[1]), 0);  // the feed cuts it off
}

TEST(Tape, MagnitudeBoundsWhatCancelsOut) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const Output y = x * 1e6 - x * 1e6 + x;
  auto session = MakeSession(scope);
  const auto gradient = Gradients(*session, y, {{"x", Tensor::Scalar(1.0)}})[0];
  EXPECT_EQ(Number(gradient), 1);
  EXPECT_EQ(gradient.magnitude.scalar<double>(), 2e6 + 1);
}

TEST(Tape, SaysWhatItCannotDoAndWhere) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const Output whole = Cast(scope.WithOpName("whole"), x, DType::kInt32);
  const Output y = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 2); },
      [](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, Sin(s.WithOpName("wave"), v[1])};
      },
      {.name = "loop"})[1];
  auto session = MakeSession(scope);
  AdjointTable without;
  for (const char* op : {"Enter", "Exit", "NextIteration", "Merge", "Switch", "Identity"}) {
    without.Set(op, *AdjointTable::Standard().Find(op));
  }
  GradientCall call;
  call.feeds = {{"x", Tensor::Scalar(1.0)}};
  call.ys = {y.name()};
  call.xs = {"x"};
  call.adjoints = &without;
  const Status missing = GradientsOfRun(*session, call).status();
  EXPECT_EQ(missing.code(), Code::kUnimplemented);
  EXPECT_NE(missing.message().find("Sin"), std::string::npos) << missing.ToString();
  EXPECT_NE(missing.node().find("wave"), std::string::npos) << missing.ToString();
  EXPECT_NE(missing.tag().find("[1]"), std::string::npos) << missing.ToString();

  call.adjoints = &AdjointTable::Standard();
  call.xs = {missing.node()};
  EXPECT_EQ(GradientsOfRun(*session, call).status().code(), Code::kInvalidArgument);  // in a frame
  call.xs = {"nobody"};
  EXPECT_EQ(GradientsOfRun(*session, call).status().code(), Code::kNotFound);
  call.xs = {"x"};
  call.ys = {"whole"};
  EXPECT_EQ(GradientsOfRun(*session, call).status().code(), Code::kInvalidArgument);
  call.ys = {y.name()};
  call.grad_ys = {Tensor::Vector<double>({1, 2})};
  EXPECT_EQ(GradientsOfRun(*session, call).status().code(), Code::kInvalidArgument);
}

TEST(Tape, APreventGradientOnTheWayIsItsError) {
  Scope scope = Scope::Root();
  const Output x = DoubleInput(scope, "x");
  const Output y = Op(scope, "PreventGradient", {x}, {{"message", "not here"}});
  auto session = MakeSession(scope);
  GradientCall call;
  call.feeds = {{"x", Tensor::Scalar(1.0)}};
  call.ys = {y.name()};
  call.xs = {"x"};
  const Status status = GradientsOfRun(*session, call).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("not here"), std::string::npos);
}

}  // namespace
}  // namespace tagflow::reference
