// Gradients by variables, on both engines, against what y does when the variable moves a little.
//
// Tests: transform/gradients/{variable_handles,forward,state_gradients,gather_gradients}.cc

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/gradient/test_orders.h"
#include "graph/builder/builder.h"
#include "transform/gradients/gradients.h"

namespace tagflow::fuzz {
namespace {

class VariableGradients : public testing::Test {
 protected:
  using Body = std::function<OutputList(const Scope&, const OutputList&)>;

  // A variable, and what sets it: the feed `name`_start and the target `name`_init.
  Output Variable(const std::string& name, const PartialShape& shape, Tensor start) {
    const Output handle = Op(scope.WithOpName(name), "VarHandleOp", {},
                             {{"dtype", DType::kDouble}, {"shape", shape}, {"shared_name", name}});
    const Output given =
        Placeholder(scope.WithOpName(name + "_start"), DType::kDouble, PartialShape());
    Op(scope.WithOpName(name + "_init"), "AssignVariableOp", {handle, given});
    starts_.emplace_back(name, std::move(start));
    return handle;
  }
  Output Read(const Scope& in, const Output& handle) {
    return Op(in, "ReadVariableOp", {handle}, {{"dtype", DType::kDouble}});
  }
  Output Rows(const Scope& in, const Output& handle, const Output& rows, int64_t batch_dims = 0) {
    return Op(in, "ResourceGather", {handle, rows},
              {{"dtype", DType::kDouble}, {"batch_dims", batch_dims}});
  }
  // n iterations of the body, from `begin`: the last of the variables but the counter.
  OutputList Repeat(const Scope& in, const Input& n, const OutputList& begin, const Body& body) {
    OutputList variables = Const(in, 0);
    for (const Output& one : begin) variables.push_back(one);
    const OutputList last = WhileLoop(
        in, variables, [&](const Scope& s, const OutputList& v) { return Less(s, v[0], n); },
        [&](const Scope& s, const OutputList& v) {
          OutputList next = Add(s, v[0], 1);
          for (const Output& one : body(s, v)) next.push_back(one);
          return next;
        },
        {.name = "loop"});
    return OutputList(std::vector<Output>(last.begin() + 1, last.end()));
  }

  // The values after the variables were set.
  template <typename Session>
  std::vector<Tensor> Values(Session& session, const OutputList& fetches) {
    Feeds starts = feeds_;
    std::vector<std::string> targets;
    for (const auto& [name, start] : starts_) {
      starts.emplace_back(name + "_start", start);
      targets.push_back(name + "_init");
    }
    const auto set = session.Run(starts, {}, targets);
    EXPECT_TRUE(set.ok()) << set.status().ToString();
    const auto values = session.Run(feeds_, NamesOf(fetches), {});
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return values.ok() ? *values : std::vector<Tensor>(fetches.size());
  }

  // gradients: of y by each variable, in the order in which they were made
  template <typename Session>
  void EqualDifferences(Session& session, const Output& y, const OutputList& gradients) {
    const std::vector<Tensor> found = Values(session, gradients);
    for (size_t k = 0; k < gradients.size(); ++k) {
      const Tensor middle = starts_[k].second;
      ASSERT_EQ(DimsString(found[k].dims()), DimsString(middle.dims()));
      const auto at = [&](int64_t i, double by) {
        starts_[k].second = *middle.Clone();
        starts_[k].second.mutable_data<double>()[i] += by;
        return Values(session, {y})[0].template data<double>()[0];
      };
      for (int64_t i = 0; i < middle.num_elements(); ++i) {
        const double h = 1e-5;
        const double slope = (at(i, h) - at(i, -h)) / (2 * h);
        EXPECT_NEAR(found[k].data<double>()[i], slope, 1e-6 * (1 + std::fabs(slope)))
            << starts_[k].first << " element " << i;
      }
      starts_[k].second = middle;
    }
  }

  void Check(const Output& y, const OutputList& variables, const GradientOptions& options = {}) {
    const Result<OutputList> gradients = Gradients(scope, {y}, variables, {}, options);
    ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
    for (const Output& gradient : *gradients) ASSERT_TRUE(gradient.valid());
    const Result<Graph> graph = scope.Finish();
    ASSERT_TRUE(graph.ok()) << graph.status().ToString();
    for (const Status& error : ValidateGraph(*graph)) ADD_FAILURE() << error.ToString();
    const auto by_reference = *reference::Session::Create(graph->Clone());
    EqualDifferences(*by_reference, y, *gradients);
    const auto by_engine = *optimized::Session::Create(graph->Clone());
    EqualDifferences(*by_engine, y, *gradients);
  }
  // With every kind of way back that loops have.
  void CheckAllWays(const Output& y, const OutputList& variables) {
    Check(y, variables);
    Check(y, variables, {.history = History::kStacks});
    Check(y, variables, {.rematerialize = {{.loop = "*"}}});
    Check(y, variables, {.zeros_for_unreached = true});
  }
  std::string Refusal(const Output& y, const Output& x) {
    const Result<OutputList> gradients = Gradients(scope, {y}, {x});
    EXPECT_FALSE(gradients.ok());
    return gradients.ok() ? "" : gradients.status().ToString();
  }

  Scope scope = Scope::Root();
  Feeds feeds_;
  Feeds starts_;  // of the variables
  Output v = Variable("v", PartialShape::Scalar(), Tensor::Scalar(1.5));
};

TEST_F(VariableGradients, OfReadsAreSummed) {
  const Output once = Read(scope, v), again = Read(scope, v);
  Check(once * once * again, {v});
}

TEST_F(VariableGradients, InALoop) {
  const Output y = Repeat(scope, 4, {Const(scope, 2.0)}, [&](const Scope& s, const OutputList& a) {
    return OutputList(Mul(s, a[1], Read(s, v)));
  })[0];
  CheckAllWays(y, {v});
}

TEST_F(VariableGradients, InALoopThatMakesNoTrip) {
  const Output y = Repeat(scope, 0, {Const(scope, 2.0)}, [&](const Scope& s, const OutputList& a) {
    return OutputList(Mul(s, a[1], Read(s, v)));
  })[0];
  CheckAllWays(y, {v});
}

TEST_F(VariableGradients, BeforeALoopInOneAndAfter) {
  const Output before = Read(scope, v);
  const Output y = Repeat(scope, 3, {before}, [&](const Scope& s, const OutputList& a) {
    return OutputList(Add(s, Mul(s, a[1], Read(s, v)), before));
  })[0];
  CheckAllWays(y * Read(scope, v), {v});
}

TEST_F(VariableGradients, InLoopsInLoops) {
  const Output y = Repeat(scope, 3, {Const(scope, 1.0)}, [&](const Scope& s, const OutputList& a) {
    const Output outer = Read(s, v);
    const Body body = [&](const Scope& t, const OutputList& b) {
      return OutputList(Add(t, Mul(t, b[1], Read(t, v)), outer));
    };
    return Repeat(s, a[0], {a[1]}, body);
  })[0];
  CheckAllWays(y, {v});
}

TEST_F(VariableGradients, InABranch) {
  for (const bool taken : {false, true}) {
    SCOPED_TRACE(taken);
    const Output p = Placeholder(scope.WithOpName("p"), DType::kBool, PartialShape::Scalar());
    feeds_ = {{p.name(), Tensor::Scalar(taken)}};
    const Output y = Cond(
        scope, p,
        [&](const Scope& s) {
          const Output read = Read(s, v);
          return OutputList{read * read};
        },
        [&](const Scope& s) { return OutputList{Const(s, 7.0)}; });
    Check(y, {v});
  }
}

TEST_F(VariableGradients, InABranchOfALoop) {
  const Output y = Repeat(scope, 5, {Const(scope, 2.0)}, [&](const Scope& s, const OutputList& a) {
    const Output even = Equal(s, FloorMod(s, a[0], 2), 0);
    return Cond(
        s, even, [&](const Scope& t) { return OutputList(Mul(t, a[1], Read(t, v))); },
        [&](const Scope& t) { return OutputList(Add(t, a[1], 1.0)); });
  })[0];
  CheckAllWays(y, {v});
}

TEST_F(VariableGradients, InALoopOfABranch) {
  const Output p = Less(scope, Read(scope, v), 9.0);
  const Output y = Cond(
      scope, p,
      [&](const Scope& s) {
        return Repeat(s, 3, {Const(s, 2.0)}, [&](const Scope& t, const OutputList& a) {
          return OutputList(Mul(t, a[1], Read(t, v)));
        });
      },
      [&](const Scope& s) { return OutputList{Const(s, 7.0)}; });
  CheckAllWays(y, {v});
}

TEST_F(VariableGradients, ByAMatrixOfARecurrentCell) {
  const PartialShape square({2, 2});
  const Output w = Variable("w", square, RandomDoubles(Dims{2, 2}));
  const Output b = Variable("b", PartialShape({2}), RandomDoubles(Dims{2}));
  const Output start = Const(scope, {1, 2}, std::vector<double>{0.25, -0.5});
  const Output last = Repeat(scope, 4, {start}, [&](const Scope& s, const OutputList& a) {
    const Output product = MatMul(s, a[1], Read(s, w));
    return OutputList(Op(s, "Tanh", {Add(s, product, Read(s, b))})[0]);
  })[0];
  const Output y = Mul(scope, SumOfSquares(scope, {last}), Read(scope, v));
  CheckAllWays(y, {v, w, b});
}

TEST_F(VariableGradients, OfRows) {
  for (const PartialShape& known : {PartialShape({3, 2}), PartialShape()}) {
    SCOPED_TRACE(known.ToString());
    const std::string name = known.known_rank() ? "rows" : "unknown_rows";
    const Output table = Variable(name, known, RandomDoubles(Dims{3, 2}));
    const Output in_root = Rows(scope, table, Const(scope, std::vector<int32_t>{2, 0, 2}));
    const Output y = Repeat(scope, 3, {SumOfSquares(scope, {in_root}) * Read(scope, v)},
                            [&](const Scope& s, const OutputList& a) {
                              const Output row = Rows(s, table, a[0]);
                              return OutputList(Add(s, a[1], SumOfSquares(s, {row})));
                            })[0];
    const Result<OutputList> gradients = Gradients(scope, {y}, {table});
    ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
    EXPECT_EQ((*gradients)[0].shape(), known);
    OutputList all = {v};
    all.push_back(table);
    if (!known.known_rank()) continue;
    CheckAllWays(y, all);
  }
}

TEST_F(VariableGradients, OfRowsOfBatchesAndOfSlices) {
  const Output table = Variable("table", PartialShape({2, 3}), RandomDoubles(Dims{2, 3}));
  const Output rows = Rows(scope, table, Const(scope, {2, 2}, std::vector<int32_t>{2, 0, 1, 1}), 1);
  const Output slices =
      Op(scope, "ResourceGatherNd", {table, Const(scope, {1, 2}, std::vector<int32_t>{1, 2})},
         {{"dtype", DType::kDouble}});
  Check(SumOfSquares(scope, {rows, slices}) * Read(scope, v), {v, table});
}

TEST_F(VariableGradients, OfAVariableOfUnknownShape) {
  const Output u = Variable("u", PartialShape(), RandomDoubles(Dims{3}));
  const Output p = Placeholder(scope.WithOpName("p"), DType::kBool, PartialShape::Scalar());
  const Output y = Cond(
      scope, p,
      [&](const Scope& s) {
        return Repeat(s, 2, {Const(s, 2.0)}, [&](const Scope& t, const OutputList& a) {
          return OutputList(Mul(t, a[1], SumOfSquares(t, {Read(t, u)})));
        });
      },
      [&](const Scope& s) { return OutputList(Read(s, v)); });
  for (const bool taken : {false, true}) {
    SCOPED_TRACE(taken);
    feeds_ = {{"p", Tensor::Scalar(taken)}};
    CheckAllWays(y, {v, u});
  }
}

TEST_F(VariableGradients, OfHandlesThatAreHandedOn) {
  const Output same = Identity(scope, v);
  const Output y = Repeat(scope, 3, {Const(scope, 2.0)}, [&](const Scope& s, const OutputList& a) {
    return OutputList(Mul(s, a[1], Read(s, Identity(s, same))));
  })[0];
  CheckAllWays(y * Read(scope, same), {v});
}

TEST_F(VariableGradients, OfAHandleThatIsALoopVariable) {
  const OutputList last =
      Repeat(scope, 3, {Const(scope, 2.0), v}, [&](const Scope& s, const OutputList& a) {
        return OutputList{Mul(s, a[1], Read(s, a[2])), a[2]};
      });
  Check(last[0] * Read(scope, last[1]), {v});
}

TEST_F(VariableGradients, OfHandlesThatMeet) {
  const Output w = Variable("w", PartialShape::Scalar(), Tensor::Scalar(0.75));
  const Output p = Placeholder(scope.WithOpName("p"), DType::kBool, PartialShape::Scalar());
  const Output either = Cond(
      scope, p, [&](const Scope& s) { return OutputList(Identity(s, v)); },
      [&](const Scope& s) { return OutputList(Identity(s, w)); });
  const Output read = Read(scope, either);
  for (const bool taken : {false, true}) {
    feeds_ = {{"p", Tensor::Scalar(taken)}};
    Check(read * read * Read(scope, w), {v, w});
  }
}

TEST_F(VariableGradients, OfTwoHandlesOfOneVariable) {
  const Output other =
      Op(scope, "VarHandleOp", {},
         {{"dtype", DType::kDouble}, {"shape", PartialShape::Scalar()}, {"shared_name", "v"}});
  const Output y = Read(scope, v) * Read(scope, other);
  Check(y, {v});
  Check(Read(scope, other) * 3.0, {v});
}

TEST_F(VariableGradients, OfASecondOrder) {
  const Output y = Repeat(scope, 3, {Const(scope, 2.0)}, [&](const Scope& s, const OutputList& a) {
    return OutputList(Mul(s, a[1], Read(s, v)));
  })[0];
  const Result<OutputList> first = Gradients(scope, {y}, {v});
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  Check((*first)[0], {v});
}

TEST_F(VariableGradients, InTheBodyOfALoop) {
  const Output y = Repeat(scope, 2, {Const(scope, 0.5)}, [&](const Scope& s, const OutputList& a) {
    const Output read = Read(s, v);
    const Output loss = Mul(s, Mul(s, read, read), a[1]);
    const Result<OutputList> gradients = Gradients(s, {loss}, {v});
    EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
    return gradients.ok() ? OutputList((*gradients)[0]) : OutputList(a[1]);  // 2 v a
  })[0];
  feeds_ = {};
  const auto session = *reference::Session::Create(*scope.Finish());
  EXPECT_DOUBLE_EQ(Values(*session, {y})[0].data<double>()[0], 0.5 * 3 * 3);
}

TEST_F(VariableGradients, OfOneThatNothingReads) {
  const Output w = Variable("w", PartialShape(), RandomDoubles(Dims{2}));
  const Output y = Read(scope, v) * 2.0;
  const Result<OutputList> none = Gradients(scope, {y}, {w});
  ASSERT_TRUE(none.ok()) << none.status().ToString();
  EXPECT_FALSE((*none)[0].valid());
  Check(y, {v, w}, {.zeros_for_unreached = true});
}

TEST_F(VariableGradients, OfOneThatIsChangedBetweenReadsAreRefused) {
  const Output before = Read(scope, v);
  const Operation change = Op(scope.WithOpName("change").WithControlDependencies({before.op()}),
                              "AssignAddVariableOp", {v, Mul(scope, before, 2.0)});
  const Output after = Read(scope.WithControlDependencies({change}), v);
  const std::string refusal = Refusal(before * after, v);
  EXPECT_NE(refusal.find("'change' changes it"), std::string::npos) << refusal;
  // All after, or all before.
  EXPECT_TRUE(Gradients(scope, {after * after}, {v}).ok());
  const Output last = Identity(scope.WithControlDependencies({change}), before * before);
  EXPECT_TRUE(Gradients(scope, {last}, {v}).ok());
  // In no order.
  const Output apart = Identity(scope.WithControlDependencies({change}), Read(scope, v));
  EXPECT_NE(Refusal(apart, v).find("changes it"), std::string::npos);
}

TEST_F(VariableGradients, OfOneThatALoopChangesAreRefused) {
  const Output y = Repeat(scope, 3, {Const(scope, 2.0)}, [&](const Scope& s, const OutputList& a) {
    const Output read = Read(s, v);
    const Operation change =
        Op(s.WithControlDependencies({read.op()}), "AssignAddVariableOp", {v, Const(s, 1.0)});
    return OutputList(Mul(s.WithControlDependencies({change}), a[1], read));
  })[0];
  const std::string refusal = Refusal(y, v);
  EXPECT_NE(refusal.find("changes it in the same step"), std::string::npos) << refusal;
}

TEST_F(VariableGradients, OfWhatHasNoneAreRefused) {
  const Output y = Read(scope, v) * 2.0;
  const Output whole = Op(scope.WithOpName("whole"), "VarHandleOp", {},
                          {{"dtype", DType::kInt32}, {"shape", PartialShape::Scalar()}});
  EXPECT_NE(Refusal(y, whole).find("a variable that is int32"), std::string::npos);
  const Output unknown =
      Placeholder(scope.WithOpName("unknown"), DType::kResource, PartialShape::Scalar());
  EXPECT_NE(Refusal(y, unknown).find("comes from no VarHandleOp"), std::string::npos);
}

}  // namespace
}  // namespace tagflow::fuzz
