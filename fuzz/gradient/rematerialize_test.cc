// Loops that are gone back over by running them again: what comes out, what it costs, and that
// effects happen once.
//
// Tests: transform/gradients/{rematerialize,rerun,body_copy,effect_replay,trip_count}.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/gradient/test_orders.h"
#include "graph/builder/builder.h"
#include "transform/gradients/gradients.h"
#include "transform/limits.h"

namespace tagflow::fuzz {
namespace {

OutputList GradientsOf(const Scope& scope, const Output& y, const OutputList& xs,
                       GradientOptions options) {
  options.zeros_for_unreached = true;
  const Result<OutputList> gradients = Gradients(scope, {y}, xs, {}, options);
  EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
  return gradients.ok() ? *gradients : OutputList();
}

class Rematerialized : public testing::Test {
 protected:
  static GradientOptions Again(const std::string& loop) {
    return {.rematerialize = {{.loop = loop}}};
  }
  static GradientOptions Few(int64_t states, const std::string& loop = "loop") {
    return {.rematerialize = {{.loop = loop, .states = states}}};
  }
  // As a loop is gone back over with blocks, and with few states.
  std::vector<GradientOptions> Ways(const std::string& loop) const {
    return {Again(loop), Few(1, loop), Few(2, loop), Few(100, loop)};
  }

  Feeds At(double x_value, double z_value) const {
    return {{"x", Tensor::Scalar(x_value)}, {"z", Tensor::Scalar(z_value)}};
  }
  // Whole numbers of few bits where x and z are: nothing is rounded on any way.
  Output Loop(const Scope& in, const Output& n, const Output& start) {
    return WhileLoop(
        in, {Const(in, 0), start},
        [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [&](const Scope&, const OutputList& v) -> OutputList {
          return {v[0] + 1, v[1] * z * x - v[1] + x};
        },
        {.name = "loop"})[1];
  }
  // A loop of `trips` iterations.
  Output Times(int32_t trips, const OutputList& begin, const BodyFunction& body) {
    OutputList variables(Const(scope, 0));
    for (const Output& value : begin) variables.push_back(value);
    return WhileLoop(
        scope, variables, [&](const Scope& s, const OutputList& v) { return Less(s, v[0], trips); },
        [&](const Scope& s, const OutputList& v) {
          OutputList next(v[0] + 1);
          for (const Output& value : body(s, v)) next.push_back(value);
          return next;
        },
        {.name = "loop"})[1];
  }

  // Both gradients in one run, in which what is random is the same: equal bit for bit.
  void ExpectAsWithHistory(const Output& y, const Feeds& feeds, const GradientOptions& options) {
    const OutputList kept = GradientsOf(scope, y, {x, z}, {});
    const OutputList again = GradientsOf(scope, y, {x, z}, options);
    ASSERT_EQ(again.size(), 2u);
    const OutputList all = {kept[0], kept[1], again[0], again[1]};
    for (const bool by_engine : {false, true}) {
      SCOPED_TRACE(by_engine ? "engine" : "reference");
      const std::vector<Tensor> values =
          by_engine ? ByEngine(scope, feeds, all) : ByReference(scope, feeds, all);
      ASSERT_EQ(values.size(), 4u);
      EXPECT_TRUE(BitwiseEqual(values[0], values[2]));
      EXPECT_TRUE(BitwiseEqual(values[1], values[3]));
      EXPECT_NE(values[0].scalar<double>(), 0);
    }
  }

  Status RefusedWith(const Output& y, const GradientOptions& options) {
    const size_t before = scope.graph().num_nodes();
    const Status status = Gradients(scope, {y}, {x}, {}, options).status();
    EXPECT_EQ(scope.graph().num_nodes(), before);
    EXPECT_TRUE(scope.ok());
    return status;
  }

  Scope scope = Scope::Root();
  Output x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
  Output z = Placeholder(scope.WithOpName("z"), DType::kDouble, Dims{});
};

TEST_F(Rematerialized, IsTheSameForAnyNumberOfTrips) {
  const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
  const Output y = Loop(scope, n, x) * z;
  const OutputList kept = GradientsOf(scope, y, {x, z}, {});
  const OutputList again = GradientsOf(scope, y, {x, z}, Again("loop"));
  for (int32_t trips = 0; trips < 12; ++trips) {
    Feeds feeds = At(2, 3);
    feeds.emplace_back("n", Tensor::Scalar(trips));
    const std::vector<Tensor> values =
        ByReference(scope, feeds, {kept[0], again[0], kept[1], again[1]});
    ASSERT_EQ(values.size(), 4u);
    EXPECT_TRUE(BitwiseEqual(values[0], values[1])) << trips;
    EXPECT_TRUE(BitwiseEqual(values[2], values[3])) << trips;
  }
}

TEST_F(Rematerialized, HasGradientsOfItsOwn) {
  for (const GradientOptions& options : Ways("*")) {
    scope = Scope::Root();
    x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
    z = Placeholder(scope.WithOpName("z"), DType::kDouble, Dims{});
    CheckOrders(scope, At(0.25, 0.5), Loop(scope, Const(scope, 5), x), {x, z}, 2, options);
  }
}

TEST_F(Rematerialized, GoesThroughBranchesAndInnerLoops) {
  const Output y = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output next = Cond(
            s, Equal(s, v[0] % 2, 1),
            [&](const Scope& t) { return OutputList{Loop(t, v[0], v[1])}; },
            [&](const Scope&) { return OutputList{v[1] * z}; });
        return {v[0] + 1, next};
      },
      {.name = "outer"})[1];
  for (const char* which : {"outer", "*"}) {
    for (const GradientOptions& options : Ways(which)) {
      SCOPED_TRACE(which);
      CheckOrders(scope, At(0.25, 0.5), y, {x, z}, 1, options);
    }
  }
  CheckOrders(scope, At(0.25, 0.5), y, {x, z}, 1, Again("outer/cond/loop"));
}

// What decides comes in through both loops, so its way into what runs again is two Enters long.
TEST_F(Rematerialized, BranchesOnWhatTwoLoopsCapture) {
  for (const GradientOptions& options : Ways("loop/inner")) {
    scope = Scope::Root();
    x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
    z = Placeholder(scope.WithOpName("z"), DType::kDouble, Dims{});
    const Output is_small = Less(scope, x, 1.0);
    const Output y = Times(2, {x}, [&](const Scope& s, const OutputList& v) -> OutputList {
      return {WhileLoop(
          s, {Const(s, 0), v[1]},
          [](const Scope& t, const OutputList& w) { return Less(t, w[0], 3); },
          [&](const Scope& t, const OutputList& w) -> OutputList {
            const Output taken = Cond(
                t, is_small, [&](const Scope&) -> OutputList { return {w[1] * z}; },
                [&](const Scope&) -> OutputList { return {w[1] + x * z}; })[0];
            return {w[0] + 1, Tanh(t, taken)};
          },
          {.name = "inner"})[1]};
    });
    CheckOrders(scope, At(0.5, 0.75), y, {x, z}, 2, options);
    CheckOrders(scope, At(1.5, 0.75), y, {x, z}, 1, options);
  }
}

// What checks that a loop is as long as was said is no effect of the iteration around it, and is
// dead where the loop was not entered.
TEST_F(Rematerialized, IsInABranchThatIsNotTaken) {
  const Output y = Cond(
      scope, Less(scope, x, z), [&](const Scope& s) { return OutputList{Loop(s, Const(s, 4), x)}; },
      [&](const Scope&) { return OutputList{x * z}; });
  const Output twice = WhileLoop(
      scope, {Const(scope, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 2); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1,
                Cond(
                    s, Equal(s, v[0], 1),
                    [&](const Scope& b) { return OutputList{Loop(b, Const(b, 3), v[1])}; },
                    [&](const Scope&) { return OutputList{v[1] * z}; })};
      },
      {.name = "outer"})[1];
  for (const GradientOptions& options : Ways("*")) {
    for (const double at : {0.25, 2.0}) {
      SCOPED_TRACE(at);
      CheckOrders(scope, At(at, 0.5), y * x, {x, z}, 1, options);
    }
    CheckOrders(scope, At(0.25, 0.5), twice * x, {x, z}, 1, options);
  }
}

// What the run of a gradient did.
struct Work {
  int64_t bodies = 0;  // times that a copy of the node `counted` ran
  int32_t states = 0;  // saved at a time, on the way back
  std::vector<Tensor> values;
};
Work RunOf(const Scope& scope, const Feeds& feeds, const OutputList& fetches) {
  const auto session = *reference::Session::Create(*scope.Finish());
  Work work;
  reference::RunOptions options;
  options.trace = [&](const reference::TraceEvent& event) {
    if (event.dead) return;
    const std::string name = event.node->name.substr(event.node->name.rfind('/') + 1);
    if (name.starts_with("counted")) ++work.bodies;
    if (event.node->op != "TensorListLength" || event.outputs.empty()) return;
    if (event.node->name.find("descend") == std::string::npos) return;
    work.states = std::max(work.states, event.outputs[0].value.scalar<int32_t>());
  };
  const auto values = session->Run(feeds, NamesOf(fetches), {}, options);
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  if (values.ok()) work.values = *values;
  return work;
}

// t(n, s) of binomial_schedule.h.
int64_t BinomialSteps(int64_t n, int64_t s) {
  const auto beta = [](int64_t a, int64_t r) {
    int64_t value = r < 0 ? 0 : 1;
    for (int64_t i = 1; i <= r; ++i) value = value * (a + i) / i;
    return value;
  };
  int64_t r = 0;
  while (beta(s, r) < n) ++r;
  return r * n - beta(s + 1, r - 1);
}

TEST_F(Rematerialized, TakesAsManyStepsAsTheBinomialScheduleSays) {
  for (const int32_t n : {0, 1, 2, 3, 4, 5, 7, 10, 11, 16, 21, 30}) {
    for (const int64_t states : {1, 2, 3, 4, 6, 40}) {
      SCOPED_TRACE(std::to_string(n) + " iterations, " + std::to_string(states) + " states");
      scope = Scope::Root();
      x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
      z = Placeholder(scope.WithOpName("z"), DType::kDouble, Dims{});
      const Output y = Times(n, {x}, [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output rounded = Op(s.WithOpName("counted"), "Rint", {v[1]});
        return {v[1] * z - rounded * x};
      });
      const OutputList kept = GradientsOf(scope, y, {x, z}, {});
      const OutputList few = GradientsOf(scope, y, {x, z}, Few(states));
      const Feeds feeds = At(2, 3);
      const Work expected = RunOf(scope, feeds, kept);
      const Work found = RunOf(scope, feeds, few);
      ASSERT_EQ(found.values.size(), 2u);
      EXPECT_TRUE(BitwiseEqual(found.values[0], expected.values[0]));
      EXPECT_TRUE(BitwiseEqual(found.values[1], expected.values[1]));
      EXPECT_EQ(expected.bodies, n);
      // The loop itself, the way to each iteration but for its first sweep, and each once more.
      const int64_t steps = n < 2 ? 0 : BinomialSteps(n, states) - (n - 1);
      EXPECT_EQ(found.bodies, n + steps + n);
      EXPECT_LE(found.states, states);
      EXPECT_TRUE(n <= 2 * states || found.states == states) << found.states;
    }
  }
}

// The most values of a block's history that there were at a time, on any schedule.
int64_t MostKept(const Scope& scope, const Feeds& feeds, const OutputList& fetches, uint64_t seed) {
  const auto session = *reference::Session::Create(*scope.Finish());
  int64_t kept = 0, most = 0;
  reference::RunOptions options;
  options.seed = seed;
  options.trace = [&](const reference::TraceEvent& event) {
    if (event.dead) return;
    const std::string& name = event.node->name;
    if (name.find("again/history/push") != std::string::npos) most = std::max(most, ++kept);
    if (event.node->op == "TensorListPopBack" && name.find("again_grad") != std::string::npos) {
      --kept;
    }
  };
  const auto values = session->Run(feeds, NamesOf(fetches), {}, options);
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_EQ(kept, 0);
  return most;
}

TEST_F(Rematerialized, KeepsOneBlockAtATimeWithAnyParallelIterations) {
  for (const int64_t parallel : {1, 2, 10, 32}) {
    for (const bool is_nested : {false, true}) {
      SCOPED_TRACE(std::to_string(parallel) + (is_nested ? " in a loop" : ""));
      scope = Scope::Root();
      x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
      const auto loop = [&](const Scope& in, const Output& begin, const char* name, int32_t trips,
                            const std::function<Output(const Scope&, const Output&)>& body) {
        return WhileLoop(
            in, {Const(in, 0), begin},
            [&](const Scope& s, const OutputList& v) { return Less(s, v[0], trips); },
            [&](const Scope& s, const OutputList& v) -> OutputList {
              return {v[0] + 1, body(s, v[1])};
            },
            {.name = name, .parallel_iterations = parallel})[1];
      };
      const auto sine = [](const Scope& s, const Output& v) { return Sin(s, v); };
      const auto inner = [&](const Scope& s, const Output& v) {
        return loop(s, v, "loop", 50, sine);
      };
      const Output y = is_nested ? loop(scope, x, "outer", 3, inner) : inner(scope, x);
      const std::string name = is_nested ? "outer/loop" : "loop";
      const OutputList gradients = GradientsOf(scope, y, {x}, Again(name));
      const Feeds feeds = {{"x", Tensor::Scalar(0.5)}};
      for (const uint64_t seed : {0, 1, 2}) {
        const int64_t most = MostKept(scope, feeds, gradients, seed);
        EXPECT_GT(most, 0);
        EXPECT_LE(most, 10);  // the square root of 2 * 50
      }
    }
  }
}

TEST_F(Rematerialized, HasToBeOfTheLengthThatWasSaid) {
  const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
  const Output y = Loop(scope, n, x);
  GradientOptions options = Few(2);
  options.rematerialize[0].trips = 6;
  const OutputList few = GradientsOf(scope, y, {x}, options);
  const OutputList kept = GradientsOf(scope, y, {x}, {});
  for (int32_t trips = 0; trips < 10; ++trips) {
    Feeds feeds = At(2, 3);
    feeds.emplace_back("n", Tensor::Scalar(trips));
    const auto session = *reference::Session::Create(*scope.Finish());
    const auto values = session->Run(feeds, {few[0].name(), kept[0].name()});
    EXPECT_EQ(values.ok(), trips == 6) << trips;
    if (values.ok()) {
      EXPECT_TRUE(BitwiseEqual((*values)[0], (*values)[1]));
    } else {
      const std::string error = values.status().ToString();
      EXPECT_NE(error.find("was built for 6 iterations, and it made:"), std::string::npos) << error;
      EXPECT_NE(error.find("[" + std::to_string(trips) + "]"), std::string::npos) << error;
    }
  }
}

TEST_F(Rematerialized, RefusesABudgetThatMakesNoSense) {
  const Output n = Placeholder(scope.WithOpName("n"), DType::kInt32, Dims{});
  const Output fixed =
      Times(4, {x}, [&](const Scope&, const OutputList& v) -> OutputList { return {v[1] * z}; });
  const auto fails = [&](const Output& y, const Rematerialization& loop, const std::string& says) {
    const Status status = RefusedWith(y, {.rematerialize = {loop}});
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
    EXPECT_NE(status.ToString().find(says), std::string::npos) << status.ToString();
  };
  fails(fixed, {.loop = "loop", .states = 0}, "1 saved state at least, not 0");
  fails(fixed, {.loop = "loop", .states = -3}, "1 saved state at least, not -3");
  fails(fixed, {.loop = "loop", .trips = 4}, "only with a number of saved states");
  fails(fixed, {.loop = "loop", .states = 2, .trips = -1}, "no number of iterations");
  fails(fixed, {.loop = "loop", .states = 2, .trips = int64_t{1} << 31}, "no number of iterations");
  fails(fixed, {.loop = "*", .states = 2, .trips = 4}, "name it");
  fails(fixed, {.loop = "loop", .states = 2, .trips = 5}, "makes 4 iterations, not 5");
  const Output open = Loop(scope, n, x);
  fails(open, {.loop = "loop_1", .states = 2}, "must be known");
  fails(open, {.loop = "loop_1", .states = 1'000'000'000, .trips = 2'000'000'000}, "are the most");
  fails(open, {.loop = "loop_1", .states = kMostSavedStates + 1, .trips = 2'000'000'000},
        "1000001 saved states, and 1000000 are the most there can be");
  for (const int64_t states : {kMostSavedStates - 1, kMostSavedStates}) {
    const Rematerialization loop = {.loop = "loop_1", .states = states, .trips = 2'000'000'000};
    EXPECT_TRUE(Gradients(scope, {open}, {x}, {}, {.rematerialize = {loop}}).ok()) << states;
  }
  // Of any loop, with what can be had of it.
  EXPECT_TRUE(Gradients(scope, {open}, {x}, {}, Few(2, "*")).ok());
}

TEST_F(Rematerialized, KnowsHowLongCountersGo) {
  struct Case {
    int32_t first, step, limit;
    const char* test;
    int64_t trips;  // -1: not known
  };
  for (const Case& c : {Case{0, 1, 5, "Less", 5},
                        {0, 2, 5, "Less", 3},
                        {0, 2, 5, "LessEqual", 3},
                        {1, 2, 5, "LessEqual", 3},
                        {7, -3, 0, "Greater", 3},
                        {6, -3, 0, "GreaterEqual", 3},
                        {9, 1, 5, "Less", 0},
                        {0, 0, 5, "Less", -1},
                        {0, 1, 5, "NotEqual", -1}}) {
    SCOPED_TRACE(std::string(c.test) + " " + std::to_string(c.limit));
    for (const bool is_swapped : {false, true}) {
      scope = Scope::Root();
      x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
      std::string test = c.test;
      if (is_swapped && test.starts_with("Less")) {
        test.replace(0, 4, "Greater");
      } else if (is_swapped && test.starts_with("Greater")) {
        test.replace(0, 7, "Less");
      }
      const Output y = WhileLoop(
          scope, {Const(scope, c.first), x},
          [&](const Scope& s, const OutputList& v) -> Output {
            const Output limit = Const(s, c.limit);
            return is_swapped ? Op(s, test, {limit, v[0]}) : Op(s, test, {v[0], limit});
          },
          [&](const Scope& s, const OutputList& v) -> OutputList {
            return {is_swapped ? Add(s, Const(s, c.step), v[0]) : Add(s, v[0], c.step), v[1] * x};
          },
          {.name = "loop"})[1];
      if (c.trips < 0) {
        EXPECT_NE(RefusedWith(y, Few(2)).message().find("must be known"), std::string::npos);
        continue;
      }
      const OutputList gradient = GradientsOf(scope, y, {x}, Few(2));
      const std::vector<Tensor> values = ByReference(scope, {{"x", Tensor::Scalar(1.0)}}, gradient);
      ASSERT_EQ(values.size(), 1u);
      EXPECT_EQ(values[0].scalar<double>(), static_cast<double>(c.trips + 1));
    }
  }
}

// One of 1, 2, 3, 4 for each iteration, drawn after what the last one gave.
Output RandomAfter(const Scope& scope, const Output& last) {
  const Output random = Op(scope.WithControlDependencies({last.op()}), "RandomUniform",
                           {Const(scope, std::vector<int32_t>{})},
                           {{"dtype", DType::kDouble}, {"seed", 3}, {"seed2", 4}});
  return Add(scope, Op(scope, "Floor", {Mul(scope, random, 4)}), 1);
}

TEST_F(Rematerialized, DrawsRandomNumbersOnce) {
  const Output y = Times(7, {x}, [&](const Scope& s, const OutputList& v) -> OutputList {
    return {v[1] * RandomAfter(s, v[1]) * z + x};
  });
  for (const GradientOptions& options : Ways("loop")) ExpectAsWithHistory(y, At(2, 3), options);
}

// In a branch, and in an inner loop in which they also say how long that goes on.
TEST_F(Rematerialized, DrawsRandomNumbersOnceInBranchesAndLoops) {
  const auto inner = [&](const Scope& in, const Output& start) {
    return WhileLoop(
        in, {Const(in, 0), start},
        [&](const Scope& s, const OutputList& v) {
          return LogicalAnd(s, Less(s, RandomAfter(s, v[1]), 4), Less(s, v[0], 3));
        },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const Output next = Cond(
              s, Less(s, RandomAfter(s, v[1]), 3),
              [&](const Scope& b) { return OutputList{RandomAfter(b, v[1]) * v[1]}; },
              [&](const Scope&) { return OutputList{v[1] + z}; });
          return {v[0] + 1, next * z};
        },
        {.name = "inner"})[1];
  };
  const Output y = Times(5, {x}, [&](const Scope& s, const OutputList& v) -> OutputList {
    const Output next = Cond(
        s, Less(s, RandomAfter(s, v[1]), 4),
        [&](const Scope& b) { return OutputList{inner(b, v[1])}; },
        [&](const Scope& b) { return OutputList{v[1] * RandomAfter(b, v[1])}; });
    return {next + x * z};
  });
  std::vector<GradientOptions> ways = Ways("loop");
  for (const GradientOptions& options : Ways("*")) ways.push_back(options);
  for (const GradientOptions& options : ways) ExpectAsWithHistory(y, At(1, 2), options);
}

// Each iteration counts itself, and multiplies with what it has counted so far.
TEST_F(Rematerialized, HasEffectsOnce) {
  Variable count(scope, DType::kDouble, PartialShape::Scalar(), {.name = "count"});
  const Operation init = count.Assign(scope.WithOpName("init"), Const(scope, 0.0));
  const Output y = Times(6, {x}, [&](const Scope& s, const OutputList& v) -> OutputList {
    const Operation counted = count.AssignAdd(s, Const(s, 1.0));
    const Output so_far = count.Read(s.WithControlDependencies({counted}));
    return {Cond(
        s, Less(s, so_far, 3.0), [&](const Scope&) { return OutputList{v[1] * so_far * z}; },
        [&](const Scope& t) {
          return OutputList{v[1] * count.Read(t.WithControlDependencies({so_far.op()})) + x};
        })};
  });
  const Output after = count.Read(scope.WithControlDependencies({y.op()}));
  for (const GradientOptions& options : Ways("loop")) {
    const OutputList kept = GradientsOf(scope, y, {x, z}, {});
    const OutputList again = GradientsOf(scope, y, {x, z}, options);
    const auto session = *reference::Session::Create(*scope.Finish());
    const auto engine = *optimized::Session::Create(*scope.Finish());
    const std::vector<std::string> fetches = NamesOf({kept[0], kept[1], again[0], again[1], after});
    ASSERT_TRUE(session->Run({}, {}, {init.name()}).ok());
    ASSERT_TRUE(engine->Run({}, {}, {init.name()}).ok());
    for (const auto& values : {session->Run(At(2, 3), fetches), engine->Run(At(2, 3), fetches)}) {
      ASSERT_TRUE(values.ok()) << values.status().ToString();
      EXPECT_TRUE(BitwiseEqual((*values)[0], (*values)[2]));
      EXPECT_TRUE(BitwiseEqual((*values)[1], (*values)[3]));
      EXPECT_EQ((*values)[4].scalar<double>(), 6);
    }
  }
}

TEST_F(Rematerialized, WritesAndReadsArraysOnce) {
  for (GradientOptions options : Ways("loop")) {
    scope = Scope::Root();
    x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
    z = Placeholder(scope.WithOpName("z"), DType::kDouble, Dims{});
    const TensorArray factors =
        TensorArray(scope, 5, DType::kDouble)
            .Unstack(scope, Mul(scope, Const(scope, std::vector<double>{1, 2, 3, 1, 2}), z));
    const TensorArray array(scope, 5, DType::kDouble);
    const OutputList results = WhileLoop(
        scope, {Const(scope, 0), x, array.flow()},
        [](const Scope& s, const OutputList& v) { return Less(s, v[0], 5); },
        [&](const Scope& s, const OutputList& v) -> OutputList {
          const TensorArray written = array.WithFlow(v[2]).Write(s, v[0], v[1] * x);
          return {v[0] + 1, v[1] * factors.Read(s, v[0]), written.flow()};
        },
        {.name = "loop"});
    const Output y = Sum(scope, array.WithFlow(results[2]).Gather(scope), 0) * results[1];
    CheckOrders(scope, At(1.25, 0.75), y, {x, z}, 2, options);
  }
}

// A flow is not saved, and this loop has no other variable: its length is random.
TEST_F(Rematerialized, HasOnlyAFlowForAState) {
  const TensorArray array(scope, 1, DType::kDouble, {.dynamic_size = true});
  const Output flow = WhileLoop(
      scope, {array.flow()},
      [&](const Scope& s, const OutputList& v) {
        return Less(s, array.WithFlow(v[0]).Size(s.WithControlDependencies({v[0].op()})), 5);
      },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const TensorArray before = array.WithFlow(v[0]);
        return {before.Write(s, before.Size(s), x * z).flow()};
      },
      {.name = "loop"})[0];
  const TensorArray all = array.WithFlow(flow);
  const Output y = Sum(scope, all.Gather(scope, Const(scope, std::vector<int32_t>{1, 2, 3})), 0);
  for (GradientOptions options : Ways("loop")) {
    if (options.rematerialize[0].states) options.rematerialize[0].trips = 4;
    ExpectAsWithHistory(y, At(2, 3), options);
  }
}

// One that each iteration makes, and arrays in inner loops.
TEST_F(Rematerialized, MakesArraysOnce) {
  for (GradientOptions options : Ways("loop")) {
    scope = Scope::Root();
    x = Placeholder(scope.WithOpName("x"), DType::kDouble, Dims{});
    z = Placeholder(scope.WithOpName("z"), DType::kDouble, Dims{});
    const Output y = Times(4, {x}, [&](const Scope& s, const OutputList& v) -> OutputList {
      const TensorArray array(s, 3, DType::kDouble);
      const OutputList filled = WhileLoop(
          s, {Const(s, 0), v[1], array.flow()},
          [](const Scope& t, const OutputList& w) { return Less(t, w[0], 3); },
          [&](const Scope& t, const OutputList& w) -> OutputList {
            return {w[0] + 1, w[1] * z, array.WithFlow(w[2]).Write(t, w[0], w[1] * w[1]).flow()};
          },
          {.name = "inner"});
      return {Sum(s, array.WithFlow(filled[2]).Gather(s), 0) * x};
    });
    CheckOrders(scope, At(0.5, 0.75), y, {x, z}, 2, options);
    options.rematerialize.push_back({.loop = "loop/inner"});
    CheckOrders(scope, At(0.5, 0.75), y, {x, z}, 1, options);
    options.rematerialize.back().states = 1;
    CheckOrders(scope, At(0.5, 0.75), y, {x, z}, 1, options);
  }
}

// Of a reference, what it showed is kept: in a branch, it is handed on.
TEST_F(Rematerialized, KeepsWhatReferencesShowed) {
  RefVariable count(scope, DType::kDouble, PartialShape::Scalar(), {.name = "count"});
  const Output init = count.Assign(scope, Const(scope, 1.0));
  const Output y = Times(4, {x}, [&](const Scope& s, const OutputList& v) -> OutputList {
    const Output counted = count.AssignAdd(s, Const(s, 1.0));
    const Output shown = Op(s.WithControlDependencies({counted.op()}), "Mul", {count.ref(), z});
    return {Cond(
        s.WithControlDependencies({shown.op()}), Less(s, v[0], 2),
        [&](const Scope& b) {
          return Op(b, "Mul", {counted, v[1]});
        },
        [&](const Scope&) { return OutputList{v[1] * shown + x}; })};
  });
  for (const GradientOptions& options : Ways("loop")) {
    const OutputList kept = GradientsOf(scope, y, {x, z}, {});
    const OutputList again = GradientsOf(scope, y, {x, z}, options);
    ASSERT_EQ(again.size(), 2u);
    const auto session = *reference::Session::Create(*scope.Finish());
    ASSERT_TRUE(session->Run({}, {}, {init.op().name()}).ok());
    const auto values = session->Run(At(2, 3), NamesOf({kept[0], again[0], kept[1], again[1]}));
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_TRUE(BitwiseEqual((*values)[0], (*values)[1]));
    EXPECT_TRUE(BitwiseEqual((*values)[2], (*values)[3]));
    // Once more in each of the four iterations.
    const auto once_more = session->Run({}, {"count"});
    ASSERT_TRUE(once_more.ok()) << once_more.status().ToString();
    EXPECT_EQ((*once_more)[0].scalar<double>(), 5);
  }
}

}  // namespace
}  // namespace tagflow::fuzz
