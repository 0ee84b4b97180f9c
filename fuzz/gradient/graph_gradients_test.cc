// Gradients of graphs made by hand, against the tape over the same run.
//
// Tests: transform/gradients/{gradients,region,loop_gradient,loop_history,loop_values,gates}.cc

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/gradient/test_orders.h"
#include "graph/builder/builder.h"
#include "transform/gradients/gradients.h"
#include "transform/gradients/jvp.h"

namespace tagflow::fuzz {
namespace {

OutputList GradientsOf(const Scope& scope, const Output& y, const OutputList& xs,
                       GradientOptions options) {
  options.zeros_for_unreached = true;
  const Result<OutputList> gradients = Gradients(scope, {y}, xs, {}, options);
  EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
  return gradients.ok() ? *gradients : OutputList();
}

// The gradients are what y does when an x moves a little.
void EqualDifferences(const Scope& scope, const Feeds& feeds, const Output& y, const OutputList& xs,
                      const OutputList& gradients) {
  const std::vector<Tensor> found = ByReference(scope, feeds, gradients);
  ASSERT_EQ(found.size(), xs.size());
  const auto moved = [&](const std::string& name, int64_t i, double by) {
    Feeds near = feeds;
    for (auto& [feed, value] : near) {
      if (feed != name) continue;
      value = *value.Clone();
      value.mutable_data<double>()[i] += by;
    }
    const std::vector<Tensor> values = ByReference(scope, near, {y});
    return values.empty() ? std::nan("") : values[0].data<double>()[0];
  };
  for (size_t k = 0; k < xs.size(); ++k) {
    for (int64_t i = 0; i < found[k].num_elements(); ++i) {
      const double h = 1e-5;
      const double slope = (moved(xs[k].name(), i, h) - moved(xs[k].name(), i, -h)) / (2 * h);
      EXPECT_NEAR(found[k].data<double>()[i], slope, 1e-6 * (1 + std::fabs(slope)))
          << "d y / d x" << k << " element " << i;
    }
  }
}

// Gradients, those of their sum, and so on.
void CheckToOrder(int order, const Scope& scope, const Feeds& feeds, Output y, const OutputList& xs,
                  const GradientOptions& options = {}) {
  for (int i = 1; i <= order; ++i) {
    SCOPED_TRACE("order " + std::to_string(i));
    const OutputList gradients = GradientsOf(scope, y, xs, options);
    if (i == 1) EqualTheTape(scope, feeds, y, xs, gradients);
    if (i == 1) {
      SCOPED_TRACE("stacks");
      GradientOptions with_stacks = options;
      with_stacks.history = History::kStacks;
      EqualTheTape(scope, feeds, y, xs, GradientsOf(scope, y, xs, with_stacks));
    }
    EqualDifferences(scope, feeds, y, xs, gradients);
    if (testing::Test::HasFailure()) return;
    OutputList sums;
    for (const Output& gradient : gradients) {
      sums.push_back(Sum(scope, gradient, Range(scope, 0, Rank(scope, gradient), 1)));
    }
    y = AddN(scope, sums);
  }
}

Output DoubleInput(const Scope& scope, const char* name) {
  return Placeholder(scope.WithOpName(name), DType::kDouble, Dims{});
}

class GraphGradients : public testing::Test {
 protected:
  Scope scope = Scope::Root();
  Output x = DoubleInput(scope, "x");
  Output z = DoubleInput(scope, "z");

  Feeds At(double x_value, double z_value) {
    return {{"x", Tensor::Scalar(x_value)}, {"z", Tensor::Scalar(z_value)}};
  }
};

TEST_F(GraphGradients, OfAStraightLine) {
  CheckToOrder(3, scope, At(2, 3), x * x * z + x * 5 - z, {x, z});
}

TEST_F(GraphGradients, OfAVectorThatIsBroadcast) {
  const Output v = Placeholder(scope.WithOpName("v"), DType::kDouble, Dims{3});
  const Output y = Sum(scope, v * x * v + z, 0);
  Feeds feeds = At(2, 3);
  feeds.emplace_back("v", Tensor::Vector(std::vector<double>{1, 2, -3}));
  CheckToOrder(2, scope, feeds, y, {x, v, z});
}

TEST_F(GraphGradients, OfACond) {
  const Output p = Less(scope, x, z);
  const Output y = Cond(
      scope, p, [&](const Scope&) { return OutputList{x * x * z}; },
      [&](const Scope&) { return OutputList{z * z}; });
  for (const double at : {1.0, 5.0}) {
    SCOPED_TRACE(at);
    CheckToOrder(1, scope, At(at, 3), y * x, {x, z});
  }
  CheckToOrder(3, scope, At(1, 3), y * x, {x, z});
}

// k + 1 times x^2 in the k-th branch, each in the else of the one before: more of them than the
// engine makes jumps.
TEST_F(GraphGradients, OfManyBranchesInBranches) {
  const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
  const std::function<Output(const Scope&, int)> branch = [&](const Scope& s, int k) -> Output {
    if (k == 70) return Neg(s, x);
    return Cond(
        s, Equal(s, n, k),
        [&](const Scope& t) { return OutputList(Mul(t, Mul(t, x, x), k + 1.0)); },
        [&](const Scope& t) { return OutputList(branch(t, k + 1)); })[0];
  };
  const Output y = branch(scope, 0);
  const OutputList gradients = GradientsOf(scope, y, {x, z}, {});
  for (const int32_t at : {0, 1, 63, 64, 69, 70}) {
    Feeds feeds = At(2, 3);
    feeds.emplace_back("n", Tensor::Scalar(at));
    EqualTheTape(scope, feeds, y, {x, z}, gradients);
    EXPECT_EQ(ByReference(scope, feeds, gradients)[0].data<double>()[0],
              at < 70 ? 4 * (at + 1) : -1);
  }
}

TEST_F(GraphGradients, OfALoop) {
  const OutputList loop = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * z + x};
      });
  CheckToOrder(1, scope, At(2, 3), loop[1], {x, z});
}

TEST_F(GraphGradients, OfALoopToTheThirdOrder) {
  const OutputList loop = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * v[1] * z};
      });
  CheckToOrder(3, scope, At(1.5, 0.5), loop[1], {x, z});
}

TEST_F(GraphGradients, OfALoopThatMakesNoTrip) {
  const OutputList loop = WhileLoop(
      scope, {Const(scope, 5), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * z + x};
      });
  CheckToOrder(2, scope, At(2, 3), loop[1] * x, {x, z});
}

TEST_F(GraphGradients, OfACondInALoop) {
  const OutputList loop = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output odd = Equal(s, v[0] % 2, 1);
        return {v[0] + 1, Cond(
                              s, odd, [&](const Scope&) { return OutputList{v[1] * v[1] * z}; },
                              [&](const Scope&) { return OutputList{v[1] + x}; })};
      });
  CheckToOrder(3, scope, At(1.5, 0.5), loop[1], {x, z});
}

TEST_F(GraphGradients, OfALoopInALoop) {
  const OutputList loop = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const OutputList inner = WhileLoop(
            s, {Const(s, 0), v[1]},
            [&](const Scope& t, const OutputList& w) { return Less(t, w[0], v[0]); },
            [&](const Scope&, const OutputList& w) -> OutputList {
              return {w[0] + 1, w[1] * v[1] * z};
            });
        return {v[0] + 1, inner[1] + x};
      });
  CheckToOrder(2, scope, At(1.5, 0.5), loop[1], {x, z});
}

TEST_F(GraphGradients, OfALoopInACond) {
  const Output y = Cond(
      scope, Less(scope, x, z),
      [&](const Scope& s) {
        return OutputList{WhileLoop(
            s, {Const(s, 0), x},
            [](const Scope& t, const OutputList& v) { return Less(t, v[0], 3); },
            [&](const Scope&, const OutputList& v) -> OutputList {
              return {v[0] + 1, v[1] * v[1] * z};
            })[1]};
      },
      [&](const Scope&) { return OutputList{z * x}; });
  for (const double at : {1.5, 5.0}) {
    SCOPED_TRACE(at);
    CheckToOrder(2, scope, At(at, 2.5), y, {x, z});
  }
}

TEST_F(GraphGradients, OfAnArray) {
  const TensorArray array(scope, 4, DType::kDouble);
  const OutputList filled = WhileLoop(
      scope, {Const(scope, 0), x, array.flow()},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * z, array.WithFlow(v[2]).Write(s, v[0], v[1] * v[1]).flow()};
      });
  const TensorArray full = array.WithFlow(filled[2]);
  const OutputList read = WhileLoop(
      scope, {Const(scope, 0), z},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * full.Read(s, v[0])};
      });
  CheckToOrder(2, scope, At(1.5, 0.5), read[1], {x, z});
}

TEST_F(GraphGradients, ThroughStacksHaveNone) {
  const Output y = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, WhileLoop(
                              s, {Const(s, 0), v[1]},
                              [](const Scope& t, const OutputList& w) { return Less(t, w[0], 2); },
                              [&](const Scope&, const OutputList& w) -> OutputList {
                                return {w[0] + 1, w[1] * w[1] * z};
                              })[1]};
      })[1];
  GradientOptions options;
  options.history = History::kStacks;
  const OutputList first = GradientsOf(scope, y, {x}, options);
  const size_t before = scope.graph().num_nodes();
  const Status status = Gradients(scope, first, {x}).status();
  EXPECT_EQ(status.code(), Code::kUnimplemented) << status.ToString();
  EXPECT_NE(status.message().find("a stack has no gradient"), std::string::npos);
  EXPECT_EQ(scope.graph().num_nodes(), before);
  EXPECT_TRUE(scope.ok());
}

// <J v, u> = <v, J' u>
TEST_F(GraphGradients, HaveATranspose) {
  const OutputList loop = WhileLoop(
      scope, {Const(scope, 0), x, z},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [&](const Scope&, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * v[2] + x, v[2] * v[2] + v[1]};
      });
  const OutputList ys = {loop[1], loop[2]}, xs = {x, z};
  const OutputList v = {Const(scope, 3.0), Const(scope, -2.0)};
  const OutputList u = {Const(scope, 0.5), Const(scope, 7.0)};
  const Result<OutputList> along = Jvp(scope, ys, xs, v);
  const Result<OutputList> back = Gradients(scope, ys, xs, u);
  ASSERT_TRUE(along.ok()) << along.status().ToString();
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  const std::vector<Tensor> values =
      ByReference(scope, At(0.25, 0.5),
                  {(*along)[0] * u[0] + (*along)[1] * u[1], (*back)[0] * v[0] + (*back)[1] * v[1]});
  ASSERT_EQ(values.size(), 2u);
  const double expected = values[1].scalar<double>();
  EXPECT_NEAR(values[0].scalar<double>(), expected, 1e-12 * std::fabs(expected));
  EXPECT_NE(expected, 0);
}

// Newton's method with the slope by Gradients in the body: the root of v^3 - z.
TEST_F(GraphGradients, AreTakenInABody) {
  const Output root = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 30); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output value = v[1] * v[1] * v[1] - z;
        const Result<OutputList> slope = Gradients(s, {value}, {v[1]});
        EXPECT_TRUE(slope.ok()) << slope.status().ToString();
        return {v[0] + 1, slope.ok() ? v[1] - value / (*slope)[0] : v[1]};
      })[1];
  EXPECT_NEAR(ByReference(scope, At(1, 27), {root})[0].scalar<double>(), 3, 1e-12);
  // The body's gradient is part of the loop, and has gradients like the rest of it.
  CheckToOrder(1, scope, At(1, 27), root, {z});
}

// A loop in the body, and what comes from outside of it: z is captured.
TEST_F(GraphGradients, AreTakenInABodyOfWhatItCaptures) {
  const Output sum = WhileLoop(
      scope, {Const(scope, 0), Const(scope, 0.0)},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output power = WhileLoop(
            s, {Const(s, 0), Const(s, 1.0)},
            [&](const Scope& t, const OutputList& w) { return LessEqual(t, w[0], v[0]); },
            [&](const Scope&, const OutputList& w) -> OutputList {
              return {w[0] + 1, w[1] * z};
            })[1];
        const Result<OutputList> slope = Gradients(s, {power}, {z});
        EXPECT_TRUE(slope.ok()) << slope.status().ToString();
        return {v[0] + 1, slope.ok() ? v[1] + (*slope)[0] : v[1]};
      })[1];
  // 1 + 2 z + 3 z^2
  EXPECT_EQ(ByReference(scope, At(0, 2), {sum})[0].scalar<double>(), 17);
}

TEST_F(GraphGradients, AreTakenInABranch) {
  const Output y = Cond(
      scope, Less(scope, x, z),
      [&](const Scope& s) {
        const Result<OutputList> slope = Gradients(s, {x * x * z}, {x, z});
        EXPECT_TRUE(slope.ok()) << slope.status().ToString();
        return slope.ok() ? OutputList{(*slope)[0] + (*slope)[1]} : OutputList{x};
      },
      [&](const Scope&) { return OutputList{x}; });
  EXPECT_EQ(ByReference(scope, At(2, 3), {y})[0].scalar<double>(), 16);
  EXPECT_EQ(ByReference(scope, At(5, 3), {y})[0].scalar<double>(), 5);
}

TEST_F(GraphGradients, WeighSeveralYs) {
  const Output weight = Const(scope, 10.0);
  const Result<OutputList> gradients =
      Gradients(scope, {x * x, x * z, x}, {x, z}, {weight, Const(scope, 1.0), z});
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  const std::vector<Tensor> values = ByReference(scope, At(2, 3), *gradients);
  EXPECT_EQ(values[0].scalar<double>(), 40 + 3 + 3);
  EXPECT_EQ(values[1].scalar<double>(), 2);
}

TEST_F(GraphGradients, AreNoneWhereNoPathLeads) {
  const Output free = DoubleInput(scope, "free");
  const Result<OutputList> gradients =
      Gradients(scope, {x * StopGradient(scope, z) + Op(scope, "Floor", {free})}, {x, z, free});
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  EXPECT_TRUE((*gradients)[0].valid());
  EXPECT_FALSE((*gradients)[1].valid());
  EXPECT_FALSE((*gradients)[2].valid());
}

TEST_F(GraphGradients, ErrorsChangeNothing) {
  const Output number = Cast(scope, x, DType::kInt32);
  Output inside;
  const Output loop = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        inside = Mul(s.WithOpName("inside"), v[1], z);
        return {v[0] + 1, inside};
      },
      {.name = "loop"})[1];
  const Output odd = Op(scope.WithOpName("odd"), "RandomShuffle", {loop});
  const Output y = Mul(scope.WithOpName("y"), odd, z);
  const Output single = Const(scope, 1.0f);
  const size_t before = scope.graph().num_nodes();
  const auto fails = [&](const OutputList& ys, const OutputList& xs, const OutputList& grad_ys,
                         Code code, const std::string& says) {
    const Status status = Gradients(scope, ys, xs, grad_ys).status();
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_NE(status.ToString().find(says), std::string::npos) << status.ToString();
    EXPECT_EQ(scope.graph().num_nodes(), before);
    EXPECT_TRUE(scope.ok());
  };
  fails({}, {x}, {}, Code::kInvalidArgument, "no y");
  fails({number}, {x}, {}, Code::kInvalidArgument, "int32");
  fails({loop}, {number}, {}, Code::kInvalidArgument, "int32");
  fails({loop}, {Output()}, {}, Code::kInvalidArgument, "x 0 is no tensor");
  fails({inside}, {x}, {}, Code::kInvalidArgument, "frame 'loop'");
  fails({loop}, {x}, {x, z}, Code::kInvalidArgument, "2 grad_ys for 1 ys");
  fails({loop}, {x}, {single}, Code::kInvalidArgument, "must be alike");
  fails({y}, {x}, {}, Code::kUnimplemented, "'y' <- 'odd'");
  CheckToOrder(1, scope, At(2, 3), loop, {x, z});
}

// Where a control edge alone puts an op into a branch, nothing of its gradient runs in the other,
// in which it might fail.
TEST(GradientsInBranches, OfWhatWaitsForABranchWaitForIt) {
  const Scope scope = Scope::Root();
  const Output p = Placeholder(scope.WithOpName("p"), DType::kBool, PartialShape::Scalar());
  const Output x = Placeholder(scope.WithOpName("x"), DType::kDouble, PartialShape({2, 2}));
  const Output pivot = Identity(scope, Op(scope, "Switch", {p, p})[1]);
  const Scope in_branch = scope.WithControlDependencies({pivot.op()});
  const Output determinant = Op(in_branch, "MatrixDeterminant", {x});
  const Output other = Op(scope, "Switch", {Const(scope, 1.0), p})[0];
  const Output y = Op(scope, "Merge", {{determinant, other}})[0];
  const Result<OutputList> gradients = Gradients(scope, {y}, {x});
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  const Tensor singular = Tensor::Of<double>(Dims{2, 2}, std::vector<double>{1, 1, 1, 1});
  const Feeds feeds = {{"p", Tensor::Scalar(false)}, {"x", singular}};
  for (const auto& values :
       {ByReference(scope, feeds, *gradients), ByEngine(scope, feeds, *gradients)}) {
    ASSERT_EQ(values.size(), 1u);
    EXPECT_EQ(values[0].DebugString(), "double[2,2] [[0, 0], [0, 0]]");
  }
}

}  // namespace
}  // namespace tagflow::fuzz
