// Gradients through lists, to second order.
//
// Tests: transform/gradients/{list_gradients,row_updates,last_writer}.cc

#include <gtest/gtest.h>

#include "fuzz/gradient/test_orders.h"

namespace tagflow::fuzz {
namespace {

const AttrMap kOfDoubles = {{"element_dtype", DType::kDouble}};

class ListGradients : public testing::Test {
 protected:
  Output X(Dims dims, bool known = true) {
    const std::string name = "x" + std::to_string(xs_.size());
    const PartialShape shape = known ? PartialShape(dims) : PartialShape();
    xs_.push_back(Placeholder(scope_.WithOpName(name), DType::kDouble, shape));
    feeds_.emplace_back(name, RandomDoubles(dims));
    return xs_[xs_.size() - 1];
  }
  Output Ints(const std::vector<int32_t>& values) { return Const(scope_, values); }
  Output Make(std::string_view op, std::vector<Input> inputs, AttrMap attrs = {}) {
    return Op(scope_, op, std::move(inputs), std::move(attrs));
  }
  Output Empty() { return Make("EmptyTensorList", {-1, -1}, kOfDoubles); }
  Output Rows(const Output& x) { return Make("TensorListFromTensor", {x, -1}); }
  Output Stack(const Output& list) { return Make("TensorListStack", {list, -1}, kOfDoubles); }
  void Check(const OutputList& outputs) {
    CheckOrders(scope_, feeds_, SumOfSquares(scope_, outputs), xs_);
  }

  Scope scope_ = Scope::Root();
  OutputList xs_;
  Feeds feeds_;
};

TEST_F(ListGradients, OfPushingAndPopping) {
  const Output pushed = Make("TensorListPushBack", {Rows(X({2, 3})), X({3}, false)});
  const Operation popped = Op(scope_, "TensorListPopBack", {pushed, -1}, kOfDoubles);
  Check({popped[1], Stack(popped[0]), Stack(pushed)});
}

TEST_F(ListGradients, OfAnElementThatNobodyAsksFor) {
  const Output pushed = Make("TensorListPushBack", {Rows(X({2, 3})), X({3})});
  Check({Op(scope_, "TensorListPopBack", {pushed, -1}, kOfDoubles)[1]});
}

TEST_F(ListGradients, OfItems) {
  const Output list = Rows(X({3, 2}));
  const Output changed = Make("TensorListSetItem", {list, 1, X({2}, false)});
  const auto item = [&](const Output& of, int i) {
    return Make("TensorListGetItem", {of, i, -1}, kOfDoubles);
  };
  Check({item(list, 1), item(list, 1), item(changed, 1), item(changed, 2), Stack(changed)});
}

TEST_F(ListGradients, OfAListThatGrows) {
  const Output list = Rows(X({2}));
  const Output grown =
      Make("TensorListSetItem", {list, 3, X({})}, {{"resize_if_index_out_of_bounds", true}});
  const Output scattered = Make("TensorListScatterIntoExistingList", {list, X({2}), Ints({4, 0})});
  const Output longer = Make("TensorListResize", {list, 5});
  const Output shorter = Make("TensorListResize", {list, 1});
  const auto stacked = [&](const Output& of) {
    return Make("TensorListStack", {of, Ints({})}, kOfDoubles);
  };
  Check({stacked(grown), stacked(scattered), stacked(longer), stacked(shorter)});
}

TEST_F(ListGradients, OfRowsReadTwiceAndOverwritten) {
  const Output rows = Make("TensorListGather", {Rows(X({3, 2})), Ints({2, 0, 2}), -1}, kOfDoubles);
  const Output scattered = Make("TensorListScatter", {rows, Ints({1, 1, 0}), -1});
  const Output of_four = Make("TensorListScatterV2", {X({2, 2}, false), Ints({3, 0}), -1, 4});
  Check({Stack(scattered), Stack(of_four)});
}

TEST_F(ListGradients, OfIndicesOfAnyShape) {
  const Output list = Rows(X({3, 2}));
  const auto hidden = [&](Dims dims, const std::vector<int32_t>& values) {
    return PlaceholderWithDefault(scope_, Const(scope_, dims, values), PartialShape());
  };
  const Output item = Make("TensorListGetItem", {list, hidden({1, 1}, {2}), -1}, kOfDoubles);
  const Output rows =
      Make("TensorListGather", {list, hidden({2, 2}, {1, 0, 1, 2}), -1}, kOfDoubles);
  const Output scattered = Make("TensorListScatter", {X({3}), hidden({1, 3}, {1, 0, 1}), -1});
  Check({item, rows, Stack(scattered)});
}

TEST_F(ListGradients, OfPieces) {
  const Output pieces =
      Make("TensorListSplit", {X({3, 2}), -1, Const(scope_, std::vector<int64_t>{1, 0, 2})});
  const Output changed = Make("TensorListSetItem", {pieces, 2, X({2, 2})});
  const Operation joined = Op(scope_, "TensorListConcat", {changed}, kOfDoubles);
  const Operation again =
      Op(scope_, "TensorListConcatV2",
         {pieces, Ints({-1, 2}), Const(scope_, std::vector<int64_t>{})}, kOfDoubles);
  Check({joined[0], again[0]});
}

TEST_F(ListGradients, OfTwoListsInOne) {
  const Output both = Make("TensorListConcatLists", {Rows(X({2, 2})), Rows(X({1, 2}))}, kOfDoubles);
  Check({Stack(both)});
}

TEST_F(ListGradients, OfSeveralListsPushedToAtOnce) {
  const Output lists = Pack(scope_, {Empty(), Rows(X({2}))});
  const OutputList pushed = Unpack(scope_, Make("TensorListPushBackBatch", {lists, X({2})}), 2);
  Check({Stack(pushed[0]), Stack(pushed[1])});
}

TEST_F(ListGradients, OfListsInAList) {
  const Output outer = Make("EmptyTensorList", {-1, -1}, {{"element_dtype", DType::kVariant}});
  const Output one = Make("TensorListPushBack", {outer, Rows(X({2}))});
  const Output two = Make("TensorListPushBack", {one, Rows(X({3}))});
  const AttrMap of_lists = {{"element_dtype", DType::kVariant}};
  const Output read = Make("TensorListGetItem", {two, 1, -1}, of_lists);
  const Operation popped = Op(scope_, "TensorListPopBack", {two, -1}, of_lists);
  const Operation first = Op(scope_, "TensorListPopBack", {popped[0], -1}, of_lists);
  Check({Stack(read), Stack(popped[1]), Stack(first[1])});
}

TEST_F(ListGradients, OfAListThatALoopReads) {
  const Output list = Rows(X({4, 2}));
  const Output x = X({2});
  const Output y = WhileLoop(
      scope_, {Const(scope_, 0), x},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 6); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Output row = Op(s, "TensorListGetItem", {list, v[0] % 4, -1}, kOfDoubles);
        s.SetShape(row, PartialShape(Dims{2}));
        return {v[0] + 1, v[1] * row};
      })[1];
  Check({y});
}

TEST_F(ListGradients, OfAListThatALoopMakesAndAnotherTakesApart) {
  const Output x = X({2});
  const OutputList made = WhileLoop(
      scope_, {Const(scope_, 0), x, Empty()},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * x, Op(s, "TensorListPushBack", {v[2], v[1]})};
      });
  const Output y = WhileLoop(
      scope_, {made[0], made[1], made[2]},
      [](const Scope& s, const OutputList& v) { return Greater(s, v[0], 0); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        const Operation popped = Op(s, "TensorListPopBack", {v[2], -1}, kOfDoubles);
        s.SetShape(popped[1], PartialShape(Dims{2}));
        return {v[0] - 1, v[1] * popped[1], popped[0]};
      })[1];
  Check({y});
}

TEST_F(ListGradients, OfAListThatOneBranchChanges) {
  for (const bool taken : {false, true}) {
    scope_ = Scope::Root();
    xs_ = {};
    feeds_ = {};
    const Output list = Rows(X({2}));
    const Output x = X({});
    const Output changed = Cond(
        scope_, Const(scope_, taken),
        [&](const Scope& s) {
          return Output(Op(s, "TensorListSetItem", {list, 0, x * x}));
        },
        [&](const Scope& s) { return Identity(s, list); });
    Check({Stack(changed)});
  }
}

TEST_F(ListGradients, SayWhatTheyCannotDo) {
  const AttrMap of_lists = {{"element_dtype", DType::kVariant}};
  const Output outer = Make("TensorListFromTensor", {Pack(scope_, {Rows(X({2}))}), -1});
  const Output rows = Make("TensorListGather", {outer, Ints({0, 0}), -1}, of_lists);
  const Output y = Stack(Unpack(scope_, rows, 2)[0]);
  const Status status = Gradients(scope_, {y}, {xs_[0]}).status();
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_NE(status.message().find("TensorListGetItem"), std::string::npos) << status.ToString();
}

}  // namespace
}  // namespace tagflow::fuzz
