// Gradients through maps and through ragged tensors in variants, to second order.
//
// Tests: transform/gradients/{map_gradients,ragged_gradients}.cc

#include <gtest/gtest.h>

#include "fuzz/gradient/test_orders.h"

namespace tagflow::fuzz {
namespace {

class VariantGradients : public testing::Test {
 protected:
  Output X(Dims dims, bool known = true) {
    const std::string name = "x" + std::to_string(xs_.size());
    const PartialShape shape = known ? PartialShape(dims) : PartialShape();
    xs_.push_back(Placeholder(scope_.WithOpName(name), DType::kDouble, shape));
    feeds_.emplace_back(name, RandomDoubles(dims));
    return xs_[xs_.size() - 1];
  }
  void Check(const OutputList& outputs) {
    CheckOrders(scope_, feeds_, SumOfSquares(scope_, outputs), xs_);
  }

  Output Empty() { return Op(scope_, "EmptyTensorMap", {}); }
  static Output Insert(const Scope& scope, const Output& map, const Input& key,
                       const Output& value) {
    return Op(scope, "TensorMapInsert", {map, key, value});
  }
  Output Insert(const Output& map, const Input& key, const Output& value) {
    return Insert(scope_, map, key, value);
  }
  static Output Lookup(const Scope& scope, const Output& map, const Input& key) {
    return Op(scope, "TensorMapLookup", {map, key}, {{"value_dtype", DType::kDouble}});
  }
  Output Lookup(const Output& map, const Input& key) { return Lookup(scope_, map, key); }
  Output Erase(const Output& map, const Input& key) {
    return Op(scope_, "TensorMapErase", {map, key}, {{"value_dtype", DType::kDouble}});
  }

  Output Splits(const std::vector<int64_t>& splits) { return Const(scope_, splits); }
  Output ToVariant(const OutputList& splits, const Output& values, bool batched) {
    return Op(scope_, "RaggedTensorToVariant", {splits, values},
              {{"batched_input", batched},
               {"RAGGED_RANK", static_cast<int64_t>(splits.size())},
               {"Tsplits", DType::kInt64}});
  }
  Output Values(const Output& variants, int64_t in, int64_t out) {
    const Operation read = Op(scope_, "RaggedTensorFromVariant", {variants},
                              {{"input_ragged_rank", in},
                               {"output_ragged_rank", out},
                               {"Tvalues", DType::kDouble},
                               {"Tsplits", DType::kInt64}});
    return read[static_cast<int>(out)];
  }

  Scope scope_ = Scope::Root();
  OutputList xs_;
  Feeds feeds_;
};

TEST_F(VariantGradients, OfValuesInMaps) {
  const Output map = Insert(Insert(Empty(), 1, X({2, 3})), "two", X({3}, false));
  Check({Lookup(map, 1), Lookup(map, "two"), Lookup(map, 1)});
}

TEST_F(VariantGradients, OfValuesThatAreReplacedOrErased) {
  const Output first = Insert(Insert(Empty(), 1, X({2})), 2, X({3}));
  const Output replaced = Insert(first, 1, X({2, 2}, false));
  const Output again = Insert(Erase(replaced, 2), 2, X({}));
  Check({Lookup(first, 1), Lookup(replaced, 1), Lookup(again, 2), Lookup(again, 1)});
}

TEST_F(VariantGradients, OfAValueThatNobodyReads) {
  const Output map = Insert(Insert(Empty(), 1, X({2})), 2, X({3}));
  Check({Lookup(map, 2)});
}

TEST_F(VariantGradients, OfSumsOfMapsAndOfMapsInMaps) {
  const Output a = Insert(Insert(Empty(), 1, X({2})), 2, X({3}));
  const Output b = Insert(Empty(), 1, X({2}));
  const Output sum = AddN(scope_, {a, b});
  const Output outer = Insert(Empty(), 7, sum);
  const Output inner =
      Op(scope_, "TensorMapLookup", {outer, 7}, {{"value_dtype", DType::kVariant}});
  Check({Lookup(inner, 1), Lookup(inner, 2), Lookup(a, 1)});
}

// Values of a map that are no numbers have no gradient.
TEST_F(VariantGradients, OfMapsWithNumbersAndTexts) {
  const Output map = Insert(Insert(Empty(), 1, X({2})), 1, Const(scope_, 5));
  const Output both = Insert(Insert(map, 2, X({3})), 3, Const(scope_, 4));
  Check({Lookup(both, 2)});
}

TEST_F(VariantGradients, OfAMapThatALoopFills) {
  const Output x = X({});
  const OutputList filled = WhileLoop(
      scope_, {Const(scope_, 0), Const(scope_, 1.0), Empty()},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [&](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] * x, Insert(s, v[2], v[0], v[1] * x)};
      });
  const Output sum = WhileLoop(
      scope_, {Const(scope_, 0), Const(scope_, 0.0), filled[2]},
      [](const Scope& s, const OutputList& v) { return Less(s, v[0], 3); },
      [](const Scope& s, const OutputList& v) -> OutputList {
        return {v[0] + 1, v[1] + Lookup(s, v[2], v[0]), v[2]};
      })[1];
  Check({sum});
}

TEST_F(VariantGradients, OfRowsThatAreVariants) {
  const OutputList inner = {Splits({0, 2, 2, 5})}, both = {Splits({0, 2, 3}), inner[0]};
  const Output rows = ToVariant(inner, X({5}), true);
  const OutputList row = Unpack(scope_, rows, 3);
  const Output deep = ToVariant(both, X({5, 2}, false), true);
  const Output turned = Pack(scope_, {row[2], row[0], row[2]});
  Check({Values(rows, 0, 1), Values(row[0], 0, 0), Values(deep, 1, 2), Values(turned, -1, 1)});
}

TEST_F(VariantGradients, OfRaggedTensorsInOneVariant) {
  const Output whole = ToVariant({Splits({0, 2, 2, 5})}, X({5}), false);
  const Output twice = Pack(scope_, {whole, whole});
  Check({Values(whole, 1, 1), Values(twice, 1, 2)});
}

TEST_F(VariantGradients, OfTensorsThatAreNotRagged) {
  const Output rows = ToVariant({}, X({3, 2}), true);
  const Output whole = ToVariant({}, X({2, 2}, false), false);
  Check({Values(rows, -1, 0), Values(rows, 0, 1), Values(whole, 0, 0)});
}

TEST_F(VariantGradients, OfVariantsInTwoDimensions) {
  const Output rows = ToVariant({Splits({0, 2, 2, 4, 5})}, X({5}), true);
  const OutputList row = Unpack(scope_, rows, 4);
  const Output grid =
      Pack(scope_, {Pack(scope_, {row[0], row[1]}), Pack(scope_, {row[2], row[3]})});
  scope_.SetShape(grid, PartialShape(Dims{2, 2}));
  const auto gradients = Gradients(scope_, {SumOfSquares(scope_, {Values(grid, 0, 2)})}, {xs_[0]});
  EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
}

}  // namespace
}  // namespace tagflow::fuzz
