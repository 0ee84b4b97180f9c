// Gradients through TensorArrays, to second order.
//
// Tests: transform/gradients/{tensor_array_gradients,array_flow,row_updates}.cc

#include <gtest/gtest.h>

#include "fuzz/gradient/test_orders.h"

namespace tagflow::fuzz {
namespace {

class TensorArrayGradients : public testing::Test {
 protected:
  Output X(Dims dims) {
    const std::string name = "x" + std::to_string(xs_.size());
    xs_.push_back(Placeholder(scope_.WithOpName(name), DType::kDouble, dims));
    feeds_.emplace_back(name, RandomDoubles(dims));
    return xs_[xs_.size() - 1];
  }
  TensorArray Array(int size, bool dynamic = false) {
    return TensorArray(scope_, size, DType::kDouble,
                       {.dynamic_size = dynamic, .clear_after_read = false});
  }
  Output Ints(const std::vector<int32_t>& values) { return Const(scope_, values); }
  void Check(const OutputList& outputs) {
    CheckOrders(scope_, feeds_, SumOfSquares(scope_, outputs), xs_);
  }

  Scope scope_ = Scope::Root();
  OutputList xs_;
  Feeds feeds_;
};

TEST_F(TensorArrayGradients, OfWritesAndReads) {
  const Output x = X({2});
  const TensorArray array = Array(3).Write(scope_, 0, x).Write(scope_, 2, x * x);
  // An element read twice; one written that nobody reads.
  const TensorArray more = array.Write(scope_, 1, X({2}));
  Check({array.Read(scope_, 2), more.Read(scope_, 2), more.Read(scope_, 0)});
}

TEST_F(TensorArrayGradients, OfRows) {
  const TensorArray array = Array(4).Scatter(scope_, Ints({3, 0, 1}), X({3, 2}));
  const TensorArray full = array.Write(scope_, 2, X({2}));
  Check({full.Gather(scope_), full.Gather(scope_, Ints({1, 3, 1}))});
}

TEST_F(TensorArrayGradients, OfUnstackedRows) {
  Check({Array(3).Unstack(scope_, X({3, 2})).Gather(scope_)});
}

TEST_F(TensorArrayGradients, OfPieces) {
  const Output lengths = Const(scope_, std::vector<int64_t>{1, 0, 2});
  const TensorArray array = Array(3).Split(scope_, X({3, 2}), lengths);
  Check({array.Concat(scope_), array.Read(scope_, 2)});
}

TEST_F(TensorArrayGradients, OfAnArrayThatALoopWritesAndAnotherReads) {
  const Output x = X({});
  const TensorArray powers = Array(0, true);
  const OutputList written = WhileLoop(
      scope_, {Const(scope_, 0), Const(scope_, 1.0), powers.flow()},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output next = v[1] * x;
        return {v[0] + 1, next, powers.WithFlow(v[2]).Write(s, v[0], next).flow()};
      });
  const TensorArray full = powers.WithFlow(written[2]);
  const Output y = WhileLoop(
      scope_, {Const(scope_, 0), Const(scope_, 0.0)},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 6); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output element = full.Read(s, v[0] % 4);
        s.SetShape(element, PartialShape::Scalar());
        return {v[0] + 1, v[1] + element * element};
      })[1];
  Check({y, full.Gather(scope_)});
}

TEST_F(TensorArrayGradients, OfWhatWasWrittenEarlierInTheLoop) {
  const Output x = X({});
  const TensorArray array = Array(5).Write(scope_, 0, x);
  const Output y = WhileLoop(
      scope_, {Const(scope_, 0), array.flow()},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 4); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const TensorArray now = array.WithFlow(v[1]);
        const Output last = now.Read(s, v[0]);
        s.SetShape(last, PartialShape::Scalar());
        return {v[0] + 1, now.Write(s, v[0] + 1, last * x).flow()};
      })[1];
  Check({array.WithFlow(y).Gather(scope_)});
}

TEST_F(TensorArrayGradients, OfAnArrayOfEachIteration) {
  const Output x = X({2});
  const Output y = WhileLoop(
      scope_, {Const(scope_, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const TensorArray array = TensorArray(s, 2, DType::kDouble).Unstack(s, v[1]);
        const Output first = array.Read(s, 0), second = array.Read(s, 1);
        return {v[0] + 1, Pack(s, {Mul(s, first, second), second})};
      },
      {.shape_invariants = {PartialShape::Scalar(), PartialShape(Dims{2})}})[1];
  Check({y});
}

TEST_F(TensorArrayGradients, OfAnArrayThatOneBranchReads) {
  for (const bool taken : {false, true}) {
    scope_ = Scope::Root();
    xs_ = {};
    feeds_ = {};
    const Output x = X({});
    const TensorArray array = Array(2).Write(scope_, 0, x).Write(scope_, 1, x * x);
    const Output y = Cond(
        scope_, Const(scope_, taken),
        [&](const Scope& s) {
          const Output read = array.Read(s, 1);
          s.SetShape(read, PartialShape::Scalar());
          return Mul(s, read, x);
        },
        [&](const Scope& s) { return Mul(s, x, x); });
    Check({y, array.Read(scope_, 0)});
  }
}

TEST_F(TensorArrayGradients, OfAGradientArrayAreRefused) {
  const Output x = X({});
  const TensorArray array = Array(1).Write(scope_, 0, x);
  const Output y = array.Gradient(scope_, "g").Write(scope_, 0, x * 2).Read(scope_, 0);
  const Status status = Gradients(scope_, {y}, {x}).status();
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_NE(status.message().find("forward graph"), std::string::npos) << status.ToString();
}

}  // namespace
}  // namespace tagflow::fuzz
