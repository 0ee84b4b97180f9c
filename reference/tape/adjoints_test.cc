// Every derivative against what the op itself does when an input moves a little.
//
// Tests: adjoint.cc, adjoints_array.cc, adjoints_control.cc, adjoints_slice.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "reference/tape/test_adjoints.h"

namespace tagflow::reference {
namespace {

TEST(Adjoints, AMaximumThatSeveralShareIsSharedOutAndMaximumFollowsItsFirstOperand) {
  Firing max = Fire("Max", {Tensor::Vector<double>({1, 3, 3}), IntTensor({0})}, {});
  max.weights = {{1}};
  EXPECT_EQ(Adjoints(max, AdjointTable::Standard())[0].gradient,
            (std::vector<double>{0, 0.5, 0.5}));
  Firing two = Fire("Minimum", {Tensor::Scalar(2.0), Tensor::Scalar(2.0)}, {});
  two.weights = {{1}};
  EXPECT_EQ(Adjoints(two, AdjointTable::Standard())[0].gradient, std::vector<double>{1});
  EXPECT_EQ(Adjoints(two, AdjointTable::Standard())[1].gradient, std::vector<double>{0});
  Firing abs = Fire("Abs", {Tensor::Scalar(0.0)}, {});
  EXPECT_EQ(Adjoints(abs, AdjointTable::Standard())[0].gradient, std::vector<double>{0});
}

TEST(Adjoints, OfOpsThatMoveElements) {
  const Tensor x = Doubles({2, 3, 2}, -1, 1);
  EXPECT_EQ(Wrong("Identity", {x}), 0);
  EXPECT_EQ(Wrong("IdentityN", {x, Doubles({2}, 0, 1)}), 0);
  EXPECT_EQ(Wrong("Reshape", {x, IntTensor({4, 3})}), 0);
  EXPECT_EQ(Wrong("ExpandDims", {x, Int(-2)}), 0);
  EXPECT_EQ(Wrong("Squeeze", {Doubles({1, 2, 1}, 0, 1)}), 0);
  EXPECT_EQ(Wrong("BroadcastTo", {Doubles({2, 1}, 0, 1), IntTensor({3, 2, 2})}), 0);
  EXPECT_EQ(Wrong("Fill", {IntTensor({2, 2}), Doubles({}, 0, 1)}), 0);
  EXPECT_EQ(Wrong("Tile", {x, IntTensor({2, 1, 3})}), 0);
  EXPECT_EQ(Wrong("Tile", {x, IntTensor({0, 1, 3})}), 0);
  EXPECT_EQ(Wrong("Transpose", {x, IntTensor({2, 0, 1})}), 0);
}

TEST(Adjoints, OfOpsThatJoinAndCut) {
  const Tensor x = Doubles({2, 3, 2}, -1, 1);
  const Tensor y = Doubles({2, 1, 2}, -1, 1);
  EXPECT_EQ(Wrong("ConcatV2", {x, y, x, Int(1)}), 0);
  EXPECT_EQ(Wrong("ConcatV2", {x, x, Int(-1)}), 0);
  const PartialShape two(Dims{2, 3});
  EXPECT_EQ(
      Wrong("ParallelConcat", {Doubles({1, 3}, -1, 1), Doubles({1, 3}, -1, 1)}, {{"shape", two}}),
      0);
  EXPECT_EQ(Wrong("Concat", {Int(1), x, y}), 0);
  EXPECT_EQ(Wrong("Split", {Int(1), x}, {{"num_split", 3}}), 0);
  EXPECT_EQ(Wrong("SplitV", {x, IntTensor({2, 0, 1}), Int(-2)}, {{"num_split", 3}}), 0);
  for (const int axis : {0, 1, -1}) {
    EXPECT_EQ(Wrong("Pack", {x, x}, {{"axis", axis}}), 0) << axis;
    EXPECT_EQ(Wrong("Unpack", {x}, {{"axis", axis}, {"num", axis == 1 ? 3 : 2}}), 0) << axis;
  }
  EXPECT_EQ(Wrong("DynamicStitch", {IntTensor({0, 2}), IntTensor({1, 0}), Doubles({2, 2}, 0, 1),
                                    Doubles({2, 2}, 0, 1)}),
            0);
}

TEST(Adjoints, OfOpsThatChooseByIndex) {
  const Tensor x = Doubles({3, 4, 2}, -1, 1);
  EXPECT_EQ(Wrong("Slice", {x, IntTensor({1, 0, 1}), IntTensor({2, 3, 1})}), 0);
  EXPECT_EQ(Wrong("Slice", {x, IntTensor({1, 0, 1}), IntTensor({-1, -1, 0})}), 0);
  EXPECT_EQ(Wrong("Gather", {x, IntTensor({2, 0, 2})}), 0);
  EXPECT_EQ(Wrong("GatherV2",
                  {x, Tensor::Of<int32_t>(Dims{2, 2}, std::vector<int32_t>{3, 0, 0, 1}), Int(-2)}),
            0);
  EXPECT_EQ(
      Wrong("GatherV2", {x, Tensor::Of<int32_t>(Dims{3, 1}, std::vector<int32_t>{3, 0, 1}), Int(1)},
            {{"batch_dims", 1}}),
      0);
  EXPECT_EQ(
      Wrong("GatherNd", {x, Tensor::Of<int32_t>(Dims{2, 2}, std::vector<int32_t>{2, 3, 0, 1})}), 0);
  EXPECT_EQ(
      Wrong("GatherNd", {x, Tensor::Of<int32_t>(Dims{3, 1}, std::vector<int32_t>{-1, 2, 1 << 20})},
            {{"bad_indices_policy", "IGNORE"}}),
      0);
  for (const int axis : {0, 1, -1}) {
    EXPECT_EQ(Wrong("OneHot", {IntTensor({1, 5, 0}), Int(2), Doubles({}, 0, 1), Doubles({}, 2, 3)},
                    {{"axis", axis}}),
              0);
  }
}

TEST(Adjoints, OfStridedSlices) {
  const Tensor x = Doubles({3, 4, 2}, -1, 1);
  const auto wrong = [&](std::vector<int32_t> begin, std::vector<int32_t> end,
                         std::vector<int32_t> strides, AttrMap masks) {
    return Wrong("StridedSlice", {x, IntTensor(begin), IntTensor(end), IntTensor(strides)}, masks);
  };
  EXPECT_EQ(wrong({1, 0}, {3, 4}, {1, 2}, {}), 0);
  EXPECT_EQ(wrong({-1, -1}, {-4, -6}, {-1, -2}, {}), 0);
  EXPECT_EQ(wrong({9, 3}, {-9, 0}, {-2, -3}, {{"begin_mask", 1}, {"end_mask", 3}}), 0);
  constexpr int32_t kFurthest = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(wrong({0, 3}, {3, -9}, {kFurthest, -kFurthest - 1}, {}), 0);
  const auto wrong64 = [&](int64_t begin, int64_t end, int64_t stride) {
    const auto one = [](int64_t value) { return Tensor::Vector<int64_t>({value}); };
    return Wrong("StridedSlice", {x, one(begin), one(end), one(stride)});
  };
  EXPECT_EQ(wrong64(0, 3, std::numeric_limits<int64_t>::max()), 0);
  EXPECT_EQ(wrong64(2, -9, std::numeric_limits<int64_t>::min()), 0);
  EXPECT_EQ(
      wrong({1, 0, -1}, {2, 0, 0}, {1, 1, 1}, {{"shrink_axis_mask", 5}, {"ellipsis_mask", 2}}), 0);
  EXPECT_EQ(wrong({0, 0, 1}, {0, 0, 2}, {1, 1, 1}, {{"new_axis_mask", 1}, {"ellipsis_mask", 2}}),
            0);
  EXPECT_EQ(wrong({2}, {1}, {1}, {}), 0);  // nothing
}

TEST(Adjoints, AWrongOneIsFound) {
  AdjointTable table = AdjointTable::Standard();
  table.Set("Sin", [](FiringPartials& firing) {
    firing.Add(0, 0, 0, 0, 0.9 * std::cos(ToDoubles(firing.input(0))[0]));
    return Status();
  });
  EXPECT_EQ(Wrong("Sin", {Tensor::Scalar(0.5)}, {}, table), 1);
}

bool MayBeReal(const OpDef& op, const ArgDef& arg) {
  if (arg.dtype != DType::kInvalid) return IsFloating(arg.dtype);
  const AttrDef* attr = op.FindAttr(arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr);
  if (attr == nullptr) return true;
  const std::vector<DType>& types = attr->allowed_types;
  return types.empty() || std::any_of(types.begin(), types.end(), IsFloating);
}

// Ops that the tape refuses by name, having no adjoint of them. The list only gets shorter.
constexpr std::string_view kWithoutAdjoint = R"(
  RandomShuffle Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2
)";

// Of which TensorFlow has no gradient either.
constexpr std::string_view kWithoutGradientInTensorFlow = R"(
  AdjustContrastv2 AdjustHue AdjustSaturation CombinedNonMaxSuppression CropAndResizeGradBoxes
  Dilation2DBackpropFilter Dilation2DBackpropInput DrawBoundingBoxesV2
  FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVarsGradient
  FakeQuantWithMinMaxVarsPerChannelGradient NonMaxSuppressionV5
)";

bool NamesFunctions(const OpDef& op) {
  return std::any_of(op.attrs.begin(), op.attrs.end(), [](const AttrDef& attr) {
    return attr.kind == AttrKind::kFunction || attr.kind == AttrKind::kListFunction;
  });
}

TEST(Adjoints, AreThereForEveryOpThatTakesAndGivesRealNumbersButTheListed) {
  std::istringstream listed{std::string(kWithoutAdjoint) +
                            std::string(kWithoutGradientInTensorFlow)};
  std::set<std::string> without(std::istream_iterator<std::string>(listed), {});
  for (const OpDef* op : OpRegistry::Standard().All()) {
    if (NamesFunctions(*op)) continue;  // the nodes of its bodies have theirs
    const auto may_be_real = [&](const ArgDef& arg) { return MayBeReal(*op, arg); };
    const bool needed = std::any_of(op->inputs.begin(), op->inputs.end(), may_be_real) &&
                        std::any_of(op->outputs.begin(), op->outputs.end(), may_be_real);
    const bool is_there = AdjointTable::Standard().Find(op->name) != nullptr;
    const bool is_listed = without.erase(op->name) > 0;
    EXPECT_TRUE(needed || !is_listed) << op->name << " needs none";
    EXPECT_TRUE(!needed || is_there != is_listed) << op->name;
  }
  EXPECT_TRUE(without.empty()) << *without.begin() << " is listed, and no op";
}

// Of what no sigmoid gives, too.
TEST(Adjoints, OfTheGradientOfASigmoid) {
  EXPECT_EQ(Wrong("SigmoidGrad", {Tensor::Vector<double>({-1, 2, 0.25}), Doubles({3}, 1, 2)}), 0);
}

// Each cofactor in the time of an elimination.
TEST(Adjoints, OfALargeDeterminant) {
  EXPECT_EQ(Wrong("MatrixDeterminant", {Doubles({16, 16}, -0.5, 0.5)}), 0);
}

}  // namespace
}  // namespace tagflow::reference
